/** What is shown instead of a page that cannot be shown. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import { currentSession } from '../api/session.ts'
import { SessionDelay } from '../api/sign-in.ts'
import { buttonClass } from '../design/button.tsx'
import { Empty, Refusal } from '../design/layout.tsx'
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

export const MissingPage = () => {
  const organization = currentSession()?.organization
  const where = organization === undefined ? '' : ` in ${organization.name} (${organization.mode})`
  return (
    <main className="py-16">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title="Not found"
        actions={
          <Link to="/" className={buttonClass()}>
            Go to the start
          </Link>
        }
      >
        There is nothing at this address{where}, or you may not see it.
      </Empty>
    </main>
  )
}
