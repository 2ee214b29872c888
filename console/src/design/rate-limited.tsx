/** Too many calls: counts down, and then tries again by itself. */
import { useEffect, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { Announced } from './announcements.tsx'
import { Button } from './button.tsx'
import { Status } from './status.tsx'

interface RateLimitedProps {
  error: ApiError
  onRetry?: (() => void) | undefined
}

const RateLimited = ({ error, onRetry }: RateLimitedProps) => {
  const [left, setLeft] = useState(() =>
    Math.ceil((error.details['retry_after_seconds'] as number | undefined) ?? 1),
  )
  useEffect(() => {
    if (left <= 0) return onRetry?.()
    const timer = setTimeout(() => setLeft(left - 1), 1_000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <div className="rounded-md border border-amber-edge bg-amber-tint p-4">
      <Announced>
        <Status tone="waiting">Too many calls at once</Status>
      </Announced>
      <p className="mt-1">
        {left > 0
          ? `The service takes more in ${left} ${left === 1 ? 'second' : 'seconds'}.`
          : 'The service takes more now.'}
      </p>
      {onRetry && (
        <Button
          className="mt-3"
          icon="refresh"
          disabledReason={left > 0 ? 'It tries again by itself.' : undefined}
          onClick={onRetry}
        >
          Try again
        </Button>
      )}
    </div>
  )
}

export default RateLimited
