/** `` ` ``: what lies behind any page, below it: its requests, what was refused, a shell, the JSON. */
import { Tabs } from '@base-ui/react/tabs'
import { useEffect, useRef } from 'react'
import { IconButton } from '../design/button.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { MadeRequests } from './made-requests.tsx'

const Errors = lazyPart(() => import('./errors.tsx'), { height: 'h-32' })
const LatestEvents = lazyPart(() => import('./latest-events.tsx'), { height: 'h-32' })
const ApiShell = lazyPart(() => import('./api-shell.tsx'), { height: 'h-32' })
const Inspector = lazyPart(() => import('./inspector.tsx'), { height: 'h-32' })

const tools = [
  ['requests', 'Requests', MadeRequests],
  ['errors', 'Errors', Errors],
  ['events', 'Events', LatestEvents],
  ['shell', 'Shell', ApiShell],
  ['inspector', 'Inspector', Inspector],
] as const

const Workbench = ({ onClose }: { onClose: () => void }) => {
  const pane = useRef<HTMLElement>(null)
  usePane(pane)
  return (
    <aside
      ref={pane}
      aria-label="Workbench"
      data-print="no"
      onKeyDown={(event) => {
        // A dialog that a tool has opened is not in the pane, and closes by itself.
        if (event.key !== 'Escape' || !pane.current?.contains(event.target as Node)) return
        event.preventDefault()
        onClose()
      }}
      className="sticky bottom-0 z-20 h-[50dvh] border-t border-edge bg-raised popup-shadow max-md:h-[70dvh]"
    >
      <Tabs.Root defaultValue="requests" className="flex h-full flex-col">
        <header className="flex items-center gap-2 border-b border-line pr-2 pl-2.5 md:pl-6">
          <Tabs.List aria-label="Workbench" className="flex min-w-0 flex-1 overflow-x-auto">
            {tools.map(([name, title]) => (
              <Tabs.Tab
                key={name}
                value={name}
                className="h-10 shrink-0 border-b-2 border-transparent px-2.5 text-muted max-md:px-1.5 -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
              >
                {title}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <IconButton icon="close" label="Close the Workbench" onClick={onClose} />
        </header>
        {tools.map(([name, , Tool]) => (
          <Tabs.Panel
            key={name}
            value={name}
            className="@container min-h-0 flex-1 overflow-y-auto px-4 py-4 -outline-offset-2 md:px-8"
          >
            <Tool />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </aside>
  )
}

export default Workbench

/** It takes the focus while it is open, and gives it back; nothing that has it lies below the pane. */
const usePane = (pane: { current: HTMLElement | null }): void =>
  useEffect(() => {
    const before = document.activeElement
    document.documentElement.dataset['workbench'] = 'open'
    pane.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus()
    return () => {
      delete document.documentElement.dataset['workbench']
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
