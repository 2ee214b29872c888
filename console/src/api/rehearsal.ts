/** A write as it would be, asked for a moment after the last key: nothing is stored. */
import { useEffect } from 'react'
import { type Write, useWrite } from './writes.ts'

const pauseMs = 350

export const useRehearsal = <Body>(write: Write, isReady: boolean) => {
  const rehearsal = useWrite<Body>()
  const wanted = JSON.stringify(write)
  useEffect(() => {
    if (!isReady) return
    const timer = setTimeout(() => rehearsal.mutate({ ...write, dryRun: true }), pauseMs)
    return () => clearTimeout(timer)
  }, [wanted, isReady])
  return rehearsal
}
