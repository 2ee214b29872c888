/**
 * The same record as the other side sees it. Each side is an organization with a session of its own,
 * so this is a way into the other one, and back; nothing shows both projections to one session.
 */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { otherPartyOf } from './document-names.ts'

const route = getRouteApi('/o/$org/documents/$document')

/** Undefined while they are read. */
const useOwnOrganizations = (): Organization[] | undefined =>
  useRead<{ organizations: Organization[] }>('/auth/session').data?.organizations

/** What is shown beside the document, and hidden again. */
export interface BesideToggle {
  /** Of the region. */
  id: string
  isShown: boolean
  toggle: () => void
}

interface ViewProps {
  document: DocumentRecord
  sides: BesideToggle
}

export const ViewAsCounterparty = ({ document, sides }: ViewProps) => {
  const { organization } = useSession()
  const { from } = route.useSearch()
  const own = useOwnOrganizations()
  const { organization_id: id, name } = otherPartyOf(document)
  if (organization.mode === 'live')
    return (
      <p className="basis-full text-sm text-pretty text-muted">
        In live, how {name} sees it is for {name} alone: its numbers and references are its own.
      </p>
    )
  // Whoever came from the other side has the way back above.
  if (own === undefined || from !== undefined) return null
  const refusal = viewRefusal(document, own)
  if (refusal !== undefined) return <Button disabledReason={refusal}>View as counterparty</Button>
  return (
    <>
      <Button aria-expanded={sides.isShown} aria-controls={sides.id} onClick={sides.toggle}>
        {sides.isShown ? 'Hide the other side' : 'Both sides'}
      </Button>
      <Link
        to="/o/$org/documents/$document"
        params={{ org: id, document: document.id }}
        search={{ from: organization.id }}
        // Only a click enters another organization.
        preload={false}
        className={buttonClass()}
      >
        View as counterparty
      </Link>
    </>
  )
}

const viewRefusal = (
  document: DocumentRecord,
  own: readonly Organization[],
): string | undefined => {
  const { organization_id, name } = otherPartyOf(document)
  if (document.status === 'draft') return `${name} sees it once it is issued.`
  if (own.some(({ id }) => id === organization_id)) return undefined
  return `You are not a member of ${name}. Of a practice pair that you create yourself, with POST /v1/sandboxes, both sides are yours.`
}

/** Says that one has come from the other side of the document, and leads back. */
export const SeenFromOtherSide = ({ id, from }: { id: string; from: string }) => {
  const { organization } = useSession()
  const other = useOwnOrganizations()?.find((one) => one.id === from)
  if (other === undefined || organization.mode === 'live') return null
  return (
    <aside
      aria-label="View of the other side"
      data-print="no"
      className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-accent-tint px-4 py-2.5"
    >
      <Icon name="person" className="text-accent" />
      <p className="min-w-0 flex-1 basis-60">
        You are {organization.name} here: the same record, with the numbers, texts and moves of this
        side.
      </p>
      <Link
        to="/o/$org/documents/$document"
        params={{ org: from, document: id }}
        search={{}}
        preload={false}
        className={buttonClass()}
      >
        Back to {other.name}
      </Link>
    </aside>
  )
}
