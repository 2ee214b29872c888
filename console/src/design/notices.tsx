/** Short notices of what has happened, which are announced and go by themselves. */
import { useSyncExternalStore } from 'react'
import { Announcements, announce } from './announcements.tsx'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

interface Notice {
  id: number
  text: string
  isBad: boolean
}

const shownMs = 6_000
let notices: readonly Notice[] = []
let lastId = 0
const listeners = new Set<() => void>()

const show = (next: readonly Notice[]): void => {
  notices = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => show(notices.filter((notice) => notice.id !== id))

export const notify = (text: string, { isBad = false } = {}): void => {
  const id = ++lastId
  if (!isBad) announce(text)
  show([...notices.slice(-2), { id, text, isBad }])
  setTimeout(() => dismiss(id), shownMs)
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const Notices = () => {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <>
      <Announcements />
      <div
        role="log"
        aria-label="Notices"
        aria-live="off"
        data-print="no"
        // A click on it leaves the focus where it is: a dialog keeps it.
        onMouseDown={(event) => event.preventDefault()}
        className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex flex-col items-center gap-2 px-4 [body:has([data-selection])_&]:bottom-20 max-sm:[body:has([data-selection])_&]:bottom-32"
      >
        {shown.map(({ id, text, isBad }) => (
          <div
            key={id}
            role={isBad ? 'alert' : undefined}
            className="pointer-events-auto flex max-w-full animate-appear items-center gap-2.5 rounded-lg bg-raised py-1 pr-1 pl-3.5 popup-shadow"
          >
            <Icon
              name={isBad ? 'warning' : 'check'}
              className={isBad ? 'text-red' : 'text-green'}
            />
            <span className="min-w-0">{text}</span>
            <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
          </div>
        ))}
      </div>
    </>
  )
}
