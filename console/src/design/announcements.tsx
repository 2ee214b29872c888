/**
 * What is read aloud although the focus is elsewhere: at most one text in five seconds, of which the
 * last one wins. An error is no announcement: it is an alert where it stands, and does not wait.
 */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'

const betweenMs = 5_000
/** Once it has been taken up, it is not found by whoever reads the page. */
const keptMs = 1_000

let said = { place: 0, text: '' }
let saidAt = -Infinity
let waiting = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export const announce = (text: string): void => {
  waiting = text
  timer ??= setTimeout(say, Math.max(0, saidAt + betweenMs - Date.now()))
}

const say = (): void => {
  timer = undefined
  saidAt = Date.now()
  show(waiting)
  setTimeout(() => show(''), keptMs)
}

const show = (text: string): void => {
  said = { place: said.place + 1, text }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The only live region of texts that change. A dialog hides what has no `aria-live` of its own. */
export const Announcements = () => {
  const { place, text } = useSyncExternalStore(subscribe, () => said)
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {/* The same text again is a new element, which is read again. */}
      <span key={place}>{text}</span>
    </p>
  )
}

/** A text on the page that is announced when it appears, and whenever it changes. */
export const Announced = (props: { className?: string; children: ReactNode }) => {
  const element = useRef<HTMLDivElement>(null)
  const last = useRef('')
  useEffect(() => {
    const text = element.current?.innerText.trim() ?? ''
    if (text !== '' && text !== last.current) announce(text)
    last.current = text
  })
  return <div ref={element} {...props} />
}
