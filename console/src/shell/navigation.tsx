/** The side navigation; on a narrow screen it opens over the page. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useEffect, useState } from 'react'
import { useRead } from '../api/reads.ts'
import { endSession } from '../api/signed-in.ts'
import { forgetSession, useSession } from '../api/session.ts'
import type { Enablement } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { wordsOf } from '../design/format.tsx'
import { Icon, type IconName } from '../design/icon.tsx'
import { OtherOrganizations } from './other-organizations.tsx'
import { type Place, placeGroups } from './places.ts'
import { type Theme, chosenAppearance } from './appearance.ts'
import { useChooseAppearance, useOwnAppearance } from './own-appearance.ts'

interface NavigationProps {
  isOpen: boolean
  isSandbox: boolean
  onSearch: () => void
  onCalls: () => void
  onHelp: () => void
  onWorkbench: () => void
}

export const Navigation = (props: NavigationProps) => {
  const { organization, user, role } = useSession()
  const off = useFamiliesOff()
  const top = props.isSandbox ? 'md:top-7 md:h-[calc(100dvh-1.75rem)]' : 'md:top-0 md:h-dvh'
  return (
    <nav
      aria-label="Main"
      className={`flex w-full shrink-0 flex-col border-line bg-canvas md:sticky md:w-[14.5rem] md:border-r ${top} ${props.isOpen ? 'max-md:border-b' : 'max-md:hidden'}`}
    >
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-3 max-md:hidden">
        <OrganizationMark name={organization.name} isSandbox={props.isSandbox} />
        <div className="min-w-0">
          <p className="line-clamp-2 font-semibold break-words">{organization.name}</p>
          <p className={`text-xs font-medium ${props.isSandbox ? 'text-amber' : 'text-faint'}`}>
            {props.isSandbox ? 'Sandbox' : 'Live'}
          </p>
        </div>
      </div>
      <OtherOrganizations />
      <div className="px-3 pb-2 max-md:hidden">
        <button
          type="button"
          onClick={props.onSearch}
          className="flex h-8 w-full items-center gap-2 rounded-md border border-edge bg-raised px-2.5 text-faint raised-shadow hover:text-ink"
        >
          <Icon name="search" />
          <span className="flex-1 text-left">Search…</span>
          <kbd className="font-sans text-xs">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-3">
        {placeGroups.map(([title, places]) => (
          <div key={title} className="mt-3 first:mt-1">
            {title && <p className="px-2 pb-1 text-xs font-medium text-faint">{title}</p>}
            <ul>
              {places.map((place) => (
                <PlaceLink
                  key={place.to}
                  place={place}
                  organization={organization.id}
                  isOff={place.family !== undefined && off.includes(place.family)}
                />
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className="border-t border-line p-3">
        <div className="mb-1 grid grid-cols-2">
          <Tool icon="workbench" label="Workbench" onClick={props.onWorkbench}>
            Workbench
          </Tool>
          <Tool icon="code" label="API calls of this page" onClick={props.onCalls}>
            API calls
          </Tool>
          <Tool icon="keyboard" label="Keyboard shortcuts" onClick={props.onHelp}>
            Shortcuts
          </Tool>
          <ThemeButton />
        </div>
        <p className="flex items-baseline gap-2 pl-2 text-sm">
          <span className="min-w-0 flex-1 truncate font-medium">{user.name}</span>
          <SignOutButton />
        </p>
        <p className="flex gap-1 px-2 text-xs text-muted">
          <span title={user.email} className="min-w-0 flex-1 truncate">
            {user.email}
          </span>
          {wordsOf(role)}
        </p>
      </div>
    </nav>
  )
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

const OrganizationMark = ({ name, isSandbox }: { name: string; isSandbox: boolean }) => (
  <span
    aria-hidden="true"
    className={`grid size-8 shrink-0 place-items-center rounded-md text-sm font-semibold ${isSandbox ? 'band border border-dashed border-amber-edge' : 'bg-accent-fill text-white'}`}
  >
    {name.charAt(0).toUpperCase()}
  </span>
)

/** What this service runs without; its pages say so. */
const useFamiliesOff = (): readonly string[] => {
  const { data } = useRead<Enablement>('/v1/enablement', {}, { refetchEveryMs: false })
  return Object.entries(data?.families ?? {}).flatMap(([name, { enabled }]) =>
    enabled ? [] : [name],
  )
}

interface PlaceLinkProps {
  place: Place
  organization: string
  isOff: boolean
}

const PlaceLink = ({ place, organization, isOff }: PlaceLinkProps) => (
  <li>
    <Link
      to={place.to as '/o/$org'}
      params={{ org: organization }}
      activeOptions={{ exact: place.to === '/o/$org', includeSearch: false }}
      activeProps={{ className: 'bg-hover text-ink font-medium' }}
      inactiveProps={{ className: isOff ? 'text-faint' : 'text-muted' }}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover hover:text-ink max-md:h-10"
    >
      <Icon name={place.icon} />
      {place.title}
      {isOff && <span className="ml-auto text-xs">off</span>}
    </Link>
  </li>
)

interface ToolProps extends ComponentProps<typeof Button> {
  /** Its whole name, which has the shown text in it. */
  label: string
}

const Tool = ({ label, ...rest }: ToolProps) => (
  <Button
    kind="quiet"
    aria-label={label}
    title={label}
    className="[&>button]:justify-start [&>button]:gap-1.5 [&>button]:px-2 [&>button]:text-sm"
    {...rest}
  />
)

const themes: Record<Theme, { next: Theme; icon: IconName }> = {
  system: { next: 'light', icon: 'screen' },
  light: { next: 'dark', icon: 'sun' },
  dark: { next: 'system', icon: 'moon' },
}

const ThemeButton = () => {
  const [theme, setTheme] = useState(() => chosenAppearance().theme)
  const { choose } = useChooseAppearance()
  const chosen = useOwnAppearance()?.theme
  useEffect(() => setTheme(chosen ?? chosenAppearance().theme), [chosen])
  const { next, icon } = themes[theme]
  return (
    <Tool
      isWrite
      icon={icon}
      label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => {
        choose({ theme: next })
        setTheme(next)
      }}
    >
      Theme
    </Tool>
  )
}

const SignOutButton = () => {
  const navigate = useNavigate()
  const signOut = async () => {
    await endSession()
    await navigate({ to: '/sign-in', search: {} })
    forgetSession()
    const { forgetAllTexts } = await import('../documents/kept-texts.ts')
    forgetAllTexts()
  }
  return (
    <button
      type="button"
      className="min-h-6 rounded-md px-2 text-muted hover:bg-hover hover:text-ink max-md:min-h-9"
      onClick={() => void signOut()}
    >
      Sign out
    </button>
  )
}
