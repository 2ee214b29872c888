/** A dry run of a write, asked for a moment after the last key. */
import { useEffect } from 'react'
import { type Write, useWrite } from './writes.ts'

const pauseMs = 350

export const useDryRun = <Body>(write: Write, isReady: boolean) => {
  const dryRun = useWrite<Body>()
  const wanted = JSON.stringify(write)
  useEffect(() => {
    if (!isReady) return
    const timer = setTimeout(() => dryRun.mutate({ ...write, dryRun: true }), pauseMs)
    return () => clearTimeout(timer)
  }, [wanted, isReady])
  return dryRun
}
