/** The organizations that the person can change to, each with what it is. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'

const OrganizationList = () => {
  const { organization } = useSession()
  const { data } = useRead<{ organizations: Organization[] }>('/auth/session')
  const others = data?.organizations.filter(({ id }) => id !== organization.id)
  if (others?.length === 0)
    return <p className="px-2 py-1 text-sm text-muted">You have no other.</p>
  return (
    <ul className="max-h-60 overflow-y-auto">
      {others?.map(({ id, name, mode }) => (
        <li key={id}>
          <Link
            to="/o/$org"
            params={{ org: id }}
            preload={false}
            className="flex min-h-8 items-center justify-between gap-2 rounded-md px-2 hover:bg-hover max-md:min-h-10"
          >
            <span className="truncate">{name}</span>
            <span
              className={`shrink-0 text-xs ${mode === 'sandbox' ? 'text-amber' : 'text-muted'}`}
            >
              {mode === 'sandbox' ? 'Sandbox' : 'Live'}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

export default OrganizationList
