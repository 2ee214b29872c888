/**
 * Single keys. They never fire in a field or a dialog, and can be switched off (WCAG 2.1.4). One that
 * is pressed while its page is still loaded takes effect once the page is there.
 */
import { useEffect, useLayoutEffect, useRef } from 'react'
import { forgetStored, store, stored } from '../api/browser-storage.ts'

export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>

const sequenceMs = 1_200
const offKey = 'shortcuts-off'

export const areShortcutsOff = (): boolean => stored(offKey) === '1'

export const switchShortcuts = (areOn: boolean): void => {
  if (areOn) forgetStored(offKey)
  else store(offKey, '1')
}

let pending: { key: string; at: number } | null = null

/** `g d` is g and then d. */
export const useShortcuts = (shortcuts: Shortcuts): void => {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  // Before the browser shows the button that has the key, so that none is lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isForSomethingElse(event)) return
      const action = latest.current[sequenceOf(event)]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

const sequenceOf = ({ key, timeStamp }: KeyboardEvent): string =>
  pending?.key === 'g' && timeStamp > pending.at && timeStamp - pending.at < sequenceMs
    ? `g ${key}`
    : key

const isForSomethingElse = (event: KeyboardEvent): boolean => {
  const { target } = event
  if (event.ctrlKey || event.metaKey || event.altKey || areShortcutsOff()) return true
  if (!(target instanceof Element)) return false
  if (target.closest('[role="dialog"], [role="menu"], textarea, select, [contenteditable]'))
    return true
  return target instanceof HTMLInputElement && target.type !== 'checkbox'
}

/** So long a key that nothing had a use for is kept for the page that was being opened. */
const keptMs = 5_000

let unused: { key: string; at: number; page: string } | null = null

/** Also does what a key asks for that was pressed on this page before the keys were there. */
export const useAwaitedShortcuts = (shortcuts: Shortcuts): void => {
  useShortcuts(shortcuts)
  useEffect(() => {
    const doWhatWasAsked = () => {
      const wanted = unused
      unused = null
      if (wanted === null || wanted.page !== location.pathname) return
      const isOld = performance.now() - wanted.at > keptMs
      const isElsewhere = document.activeElement?.matches('input, textarea, select') ?? false
      if (isOld || isElsewhere || document.querySelector('[role="dialog"]') !== null) return
      shortcuts[wanted.key]?.()
    }
    // Once the keys that were pressed before are noted, of which the last may be a moment old.
    const timer = setTimeout(doWhatWasAsked)
    return () => clearTimeout(timer)
  }, [])
}

// A key that is held has opened a dialog, and does not answer its question.
addEventListener(
  'keydown',
  (event) => {
    if (event.repeat && event.target instanceof HTMLButtonElement) event.preventDefault()
  },
  { capture: true },
)

// Whoever does something else meanwhile means that.
addEventListener('pointerdown', () => (unused = null))

// After all listeners have seen the key.
addEventListener('keydown', (event) =>
  setTimeout(() => {
    const { key, timeStamp: at } = event
    if (key.length === 1) pending = { key, at }
    const isUsed = event.defaultPrevented || isForSomethingElse(event)
    unused = isUsed ? null : { key, at, page: location.pathname }
  }),
)
