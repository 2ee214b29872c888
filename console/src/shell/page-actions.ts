/** What the page that is shown can do with its record: the palette offers it. */
import { useEffect, useSyncExternalStore } from 'react'

export interface Action {
  /** Unlike that of any other action, and of any command. */
  id: string
  title: string
  /** The key that does the same. */
  key?: string | undefined
  /** Why it cannot be done now; undefined when it can. */
  refusal: string | undefined
  run: () => void
}

let actions: readonly Action[] = []
const listeners = new Set<() => void>()

const show = (next: readonly Action[]): void => {
  actions = next
  for (const listener of listeners) listener()
}

const follow = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Offers the actions of the last render, for as long as the page is there. */
export const usePageActions = (own: readonly Action[]): void => {
  useEffect(() => show(own))
  useEffect(() => () => show([]), [])
}

export const useOfferedActions = (): readonly Action[] =>
  useSyncExternalStore(follow, () => actions)
