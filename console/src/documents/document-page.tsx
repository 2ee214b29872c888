/** One document: what it says, who moves next, what one can do now, and what has happened. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense, lazy, useState } from 'react'
import { useList, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { DateText, Money, Time, wordsOf } from '../design/format.tsx'
import { CopyText, Fact, Page, Panel, Refusal, Skeleton } from '../design/layout.tsx'
import { DocumentStatusMark, StatusMark } from '../design/status.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { Attachments } from './attachments.tsx'
import { partyOf, titleOf } from './document-names.ts'
import { documentQueryOf } from './filters.ts'
import { Lines } from './lines.tsx'
import { type Move, isPayable, issueRefusal, movesOf, payRefusal } from './moves.ts'
import { Timeline } from './timeline.tsx'

const MoveDialog = lazy(() => import('./move-dialog.tsx'))
const PayDialog = lazy(() => import('./pay-dialog.tsx'))
const IssueDialog = lazy(() => import('./issue-dialog.tsx'))
const route = getRouteApi('/o/$org/documents/$document')

type Opened = 'pay' | 'issue' | Move | null

const DocumentPage = () => {
  const { org, document: id } = route.useParams()
  const filters = route.useSearch()
  const read = useRead<DocumentRecord>(`/v1/documents/${id}`, {}, { refetchEveryMs: 10_000 })
  const [opened, setOpened] = useState<Opened>(null)
  const document = read.data
  const back = (
    <Link to="/o/$org/documents" params={{ org }} search={filters} className="hover:text-ink">
      Documents
    </Link>
  )
  if (document === undefined)
    return (
      <Page title="Document" back={back}>
        {read.error ? (
          <Refusal error={read.error} onRetry={() => void read.refetch()} />
        ) : (
          <Skeleton className="h-96" />
        )}
      </Page>
    )
  return (
    <Page
      title={titleOf(document)}
      aside={<DocumentStatusMark {...document} />}
      lead={<WhoIsNext document={document} />}
      back={
        <div className="flex items-center justify-between">
          {back}
          <Neighbours id={id} />
        </div>
      }
      actions={<Actions document={document} onOpen={setOpened} />}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
          <Lines document={document} />
          <Timeline document={document} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
          <Summary document={document} />
          <PaymentPanel document={document} />
          <Attachments document={document} />
        </div>
      </div>
      <Suspense fallback={null}>
        {opened === 'pay' && <PayDialog document={document} onClose={() => setOpened(null)} />}
        {opened === 'issue' && <IssueDialog document={document} onClose={() => setOpened(null)} />}
        {opened !== null && typeof opened === 'object' && (
          <MoveDialog document={document} move={opened} onClose={() => setOpened(null)} />
        )}
      </Suspense>
    </Page>
  )
}

export default DocumentPage

const WhoIsNext = ({ document }: { document: DocumentRecord }) => {
  const { data } = useRead<{ waiting_on: 'issuer' | 'counterparty' | 'none' }>(
    `/v1/documents/${document.id}/transitions`,
  )
  const other = partyOf(document)
  const direction = document.direction === 'issued' ? 'To' : 'From'
  const own = document.direction === 'issued' ? 'issuer' : 'counterparty'
  const next =
    data === undefined || data.waiting_on === 'none'
      ? ''
      : data.waiting_on === own
        ? ' · You move next.'
        : ` · ${other} moves next.`
  return (
    <>
      {direction} {other}
      {next}
    </>
  )
}

interface ActionsProps {
  document: DocumentRecord
  onOpen: (opened: Opened) => void
}

const Actions = ({ document, onOpen }: ActionsProps) => {
  const session = useSession()
  const { org } = route.useParams()
  const navigate = useNavigate()
  const moves = movesOf(document)
  const isDraft = document.status === 'draft'
  const canWrite = session.scopes.includes('documents:write')
  const pay =
    isPayable(document) && !isDraft ? { refusal: payRefusal(document, session) } : undefined
  const issue = isDraft ? { refusal: issueRefusal(document) } : undefined
  const edit = () =>
    void navigate({
      to: '/o/$org/documents/$document/edit',
      params: { org, document: document.id },
    })
  useShortcuts({
    ...Object.fromEntries(
      moves.flatMap((move) =>
        move.key !== undefined && move.refusal === undefined
          ? [[move.key, () => onOpen(move)]]
          : [],
      ),
    ),
    p: pay !== undefined && pay.refusal === undefined ? () => onOpen('pay') : undefined,
    i: issue !== undefined && issue.refusal === undefined ? () => onOpen('issue') : undefined,
    e: isDraft ? edit : undefined,
  })
  const roleRefusal = canWrite ? undefined : 'Your role reads documents and does not change them.'
  const isPrimary = ({ to, refusal }: Move) =>
    refusal === undefined &&
    ['approved', 'accepted'].includes(to) &&
    document.status !== 'payment_scheduled'
  return (
    <>
      {isDraft && (
        <Link
          to="/o/$org/documents/$document/edit"
          params={{ org, document: document.id }}
          className={buttonClass()}
        >
          Edit
        </Link>
      )}
      {moves
        .toSorted((a, b) => Number(a.refusal === undefined) - Number(b.refusal === undefined))
        .filter((move) => !isPrimary(move))
        .map((move) => (
          <Button
            key={move.to}
            disabledReason={move.refusal ?? roleRefusal}
            onClick={() => onOpen(move)}
          >
            {move.verb}
          </Button>
        ))}
      {moves.filter(isPrimary).map((move) => (
        <Button
          key={move.to}
          kind="primary"
          disabledReason={roleRefusal}
          {...(move.key === undefined ? {} : { shortcut: move.key })}
          onClick={() => onOpen(move)}
        >
          {move.verb}
        </Button>
      ))}
      {pay && (
        <Button
          kind="primary"
          shortcut="p"
          disabledReason={pay.refusal}
          onClick={() => onOpen('pay')}
        >
          Pay…
        </Button>
      )}
      {issue && (
        <Button
          kind="primary"
          shortcut="i"
          disabledReason={issue.refusal ?? roleRefusal}
          onClick={() => onOpen('issue')}
        >
          Issue…
        </Button>
      )}
    </>
  )
}

/** The next and previous document of the list that one came from. */
const Neighbours = ({ id }: { id: string }) => {
  const { org } = route.useParams()
  const filters = route.useSearch()
  const navigate = useNavigate()
  const { rows = [] } = useList<DocumentRecord>('/v1/documents', documentQueryOf(filters))
  const at = rows.findIndex((row) => row.id === id)
  const open = (row: DocumentRecord | undefined) => {
    if (row !== undefined)
      void navigate({
        to: '/o/$org/documents/$document',
        params: { org, document: row.id },
        search: filters,
      })
  }
  const next = at === -1 ? undefined : rows[at + 1]
  const previous = at === -1 ? undefined : rows[at - 1]
  useShortcuts({ j: () => open(next), k: () => open(previous) })
  if (at === -1) return null
  return (
    <span data-print="no" className="flex items-center gap-1">
      <span className="tabular">
        {at + 1} of {rows.length}
      </span>
      <Button
        kind="quiet"
        shortcut="k"
        disabledReason={previous ? undefined : 'This is the first one.'}
        onClick={() => open(previous)}
      >
        Previous
      </Button>
      <Button
        kind="quiet"
        shortcut="j"
        disabledReason={next ? undefined : 'This is the last one that is loaded.'}
        onClick={() => open(next)}
      >
        Next
      </Button>
    </span>
  )
}

const Summary = ({ document }: { document: DocumentRecord }) => {
  const { org } = route.useParams()
  const { currency } = document
  return (
    <Panel>
      <div className="border-b border-line px-4 py-3">
        <p className="text-sm text-muted">{document.balance_due > 0 ? 'Open balance' : 'Total'}</p>
        <p className="tabular text-2xl font-semibold tracking-tight">
          <Money
            amount={document.balance_due > 0 ? document.balance_due : document.total}
            currency={currency}
          />
        </p>
      </div>
      <dl className="px-4 py-2">
        <Fact term="Dated">
          <DateText date={document.document_date} />
        </Fact>
        {document.due_date && (
          <Fact term="Due">
            <DateText date={document.due_date} />
          </Fact>
        )}
        {document.valid_until && (
          <Fact term="Valid until">
            <DateText date={document.valid_until} />
          </Fact>
        )}
        {document.payment_terms && <Fact term="Terms">{document.payment_terms}</Fact>}
        {document.early_payment && (
          <Fact term="Discount">
            {document.early_payment.percent} % until{' '}
            <DateText date={document.early_payment.until} />
          </Fact>
        )}
        {document.issuer_number !== document.number && document.issuer_number && (
          <Fact term="Their number">{document.issuer_number}</Fact>
        )}
        {Object.entries(document.external_refs).map(([name, value]) => (
          <Fact key={name} term={wordsOf(name)}>
            {value}
          </Fact>
        ))}
        {document.references.map(({ rel, document_id }) => (
          <Fact key={rel + document_id} term={wordsOf(rel)}>
            <Link
              to="/o/$org/documents/$document"
              params={{ org, document: document_id }}
              className="text-accent underline"
            >
              Open
            </Link>
          </Fact>
        ))}
        <Fact term="Made by">{document.origin === 'api' ? 'A key' : 'A person'}</Fact>
        <Fact term="Revision">{document.revision}</Fact>
      </dl>
      <div className="border-t border-line px-4 py-2.5">
        <CopyText text={document.id} label="the id" />
      </div>
    </Panel>
  )
}

const PaymentPanel = ({ document }: { document: DocumentRecord }) => {
  const { org } = route.useParams()
  const { payment, currency } = document
  if (payment === null) return null
  return (
    <Panel title="Payment" aside={<StatusMark status={payment.status} />}>
      <dl className="px-4 py-2">
        <Fact term="Amount">
          <Money amount={payment.amount} currency={currency} />
        </Fact>
        <Fact term="Method">{payment.method.toUpperCase()}</Fact>
        {payment.scheduled_for && (
          <Fact term="On">
            <DateText date={payment.scheduled_for} />
          </Fact>
        )}
        {payment.settled_at && (
          <Fact term="Settled">
            <Time at={payment.settled_at} />
          </Fact>
        )}
        {payment.settlement_reference && (
          <Fact term="Reference">
            <span className="break-all">{payment.settlement_reference}</span>
          </Fact>
        )}
      </dl>
      {payment.failure && (
        <p className="border-t border-line px-4 py-2.5 text-red">{payment.failure.message}</p>
      )}
      <p className="border-t border-line px-4 py-2.5">
        <Link to="/o/$org/payments" params={{ org }} className="text-accent">
          All payments
        </Link>
      </p>
    </Panel>
  )
}
