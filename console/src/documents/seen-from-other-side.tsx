/** Says that one has come from the other side of the document, and leads back. */
import { Link } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { buttonClass } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { useOwnOrganizations } from './counterparty-view.tsx'

const SeenFromOtherSide = ({ id, from }: { id: string; from: string }) => {
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

export default SeenFromOtherSide
