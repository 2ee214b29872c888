/** The frame of a page: its title, its regions, and what they say when there is nothing to show. */
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { ApiError, problemText } from '../api/call.ts'
import { useSession } from '../api/session.ts'
import { announce } from './announcements.tsx'
import { Button } from './button.tsx'
import { Sentence } from './format.tsx'
import { Icon } from './icon.tsx'
import { copyText } from './copy-text.ts'
import { OfferedMoves } from './offered-moves.ts'
import { lazyPart } from './lazy-part.tsx'
import { useOtherProblems } from './form-problems.ts'
import { Skeleton } from './skeleton.tsx'
import { focusRowOfReturn, useArrival, useWayBack } from './way-back.ts'

const WaitsForApproval = lazyPart(() => import('./waits-for-approval.tsx'), { height: 'h-32' })
const StepUp = lazyPart(() => import('./step-up.tsx'), { height: 'h-24' })
const Unavailable = lazyPart(() => import('./unavailable.tsx'), { height: 'h-32' })
const RateLimited = lazyPart(() => import('./rate-limited.tsx'), { height: 'h-24' })
const IntegrityFailure = lazyPart(() => import('./integrity-failure.tsx'), { height: 'h-32' })

/** Nothing went wrong: the role, the organization or the service does not include it. */
const unavailableCodes = ['insufficient_scope', 'not_enabled', 'capability_unavailable']

interface PageProps {
  title: string
  /** Beside the title: a state, or a count. */
  aside?: ReactNode
  /** What the page is for, in one line. */
  lead?: ReactNode
  actions?: ReactNode
  /** Where one came from. */
  back?: ReactNode
  children: ReactNode
}

export const Page = ({ title, aside, lead, actions, back, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const { organization } = useSession()
  const wayBack = useWayBack()
  useEffect(() => {
    const prefix = organization.mode === 'sandbox' ? '[SANDBOX] ' : ''
    document.title = `${prefix}${title} · ${organization.name}`
  }, [title, organization])
  // A new page is announced, and the next Tab begins in it, or in the row that one returns to.
  useArrival(() => {
    if (focusRowOfReturn()) announce(title)
    else heading.current?.focus({ preventScroll: true })
  })
  return (
    <div className="in-turn @container mx-auto w-full max-w-[75rem] px-4 pt-6 pb-16 md:px-8">
      {back && (
        <div {...wayBack} className="mb-2 text-sm text-muted">
          {back}
        </div>
      )}
      <header className="mb-6 flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold wrap-anywhere">
              <Sentence text={title} />
            </h1>
            {aside}
          </div>
          {lead && (
            <p className="mt-1 max-w-[80ch] text-balance wrap-anywhere text-muted">{lead}</p>
          )}
        </div>
        {actions && (
          <div data-print="no" className="flex flex-wrap gap-2">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  )
}

interface PanelProps {
  title?: string
  /** How many there are, beside the title. */
  count?: string | undefined
  aside?: ReactNode
  children: ReactNode
  className?: string
}

/** A region of a page. */
export const Panel = ({ title, count, aside, children, className = '' }: PanelProps) => (
  <section aria-label={title} className={`rounded-lg border border-line bg-paper ${className}`}>
    {title && (
      <header className="flex min-h-11 items-center justify-between gap-3 border-b border-line px-4 py-1.5">
        <h2 className="font-semibold">
          {title}
          {count !== undefined && <span className="ml-2 font-normal text-muted">{count}</span>}
        </h2>
        {aside}
      </header>
    )}
    {children}
  </section>
)

interface EmptyProps {
  title: string
  children: ReactNode
  actions?: ReactNode
  /** In a region among others. */
  isSmall?: boolean
}

/** Says what would be here, and how it gets there. */
export const Empty = ({ title, children, actions, isSmall = false }: EmptyProps) => (
  <div className={isSmall ? 'px-4 py-3' : 'mx-auto max-w-[52ch] px-6 py-12 text-center'}>
    <p className={isSmall ? 'font-medium' : 'text-lg font-semibold'}>{title}</p>
    <div className={`text-muted ${isSmall ? 'text-pretty' : 'mt-1.5 text-balance'}`}>
      {children}
    </div>
    {actions && (
      <div className={`flex flex-wrap gap-2 ${isSmall ? 'mt-3' : 'mt-5 justify-center'}`}>
        {actions}
      </div>
    )}
  </div>
)

export const Command = ({ children }: { children: string }) => (
  <pre className="mt-3 first:mt-0 overflow-x-auto rounded-md border border-line bg-canvas p-3 text-left font-mono text-xs whitespace-pre-wrap break-all text-ink">
    {children}
  </pre>
)

interface RefusalProps {
  error: Error
  onRetry?: (() => void) | undefined
}

/** What the service refused, in its own words, and how to ask about it. */
export const Refusal = ({ error, onRetry }: RefusalProps) => {
  const refusal = error instanceof ApiError ? error : undefined
  if (refusal?.approval !== undefined) return <WaitsForApproval approval={refusal.approval} />
  if (refusal?.isAboutSignIn === true) return <StepUp reason={refusal.reason!} onProven={onRetry} />
  if (refusal?.code === 'rate_limited') return <RateLimited error={refusal} onRetry={onRetry} />
  if (refusal?.code === 'integrity_failure') return <IntegrityFailure error={refusal} />
  if (refusal !== undefined && unavailableCodes.includes(refusal.code))
    return <Unavailable error={refusal} />
  return <Plain error={error} onRetry={onRetry} />
}

/** What a form shows at its fields is not said again. */
const Plain = ({ error, onRetry }: RefusalProps) => {
  const refusal = error instanceof ApiError ? error : undefined
  const others = useOtherProblems(refusal)
  const offer = useContext(OfferedMoves)
  const marked = (refusal?.problems.length ?? 0) - others.length
  const [first, ...further] =
    marked === 0
      ? [refusal?.explanation ?? error.message, ...others.slice(1).map(({ message }) => message)]
      : [markedText(marked), ...others.map(problemText)]
  return (
    <div role="alert" className="flex gap-3 rounded-md border border-line bg-red-tint p-4">
      <Icon name="warning" className="mt-0.5 text-red" />
      <div className="min-w-0">
        <p className="font-medium break-words">{first}</p>
        {further.length > 0 && (
          <ul className="mt-1 list-disc pl-4 text-sm">
            {further.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          {refusal?.docsUrl ? (
            <a
              className="underline"
              href={new URL(refusal.docsUrl).pathname + new URL(refusal.docsUrl).hash}
            >
              {refusal.code}
            </a>
          ) : (
            refusal?.code
          )}
          {refusal?.requestId && <CopyText text={refusal.requestId} label="the request id" />}
        </p>
        <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
          {onRetry && (
            <Button icon="refresh" onClick={onRetry}>
              Try again
            </Button>
          )}
          {refusal !== undefined && offer(refusal)}
        </div>
      </div>
    </div>
  )
}

const markedText = (count: number): string =>
  count === 1 ? 'Correct the marked field.' : `Correct the ${count} marked fields.`

interface Loaded<Body> {
  data: Body | undefined
  error: Error | null
  refetch: () => unknown
}

/** A region that shows its data, a skeleton of it, or why there is none. */
export function Region<Body>(props: {
  read: Loaded<Body>
  skeleton?: string
  children: (body: Body) => ReactNode
}) {
  const { data, error, refetch } = props.read
  if (data !== undefined) return props.children(data)
  if (error === null) return <Skeleton className={props.skeleton ?? 'h-32'} />
  return <Refusal error={error} onRetry={() => void refetch()} />
}

/** A term and its value, in a list of them. */
export const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <div className="flex min-w-0 justify-between gap-4 py-1.5">
    <dt className="shrink-0 text-muted">{term}</dt>
    <dd className="min-w-0 text-right break-words">{children}</dd>
  </div>
)

interface CopyTextProps {
  text: string
  label: string
  /** Instead of the text. */
  shown?: string
}

export const CopyText = ({ text, label, shown = text }: CopyTextProps) => (
  <button
    type="button"
    aria-label={`Copy ${label}`}
    title={`Copy ${label}`}
    className="inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-sm text-sm text-muted hover:text-ink"
    onClick={() => void copyText(text, `Copied ${label}`)}
  >
    <span className={`truncate ${shown === text ? 'font-mono text-xs' : ''}`}>{shown}</span>
    <Icon name="copy" className="size-3.5" />
  </button>
)
