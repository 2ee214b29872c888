/** The calls of this tab, newest first, as they are made. */
import { useSyncExternalStore } from 'react'
import { type MadeCall, followMadeCalls, madeCalls } from '../api/made-calls.ts'

export const useMadeCalls = (): readonly MadeCall[] =>
  useSyncExternalStore(followMadeCalls, madeCalls)
