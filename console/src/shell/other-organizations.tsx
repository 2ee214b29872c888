/** The other organizations of the person: each is another address, session and cache. */
import { useState } from 'react'
import { Icon } from '../design/icon.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const OrganizationList = lazyPart(() => import('./organization-list.tsx'))

/** They are read when somebody looks for them: most pages are opened to stay where one is. */
export const OtherOrganizations = () => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className="group px-3 pb-2"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="flex h-8 items-center gap-2 rounded-md px-2 text-muted marker:content-none hover:bg-hover hover:text-ink max-md:h-10">
        <Icon name="chevron" className="group-open:rotate-90" />
        Other organizations
      </summary>
      {isOpen && <OrganizationList />}
    </details>
  )
}
