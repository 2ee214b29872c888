/** What needs the person now. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { isAdmin } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import { DocumentLine } from '../documents/document-line.tsx'
import { viewTexts } from '../documents/view-texts.ts'
import { Ageing } from './ageing.tsx'
import { FirstSteps, endSteps, haveStepsEnded, useSteps } from './first-steps.tsx'
import { useFirstOf, useIsLarge } from './inbox-reads.ts'
import { useIsNew } from './newcomer.ts'
import { ShownTogether } from './shown-together.tsx'
import { Warnings } from './warnings.tsx'
import { Button } from '../design/button.tsx'
import { DateText } from '../design/format.tsx'
import { useInView } from '../design/in-view.ts'
import { Page, Panel, Region } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { Skeleton } from '../design/skeleton.tsx'

/** Not there before the first steps are over, and further down. */
const CashFlow = lazyPart(() => import('./cash-flow.tsx'), { height: 'h-64' })
/** Only whoever scrolls there sees them. */
const States = lazyPart(() => import('./states.tsx'), { height: 'h-64' })
const route = getRouteApi('/o/$org/')

const HomePage = () => {
  const session = useSession()
  const { organization, user } = session
  const [hasEnded, setHasEnded] = useState(haveStepsEnded(organization.id))
  const [areStepsKnown, setAreStepsKnown] = useState(false)
  const hasSteps = isAdmin(session) && !hasEnded
  const end = () => {
    endSteps(organization.id)
    setHasEnded(true)
  }
  return (
    <Page
      title={`Good ${dayPart()}, ${user.name.split(' ')[0]}`}
      lead={`What needs your attention at ${organization.name}.`}
    >
      <ShownTogether
        isReady={!hasSteps || areStepsKnown}
        isAwaited={(path) => !isStatistic(path)}
        skeleton={<Skeleton className="h-96" />}
      >
        <Warnings hasSteps={hasSteps} />
        {hasSteps ? (
          <WithSteps onKnown={() => setAreStepsKnown(true)} onEnd={end} />
        ) : (
          <Work hasCharts />
        )}
      </ShownTogether>
    </Page>
  )
}

export default HomePage

const isStatistic = (path: string): boolean => path === '/v1/statistics'

interface WithStepsProps {
  onKnown: () => void
  onEnd: () => void
}

/** Until the steps are over, they take the room of the charts. */
const WithSteps = ({ onKnown, onEnd }: WithStepsProps) => {
  const steps = useSteps()
  const areKnown = steps !== undefined
  useEffect(() => {
    if (areKnown) onKnown()
  }, [areKnown])
  const isNew = useIsNew()
  const isOver = steps?.every(({ isDone }) => isDone) === true
  useEffect(() => {
    if (isOver) onEnd()
  }, [isOver])
  // The work keeps its place, so that what it has begun to read is not read again.
  return (
    <>
      {areKnown && <FirstSteps steps={steps} onEnd={onEnd} />}
      {(!areKnown || isNew === false) && <Work hasCharts={false} />}
    </>
  )
}

/** What waits, and what is owed. Charts of nothing are left out. */
const Work = ({ hasCharts }: { hasCharts: boolean }) => {
  const isNew = useIsNew()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 @lg:grid-cols-[minmax(0,1fr)_25rem]">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Inbox view="approve" empty={viewTexts['approve']!.empty} />
        <Inbox view="pay" empty={viewTexts['pay']!.empty} />
        <DisputesAndDrafts />
        {isNew === false && hasCharts && (
          <InView what="the cash flow">
            <CashFlow />
          </InView>
        )}
      </div>
      {isNew === false && (
        <ShownTogether isAwaited={isStatistic} skeleton={<Skeleton className="h-80" />}>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Ageing />
            {hasCharts && (
              <InView what="documents by state" waitsForPerson>
                <States />
              </InView>
            )}
          </div>
        </ShownTogether>
      )}
    </div>
  )
}

/** Of much, these are read once somebody is there: what to approve and to pay comes first. */
const DisputesAndDrafts = () => {
  const inboxes = (
    <>
      <Inbox view="disputed" empty={viewTexts['disputed']!.empty} />
      <Inbox view="drafts" empty="No draft waits to be issued." />
    </>
  )
  return useIsLarge() ? <InView what="disputes and drafts">{inboxes}</InView> : inboxes
}

interface InViewProps {
  what: string
  waitsForPerson?: boolean
  children: ReactNode
}

/** What is further down is read when it is looked at, and of much only once somebody is there. */
const InView = ({ what, waitsForPerson = false, children }: InViewProps) => {
  const isLarge = useIsLarge()
  const [element, isDue, show] = useInView(waitsForPerson || isLarge)
  return (
    <div ref={element} className={isDue ? 'grid grid-cols-[minmax(0,1fr)] gap-6' : 'min-h-64'}>
      {isDue ? children : <Button onClick={show}>Show {what}</Button>}
    </div>
  )
}

const dayPart = (): string => {
  const hour = new Date().getHours()
  if (hour < 12) return 'morning'
  return hour < 18 ? 'afternoon' : 'evening'
}

const shown = 5

const countOf = ({ data, has_more }: { data: readonly unknown[]; has_more: boolean }): string =>
  has_more ? `${data.length}+` : String(data.length)

/** An empty one is a line, so that the room of the page goes to what waits. */
const Inbox = ({ view, empty }: { view: string; empty: ReactNode }) => {
  const { org } = route.useParams()
  const { title } = viewTexts[view]!
  const read = useFirstOf(view, shown)
  return (
    <Panel
      title={title}
      count={read.data && countOf(read.data)}
      aside={
        <Link
          to="/o/$org/documents"
          params={{ org }}
          search={{ view }}
          className="text-sm text-accent"
        >
          Show all
        </Link>
      }
    >
      <Region read={read} skeleton="m-4 h-24">
        {({ data }) =>
          data.length === 0 ? (
            <p className="px-4 py-3 text-muted">{empty}</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((document) => (
                <li key={document.id}>
                  <DocumentLine document={document} org={org} filters={{ view }}>
                    {document.due_date && (
                      <span className={document.overdue ? 'text-red' : 'text-muted'}>
                        due <DateText date={document.due_date} />
                      </span>
                    )}
                  </DocumentLine>
                </li>
              ))}
            </ul>
          )
        }
      </Region>
    </Panel>
  )
}
