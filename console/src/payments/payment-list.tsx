/** Payments of both directions, newest first. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { currencies } from '../../../src/contract/currencies.ts'
import { useIsPayable } from '../api/document-numbers.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import type { Payment, Page as Rows } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { DownloadButton } from '../design/download-button.tsx'
import { DayRange } from '../design/day-range.tsx'
import { DocumentNumber } from '../design/document-number.tsx'
import { DateText, Money, Time, methodText, wordsOf } from '../design/format.tsx'
import { Choice, ListPage } from '../design/list-page.tsx'
import { Page } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'
import { PartyName } from '../design/party-name.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { StatusMark } from '../design/status.tsx'
import { BelowOnNarrow, type Column } from '../design/table.tsx'
import { useMissing } from './missing.ts'
import { decisionOf, verbOf } from './payment-action.ts'
import { paymentWords } from './payment-words.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const RequestedAction = lazyPart(() => import('../documents/requested-action.tsx'))
const MissingProcessor = lazyPart(() => import('./missing-processor.tsx'), { height: 'h-28' })
const route = getRouteApi('/o/$org/payments')

const statuses = ['scheduled', 'processing', 'settled', 'failed', 'returned', 'cancelled']
const options = (names: readonly string[]) => names.map((name) => [name, wordsOf(name)] as const)

const PaymentList = () => {
  const isImpossible = useMissing()?.isProcessorMissing === true
  const first = useRead<Rows<Payment>>('/v1/payments', { limit: 1 }, { isEnabled: isImpossible })
  // An empty list would say how a payment comes into it, which is not possible.
  if (isImpossible && !first.data?.data.length && first.error === null) return <ImpossiblePage />
  return <List isImpossible={isImpossible} />
}

const ImpossiblePage = () => (
  <Page title="Payments" lead={lead} actions={<CalendarLink />}>
    <MissingProcessor />
  </Page>
)

const CalendarLink = () => (
  <Link
    to="/o/$org/payments"
    params={{ org: route.useParams().org }}
    search={{ view: 'calendar' }}
    className={buttonClass()}
  >
    Calendar
  </Link>
)

const lead =
  'What you pay and what you are paid. A failed payment makes its document payable again.'

const List = ({ isImpossible }: { isImpossible: boolean }) => {
  const { org } = route.useParams()
  const { view: _, month: __, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const [acted, setActed] = useState<Payment | null>(null)
  const refusal = useScopeRefusal('documents:write', 'payments:write')
  const narrow = (more: typeof filters) =>
    void navigate({ to: '/o/$org/payments', params: { org }, search: { ...filters, ...more } })
  return (
    <ListPage<Payment>
      title="Payments"
      lead={lead}
      actions={
        <>
          <CalendarLink />
          <DownloadButton path="/v1/payments.csv" query={filters} filename="payments.csv">
            Download CSV
          </DownloadButton>
        </>
      }
      filters={
        <>
          <Choice
            label="Direction"
            value={filters.direction}
            options={options(['outgoing', 'incoming'])}
            onChoose={(direction) => narrow({ direction })}
          />
          <Choice
            label="State"
            value={filters.status}
            options={options(statuses)}
            onChoose={(status) => narrow({ status })}
          />
          <Choice
            label="Currency"
            value={filters.currency}
            options={currencies.map((name) => [name, name])}
            onChoose={(currency) => narrow({ currency })}
          />
          <DayRange
            label="Settled"
            from={filters.settled_from}
            until={filters.settled_to}
            onFrom={(day) => narrow({ settled_from: day || undefined })}
            onUntil={(day) => narrow({ settled_to: day || undefined })}
          />
          <SavedViews list="payments" to="/o/$org/payments" filters={filters} />
        </>
      }
      caption="Payments, newest first"
      path="/v1/payments"
      query={filters}
      columns={[...columnsOf(org), actionColumn(refusal, setActed)]}
      rowKey={({ id }) => id}
      onOpen={({ document_id: document }) =>
        void navigate({ to: '/o/$org/documents/$document', params: { org, document }, search: {} })
      }
      empty={{
        title: 'No payments',
        text: 'Approve a bill and pay it: the payment appears here at once, for both sides.',
      }}
    >
      {isImpossible && <MissingProcessor className="mb-6" />}
      {acted && (
        <RequestedAction
          id={acted.document_id}
          title="Payment"
          decide={decisionOf(acted)}
          onClose={() => setActed(null)}
        />
      )}
    </ListPage>
  )
}

export default PaymentList

const columnsOf = (org: string): Column<Payment>[] => [
  {
    title: 'Payment',
    className: 'roomy:min-w-40',
    cell: (payment) => (
      <>
        <Link
          to="/o/$org/documents/$document"
          params={{ org, document: payment.document_id }}
          search={{}}
          className="font-medium"
        >
          {payment.direction === 'outgoing' ? 'To ' : 'From '}
          <PartyName connection={payment.connection_id} />
        </Link>
        <span className="block text-sm text-muted">
          <DocumentNumber id={payment.document_id} />
          {payment.kind !== 'document_payment' && ` · ${paymentWords[payment.kind]}`}
        </span>
        <span className="block text-sm text-muted roomy:hidden [&_time]:whitespace-normal">
          <When payment={payment} />
        </span>
        {payment.failure && (
          <span className="block text-sm text-red @min-[60rem]:hidden">
            {payment.failure.message}
          </span>
        )}
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Method', isWide: true, cell: ({ method }) => methodText(method) },
  { title: 'When', isWide: true, cell: (payment) => <When payment={payment} /> },
  {
    title: 'Reference',
    isWide: true,
    className: '@max-[60rem]:hidden max-w-[11.25rem] truncate text-muted',
    cell: ({ failure, settlement_reference }) =>
      // A reference may be cut, but not the reason.
      failure ? <span className="whitespace-normal">{failure.message}</span> : settlement_reference,
  },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amount, currency, direction, status }) => (
      <>
        <span className={direction === 'incoming' ? 'text-green' : ''}>
          <Money
            amount={direction === 'incoming' ? amount : -amount}
            currency={currency}
            isSigned
          />
        </span>
        <BelowOnNarrow>
          <StatusMark status={status} />
        </BelowOnNarrow>
      </>
    ),
  },
]

const actionColumn = (
  refusal: string | undefined,
  onAction: (payment: Payment) => void,
): Column<Payment> => ({
  title: 'Actions',
  align: 'right',
  cell: (payment) => <ActionButton payment={payment} refusal={refusal} onAction={onAction} />,
})

interface ActionButtonProps {
  payment: Payment
  refusal: string | undefined
  onAction: (payment: Payment) => void
}

const ActionButton = ({ payment, refusal, onAction }: ActionButtonProps) => {
  const verb = verbOf(payment, useIsPayable(payment.document_id))
  if (verb === undefined) return null
  return (
    <Button
      aria-label={`${verb}: ${moneyText(payment.amount, payment.currency)}`}
      disabledReason={refusal}
      onClick={() => onAction(payment)}
    >
      {`${verb}…`}
    </Button>
  )
}

const When = ({ payment }: { payment: Payment }) =>
  payment.status === 'scheduled' ? (
    <DateText date={payment.scheduled_for} />
  ) : (
    <Time at={payment.settled_at ?? payment.updated_at} />
  )
