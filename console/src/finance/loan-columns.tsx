/** The columns of agreements, offers and listings. */
import type { FinanceAgreement, FinanceListing, FinanceOffer } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { DocumentNumber } from '../design/document-number.tsx'
import { DateText, Money, wordsOf } from '../design/format.tsx'
import { PartyName } from '../design/party-name.tsx'
import { StatusMark } from '../design/status.tsx'
import { BelowOnNarrow, type Column } from '../design/table.tsx'
import { yearlyText } from './disclosure.tsx'
import { invoiceNumberOf } from './invoice-number.ts'
import { Principal, termsText } from './terms.tsx'

export const agreementColumns = (
  open: (agreement: FinanceAgreement) => void,
): Column<FinanceAgreement>[] => [
  {
    title: 'Agreement',
    cell: (agreement) => (
      <>
        <button type="button" className="text-left font-medium" onClick={() => open(agreement)}>
          {agreement.role === 'borrower' ? 'You borrowed from ' : 'You lent to '}
          <PartyName connection={agreement.connection_id} />
        </button>
        <InvoiceNumber id={agreement.pledged_document_id} />
        <span className="block text-sm text-muted roomy:hidden">
          due <DateText date={agreement.terms.due_date} />
        </span>
      </>
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
    title: 'Repaid',
    isWide: true,
    align: 'right',
    cell: ({ amount_repaid, terms }) => <Money amount={amount_repaid} currency={terms.currency} />,
  },
  {
    title: 'Owed',
    align: 'right',
    cell: ({ amount_owed, terms }) => <Money amount={amount_owed} currency={terms.currency} />,
  },
]

/** Of what secures the loan, which the borrower alone knows by its number. */
const InvoiceNumber = ({ id }: { id: string | undefined }) =>
  id !== undefined && (
    <span className="block text-sm text-muted">
      <DocumentNumber id={id} />
    </span>
  )

/** What one could act upon has its button beside it, also on a narrow screen. */
const principalAndState = ({ terms, status }: FinanceOffer | FinanceListing) => (
  <>
    <Principal terms={terms} />
    <BelowOnNarrow>
      <StatusMark status={status} />
    </BelowOnNarrow>
  </>
)

export const offerColumns = (open: (offer: FinanceOffer) => void): Column<FinanceOffer>[] => [
  {
    title: 'Offer',
    cell: (offer) => (
      <>
        <button type="button" className="text-left font-medium" onClick={() => open(offer)}>
          {offer.role === 'borrower' ? 'From ' : 'To '}
          <bdi>{offer.role === 'borrower' ? offer.lender.name : offer.borrower.name}</bdi>
        </button>
        <span className="block text-sm text-muted">{invoiceNumberOf(offer)}</span>
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Terms', isWide: true, cell: ({ terms }) => termsText(terms) },
  { title: 'Annual rate', isWide: true, align: 'right', cell: yearlyText },
  { title: 'Principal', align: 'right', cell: principalAndState },
  {
    title: 'Actions',
    align: 'right',
    cell: (offer) =>
      offer.status === 'open' && (
        <Button aria-label={`Review the offer of ${offer.lender.name}`} onClick={() => open(offer)}>
          Review
        </Button>
      ),
  },
]

export const listingColumns = (
  open: (listing: FinanceListing) => void,
): Column<FinanceListing>[] => [
  {
    title: 'Listing',
    cell: ({ role, borrower, document_id }) => (
      <>
        <bdi className="font-medium">{role === 'borrower' ? 'Yours' : borrower.name}</bdi>
        <InvoiceNumber id={document_id} />
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
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
  { title: 'Principal', align: 'right', cell: principalAndState },
  {
    title: 'Actions',
    align: 'right',
    cell: (listing) =>
      listing.status === 'open' && (
        <Button onClick={() => open(listing)}>
          {listing.role === 'lender' ? 'Offer…' : 'Withdraw…'}
        </Button>
      ),
  },
]
