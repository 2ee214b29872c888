/** Too many calls: counts down with each refusal, and then tries again by itself. */
import { useEffect, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { Announced } from './announcements.tsx'
import { Button } from './button.tsx'
import { Status } from './status.tsx'

interface RateLimitedProps {
  error: ApiError
  onRetry?: (() => void) | undefined
}

/** Of the limits that count failures; all others count calls. */
const whatWasTooMuch: Readonly<Record<string, string>> = {
  sign_in: 'Too many sign-ins have failed',
  second_factor: 'Too many codes were wrong',
  user_codes: 'Too many codes were wrong',
}

const secondsOf = ({ details }: ApiError): number =>
  Math.max(1, Math.ceil((details['retry_after_seconds'] as number | undefined) ?? 1))

const RateLimited = ({ error, onRetry }: RateLimitedProps) => {
  const [left, setLeft] = useState(() => secondsOf(error))
  useEffect(() => {
    let seconds = secondsOf(error)
    setLeft(seconds)
    const timer = setInterval(() => {
      seconds -= 1
      setLeft(seconds)
      if (seconds > 0) return
      clearInterval(timer)
      onRetry?.()
    }, 1_000)
    return () => clearInterval(timer)
  }, [error])
  const what = whatWasTooMuch[String(error.details['policy'])] ?? 'Too many calls at once'
  return (
    <div className="rounded-md border border-amber-edge bg-amber-tint p-4">
      <Announced>
        <Status tone="waiting">{what}</Status>
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
