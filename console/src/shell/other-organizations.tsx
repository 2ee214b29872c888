/** The other organizations of the person: each is another address, session and cache. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'
import { Icon } from '../design/icon.tsx'

/** They are read when somebody looks for them: most pages are opened to stay where one is. */
export const OtherOrganizations = () => {
  const { organization } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const { data } = useRead<{ organizations: Organization[] }>(
    '/auth/session',
    {},
    { isEnabled: isOpen },
  )
  const others = data?.organizations.filter(({ id }) => id !== organization.id)
  return (
    <details
      className="group px-3 pb-2"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="flex h-8 items-center gap-2 rounded-md px-2 text-muted marker:content-none hover:bg-hover hover:text-ink max-md:h-10">
        <Icon name="chevron" className="group-open:rotate-90" />
        Other organizations
      </summary>
      {others?.length === 0 && <p className="px-2 py-1 text-sm text-muted">You have no other.</p>}
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
    </details>
  )
}
