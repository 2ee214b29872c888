/** What the page that is shown can do with its record: the palette offers it. */
import { useEffect } from 'react'

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

/** They are those of the last render, for as long as the page is there. */
export const usePageActions = (own: readonly Action[]): void => {
  useEffect(() => show(own))
  useEffect(() => () => show([]), [])
}

export const pageActions = (): readonly Action[] => actions

/** Calls back after each change, until it is stopped. */
export const followPageActions = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
