/** What is shown instead of a page that cannot be shown. Once one is online, it is loaded anew. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/call.ts'
import { SessionDelay } from '../api/signed-in.ts'
import { Refusal } from '../design/layout.tsx'
import { DelayedPage } from './delayed-page.tsx'

export const FailedPage = ({ error }: ErrorComponentProps) =>
  error instanceof SessionDelay ? <DelayedPage delay={error} /> : <Failed error={error as Error} />

const reload = (): void => location.reload()

const Failed = ({ error }: { error: Error }) => {
  const isOffline = error instanceof ApiError && error.status === 0
  useEffect(() => {
    if (!isOffline) return
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [isOffline])
  return (
    <section className="mx-auto max-w-[35rem] px-4 py-16">
      <h1 className="mb-4 text-xl font-semibold">This page could not be shown</h1>
      <Refusal error={error} onRetry={() => navigator.onLine && reload()} />
    </section>
  )
}
