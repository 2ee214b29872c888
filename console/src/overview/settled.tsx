/**
 * Shows what belongs together at once: what comes later would push away what somebody reads already.
 * Nothing waits for long, and what was shown once stays.
 */
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** A read that follows from another begins by then. */
const quietMs = 50
const mostMs = 4_000

interface SettledProps {
  /** False until all that it waits for has begun, where one read follows from another. */
  isReady?: boolean
  /** Which reads it waits for. */
  isAwaited: (path: string) => boolean
  /** Meanwhile. */
  skeleton: ReactNode
  children: ReactNode
}

export const Settled = ({ isReady = true, isAwaited, skeleton, children }: SettledProps) => {
  const [isShown, setIsShown] = useState(false)
  const cache = useQueryClient()
  const awaited = {
    predicate: ({ state, queryKey }: Query) =>
      state.status === 'pending' && isAwaited(String(queryKey[1])),
  }
  const pending = useIsFetching(awaited)
  useEffect(() => {
    if (isShown || pending > 0 || !isReady) return
    // The hook is told of reads a moment after they have begun, and of none while much is drawn.
    const show = () => setIsShown(cache.isFetching(awaited) === 0)
    const timer = setTimeout(show, quietMs)
    return () => clearTimeout(timer)
  }, [isShown, pending, isReady])
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), mostMs)
    return () => clearTimeout(timer)
  }, [])
  // What is invisible has its place already, so that showing it moves nothing.
  return (
    <div className="relative min-w-0">
      {!isShown && <div className="absolute inset-x-0 top-0">{skeleton}</div>}
      <div className={isShown ? '' : 'invisible'}>{children}</div>
    </div>
  )
}
