/** Loans: what is asked for, what is offered, and what has been agreed. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { Suspense, lazy, useState } from 'react'
import { useRead } from '../api/reads.ts'
import type {
  FinanceAgreement,
  FinanceListing,
  FinanceOffer,
  FinanceSetup,
  LoanTerms,
} from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { DateText, Money, wordsOf } from '../design/format.tsx'
import { ListPanel } from '../design/list-page.tsx'
import { Page, Panel, Refusal } from '../design/layout.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'

const OfferDialog = lazy(() => import('./offer-dialog.tsx'))
const route = getRouteApi('/o/$org/finance')

const FinancePage = () => {
  const { org } = route.useParams()
  const setup = useRead<FinanceSetup>('/v1/finance/setup')
  const [offer, setOffer] = useState<FinanceOffer | null>(null)
  return (
    <Page
      title="Finance"
      lead="Borrow against an approved invoice, or lend to a connected organization. The repayment is swept when the invoice is paid."
    >
      {setup.error && <Refusal error={setup.error} />}
      {setup.data && <Eligibility setup={setup.data} />}
      {!setup.error && (
        <div className="grid gap-6">
          <ListPanel<FinanceAgreement>
            title="Agreements"
            path="/v1/finance/agreements"
            columns={agreementColumns(org)}
            rowKey={({ id }) => id}
            empty={{
              title: 'No agreements',
              text: 'An accepted offer becomes an agreement with three documents.',
            }}
          />
          <ListPanel<FinanceOffer>
            title="Offers"
            path="/v1/finance/offers"
            columns={offerColumns(setOffer)}
            rowKey={({ id }) => id}
            onOpen={setOffer}
            empty={{
              title: 'No offers',
              text: 'Lenders offer at the ask of a listing, or counter it.',
            }}
          />
          <ListPanel<FinanceListing>
            title="Listings"
            path="/v1/finance/listings"
            columns={listingColumns}
            rowKey={({ id }) => id}
            empty={{
              title: 'No listings',
              text: 'List an approved invoice with the loan that you ask for.',
            }}
          />
        </div>
      )}
      <Suspense fallback={null}>
        {offer && <OfferDialog offer={offer} onClose={() => setOffer(null)} />}
      </Suspense>
    </Page>
  )
}

export default FinancePage

const Eligibility = ({ setup }: { setup: FinanceSetup }) =>
  setup.blockers.length === 0 ? null : (
    <p className="mb-6 rounded-md border border-line bg-amber-tint px-4 py-3 text-amber">
      Missing before you can borrow or lend:{' '}
      {setup.blockers.map((name) => wordsOf(name).toLowerCase()).join(', ')}.
    </p>
  )

const termsText = ({ fee, grace_days }: LoanTerms): string => {
  const price = fee.type === 'bps' ? `${fee.value / 100} %` : `${fee.value} flat`
  return `${price}, ${grace_days} days of grace`
}

const Principal = ({ terms }: { terms: LoanTerms }) => (
  <Money amount={terms.principal} currency={terms.currency} />
)

const agreementColumns = (org: string): Column<FinanceAgreement>[] => [
  {
    title: 'Agreement',
    cell: ({ documents, role }) => (
      <Link
        to="/o/$org/documents/$document"
        params={{ org, document: documents.agreement_id }}
        search={{}}
        className="font-medium"
      >
        {role === 'borrower' ? 'You borrowed' : 'You lent'}
      </Link>
    ),
  },
  {
    title: 'State',
    cell: ({ status, flag }) => (
      <>
        <StatusMark status={status} />
        {flag && flag.cured_at === null && (
          <span className="block text-sm text-red">{wordsOf(flag.code)}</span>
        )}
      </>
    ),
  },
  { title: 'Terms', isWide: true, cell: ({ terms }) => termsText(terms) },
  { title: 'Due', isWide: true, cell: ({ terms }) => <DateText date={terms.due_date} /> },
  {
    title: 'Repayment',
    isWide: true,
    cell: ({ documents }) => (
      <Link
        to="/o/$org/documents/$document"
        params={{ org, document: documents.repayment_id }}
        search={{}}
        className="text-accent"
      >
        Open
      </Link>
    ),
  },
  {
    title: 'Owed',
    align: 'right',
    cell: ({ amount_owed, terms }) => <Money amount={amount_owed} currency={terms.currency} />,
  },
]

const offerColumns = (open: (offer: FinanceOffer) => void): Column<FinanceOffer>[] => [
  {
    title: 'Offer',
    cell: (offer) => (
      <button type="button" className="text-left font-medium" onClick={() => open(offer)}>
        {offer.role === 'borrower' ? `From ${offer.lender.name}` : `To ${offer.borrower.name}`}
      </button>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Terms', isWide: true, cell: ({ terms }) => termsText(terms) },
  {
    title: 'A year costs',
    isWide: true,
    align: 'right',
    cell: ({ disclosure }) => `${(disclosure.annualized_cost * 100).toFixed(2)} %`,
  },
  { title: 'Principal', align: 'right', cell: ({ terms }) => <Principal terms={terms} /> },
  {
    title: 'Decide',
    align: 'right',
    cell: (offer) => offer.status === 'open' && <Button onClick={() => open(offer)}>Review</Button>,
  },
]

const listingColumns: Column<FinanceListing>[] = [
  {
    title: 'Listing',
    cell: ({ role, borrower }) => (
      <span className="font-medium">{role === 'borrower' ? 'Yours' : borrower.name}</span>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Asks', isWide: true, cell: ({ terms }) => termsText(terms) },
  {
    title: 'Invoice due',
    isWide: true,
    cell: ({ collateral }) => <DateText date={collateral.due_date} />,
  },
  {
    title: 'Invoice',
    align: 'right',
    isWide: true,
    cell: ({ collateral }) => (
      <Money amount={collateral.balance_due} currency={collateral.currency} />
    ),
  },
  { title: 'Principal', align: 'right', cell: ({ terms }) => <Principal terms={terms} /> },
]
