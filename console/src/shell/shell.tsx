/** The frame around every page: where one is, where one can go, and whether it is a sandbox. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { Activity, type ReactNode, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { createCache } from '../api/cache.ts'
import { type Changed, readChanged } from '../api/changes.ts'
import { followChanges } from '../api/live.ts'
import { forgetMadeCalls } from '../api/made-calls.ts'
import { useOfflineRefusal } from '../api/offline.ts'
import { useSession } from '../api/session.ts'
import { IconButton } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { Notices } from '../design/notices.tsx'
import { Navigation } from './navigation.tsx'
import { places } from './places.ts'
import { useShortcuts } from './shortcuts.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const CommandPalette = lazyPart(() => import('./command-palette.tsx'))
const ApiCalls = lazyPart(() => import('./api-calls.tsx'))
const KeyboardHelp = lazyPart(() => import('./keyboard-help.tsx'))
const Workbench = lazyPart(() => import('../workbench/workbench.tsx'), { isPane: true })

type Opened = 'palette' | 'calls' | 'help' | null

/** What one organization was shown is not there for the next. */
const Shell = ({ children = <Outlet /> }: { children?: ReactNode }) => {
  const { organization } = useSession()
  const cache = useMemo(createCache, [organization.id])
  useLeaveOnceSignedOut()
  useLiveUpdates(organization.id, cache)
  useEffect(() => forgetMadeCalls, [organization.id])
  return (
    <QueryClientProvider client={cache}>
      <Frame key={organization.id}>{children}</Frame>
    </QueryClientProvider>
  )
}

export default Shell

const Frame = ({ children }: { children: ReactNode }) => {
  const { organization } = useSession()
  const [opened, setOpened] = useState<Opened>(null)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => setIsMenuOpen(false), [path])
  useModeMarks(organization.mode)
  const workbench = useWorkbenchToggle()
  useGlobalKeys(setOpened, workbench.toggle)
  const isSandbox = organization.mode === 'sandbox'
  const close = () => setOpened(null)
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      {isSandbox && (
        <aside
          aria-label="Sandbox"
          className="band sticky top-0 z-30 flex h-7 items-center justify-center px-3 text-xs font-semibold"
        >
          <span className="truncate">
            SANDBOX – payments are simulated<span className="max-sm:hidden">, no money moves</span>
          </span>
        </aside>
      )}
      <div
        className={`flex items-stretch max-md:flex-col ${isSandbox ? 'min-h-[calc(100dvh-1.75rem)]' : 'min-h-dvh'}`}
      >
        <TopBar
          isSandbox={isSandbox}
          onMenu={() => setIsMenuOpen(!isMenuOpen)}
          isMenuOpen={isMenuOpen}
          onSearch={() => setOpened('palette')}
        />
        <Navigation
          isOpen={isMenuOpen}
          isSandbox={isSandbox}
          onSearch={() => setOpened('palette')}
          onCalls={() => setOpened('calls')}
          onHelp={() => setOpened('help')}
          onWorkbench={workbench.toggle}
        />
        <div className="flex min-w-0 flex-1 flex-col">
          <main id="main" className="flex-1">
            <Offline />
            {children}
          </main>
          {workbench.pane}
        </div>
      </div>
      <Notices />
      {opened === 'palette' && (
        <CommandPalette
          onClose={close}
          onHelp={() => setOpened('help')}
          onCalls={() => setOpened('calls')}
          onWorkbench={workbench.toggle}
        />
      )}
      {opened === 'calls' && <ApiCalls onClose={close} />}
      {opened === 'help' && <KeyboardHelp onClose={close} />}
    </>
  )
}

/** Closed, it keeps what was entered into it, and reads nothing. */
const useWorkbenchToggle = () => {
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const toggle = () => {
    setWasOpened(true)
    setIsOpen(!isOpen)
  }
  const pane = wasOpened && (
    <Activity mode={isOpen ? 'visible' : 'hidden'}>
      <Workbench onClose={() => setIsOpen(false)} />
    </Activity>
  )
  return { toggle, pane }
}

interface TopBarProps {
  isSandbox: boolean
  isMenuOpen: boolean
  onMenu: () => void
  onSearch: () => void
}

const TopBar = ({ isSandbox, isMenuOpen, onMenu, onSearch }: TopBarProps) => {
  const { organization } = useSession()
  return (
    <header
      data-print="no"
      className={`sticky z-20 flex h-12 items-center gap-1 border-b border-line bg-canvas px-2 md:hidden ${isSandbox ? 'top-7' : 'top-0'}`}
    >
      <IconButton
        icon={isMenuOpen ? 'close' : 'menu'}
        label="Menu"
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      />
      <span className="min-w-0 flex-1 truncate font-semibold">{organization.name}</span>
      <IconButton icon="search" label="Search and commands" onClick={onSearch} />
    </header>
  )
}

/** The session was ended elsewhere: by another tab, another device or an administrator. */
const useLeaveOnceSignedOut = (): void => {
  const isSignedIn = useSession().id !== ''
  const navigate = useNavigate()
  useEffect(() => {
    if (isSignedIn) return
    const to = location.pathname + location.search
    void navigate({ to: '/sign-in', search: { to }, replace: true })
  }, [isSignedIn])
}

const gatherMs = 250
/** After so long, a read that hangs keeps no other change from being read. */
const readMostMs = 5_000

const nothing: Changed = new Set()

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A change may be part of any list or sum. Many at once are read as one, and what changes during a
 * read is read after it: hundreds of writes would otherwise begin every list again and again. It is
 * read at most half of the time, since a list that was followed far down has many pages.
 */
const useLiveUpdates = (organization: string, cache: QueryClient): void => {
  useEffect(() => {
    const state = { changed: nothing as Changed, isReading: false }
    const read = async () => {
      state.isReading = true
      let spentMs = 0
      while (state.changed !== nothing) {
        await pause(gatherMs + spentMs)
        const beginMs = performance.now()
        const { changed } = state
        // What is being read goes on to its end, and is read once more after that.
        state.changed = cache.isFetching() > 0 ? changed : nothing
        await Promise.race([readChanged(cache, changed, { isOwn: false }), pause(readMostMs)])
        spentMs = performance.now() - beginMs
      }
      state.isReading = false
    }
    return followChanges(organization, (changed) => {
      state.changed = changed && state.changed && new Set([...state.changed, ...changed])
      if (!state.isReading) void read()
    })
  }, [organization, cache])
}

/** Colour, icon and title say which kind of organization it is; the band says it in words. */
const useModeMarks = (mode: 'live' | 'sandbox'): void => {
  useEffect(() => {
    document.documentElement.dataset['mode'] = mode
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon !== null) icon.href = mode === 'sandbox' ? '/app/icon-sandbox.svg' : '/app/icon.svg'
    return () => void delete document.documentElement.dataset['mode']
  }, [mode])
}

const useGlobalKeys = (open: (opened: Opened) => void, toggleWorkbench: () => void): void => {
  const navigate = useNavigate()
  const { organization } = useSession()
  useShortcuts({
    '?': () => open('help'),
    '.': () => open('calls'),
    '`': toggleWorkbench,
    c: () => void navigate({ to: '/o/$org/documents/new', params: { org: organization.id } }),
    ...Object.fromEntries(
      places.map(({ keys, to }) => [
        keys,
        () => void navigate({ to: to as '/o/$org', params: { org: organization.id } }),
      ]),
    ),
  })
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open('palette')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [open])
}

const Offline = () => {
  const refusal = useOfflineRefusal()
  if (refusal === undefined) return null
  return (
    <p role="alert" className="flex items-center gap-2 border-b border-line bg-red-tint px-4 py-2">
      <Icon name="warning" className="text-red" />
      {refusal} What is shown may be out of date, and nothing can be changed.
    </p>
  )
}
