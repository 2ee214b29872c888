/**
 * What this tab has asked of the API: in memory only, without bodies and credentials, and gone with
 * the tab, the organization and the session.
 */
export interface MadeCall {
  /** Its place in the order of all calls of the tab. */
  place: number
  method: string
  /** With its query. */
  url: string
  /** 0 when no answer came. */
  status: number
  ms: number
  requestId: string | null
  at: string
  /** The address that was shown. */
  page: string
}

export const madeCallsMost = 300

let calls: readonly MadeCall[] = []
let lastPlace = 0
const listeners = new Set<() => void>()

const keep = (next: readonly MadeCall[]): void => {
  calls = next
  for (const listener of listeners) listener()
}

/** The latest are kept; `place` tells how many there were. */
export const noteCall = (call: Omit<MadeCall, 'place' | 'at'>): void => {
  const made = { ...call, place: ++lastPlace, at: new Date().toISOString() }
  keep([made, ...calls.slice(0, madeCallsMost - 1)])
}

export const forgetMadeCalls = (): void => {
  lastPlace = 0
  keep([])
}

/** Newest first. */
export const madeCalls = (): readonly MadeCall[] => calls

/** Calls back after each change, until it is stopped. */
export const followMadeCalls = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
