/** What the page that is shown can do with its record: the palette offers it. */
import { useEffect } from 'react'

export interface Act {
  /** Unlike that of any other act, and of any command. */
  id: string
  title: string
  /** The key that does the same. */
  key?: string | undefined
  /** Why it cannot be done now; undefined when it can. */
  refusal: string | undefined
  run: () => void
}

let acts: readonly Act[] = []
const listeners = new Set<() => void>()

const show = (next: readonly Act[]): void => {
  acts = next
  for (const listener of listeners) listener()
}

/** They are those of the last render, for as long as the page is there. */
export const usePageActs = (own: readonly Act[]): void => {
  useEffect(() => show(own))
  useEffect(() => () => show([]), [])
}

export const pageActs = (): readonly Act[] => acts

/** Calls back after each change, until it is stopped. */
export const followPageActs = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
