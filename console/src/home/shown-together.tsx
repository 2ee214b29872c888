/**
 * Shows what belongs together at once: what comes later would push away what somebody reads already.
 * Nothing waits for long, and what was shown once stays.
 */
import { useIsFetching } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** A read that follows from another begins by then. */
const quietMs = 50
/** What is not ready although nothing is read any more never will be. */
const stuckMs = 500
const mostMs = 4_000

interface ShownTogetherProps {
  /** False until all that it waits for has begun, where one read follows from another. */
  isReady?: boolean
  /** Which reads it waits for. */
  isAwaited: (path: string) => boolean
  /** Meanwhile. */
  skeleton: ReactNode
  children: ReactNode
}

export const ShownTogether = ({
  isReady = true,
  isAwaited,
  skeleton,
  children,
}: ShownTogetherProps) => {
  const [isShown, setIsShown] = useState(false)
  const pending = useIsFetching({
    predicate: ({ state, queryKey }) =>
      state.status === 'pending' && isAwaited(String(queryKey[1])),
  })
  useEffect(() => {
    if (isShown || pending > 0) return
    const timer = setTimeout(() => setIsShown(true), isReady ? quietMs : stuckMs)
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
