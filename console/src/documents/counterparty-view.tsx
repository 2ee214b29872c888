/**
 * The same record as the other side sees it. Each side is an organization with a session of its own,
 * so this is a way into the other one, and back; nothing shows both projections to one session.
 */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { otherPartyOf } from './document-names.ts'

const route = getRouteApi('/o/$org/documents/$document')

/** Undefined while they are read. */
export const useOwnOrganizations = (): Organization[] | undefined =>
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
      <p className="basis-full text-sm text-pretty wrap-anywhere text-muted">
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
