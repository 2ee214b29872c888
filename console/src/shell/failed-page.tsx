/** What is shown instead of a page that cannot be shown. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { SessionDelay } from '../api/signed-in.ts'
import { Refusal } from '../design/layout.tsx'
import { DelayedPage } from './delayed-page.tsx'

export const FailedPage = ({ error }: ErrorComponentProps) =>
  error instanceof SessionDelay ? (
    <DelayedPage delay={error} />
  ) : (
    <section className="mx-auto max-w-[35rem] px-4 py-16">
      <h1 className="mb-4 text-xl font-semibold">This page could not be shown</h1>
      <Refusal error={error as Error} onRetry={() => navigator.onLine && location.reload()} />
    </section>
  )
