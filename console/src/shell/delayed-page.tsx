/**
 * A signed-in person whom the service gives no token now: waits, and goes on at the same address. It
 * belongs to the entry, since a service that cannot be reached sends no further part.
 */
import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { SessionDelay } from '../api/signed-in.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { Status } from '../design/status.tsx'

export const DelayedPage = ({ delay }: { delay: SessionDelay }) => {
  const router = useRouter()
  const [left, setLeft] = useState(delay.retryAfterSeconds)
  const again = () => void router.invalidate()
  // What is refused for another reason than the moment stays refused.
  const endsByItself = delay.isUndecided || delay.status >= 500
  useEffect(() => {
    if (!endsByItself) return
    const endsAt = Date.now() + delay.retryAfterSeconds * 1_000
    const count = () => {
      const seconds = Math.ceil((endsAt - Date.now()) / 1_000)
      setLeft(Math.max(seconds, 0))
      if (seconds > 0) return
      clearInterval(timer)
      again()
    }
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [delay])
  useEffect(() => {
    document.title = 'One moment · Document Exchange'
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [])
  return (
    <main className="mx-auto max-w-[35rem] px-4 py-16">
      <h1 className="mb-4 text-xl font-semibold">You are still signed in</h1>
      <div className="rounded-md border border-amber-edge bg-amber-tint p-4">
        <div role="status">
          <Status tone="waiting">Waiting for the service</Status>
          <p className="mt-1">{delay.explanation}</p>
        </div>
        {endsByItself && (
          <p className="tabular mt-1 text-muted">
            {left > 0 ? `It tries again in ${waitText(left)}.` : 'It tries again now.'}
          </p>
        )}
        <div className="mt-3 flex flex-wrap gap-2">
          <Button icon="refresh" onClick={again}>
            Try again
          </Button>
          <Link
            to="/sign-in"
            search={{ to: location.pathname + location.search }}
            className={buttonClass('quiet')}
          >
            Sign in again
          </Link>
        </div>
      </div>
    </main>
  )
}

const waitText = (seconds: number): string => {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
