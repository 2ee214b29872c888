/** Loans: what is asked for, what is offered, and what has been agreed. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { FinanceAgreement, FinanceListing, FinanceOffer, FinanceSetup } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { blockerText } from '../design/blocker-text.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { ListPanel } from '../design/list-page.tsx'
import { Page, Panel, Refusal } from '../design/layout.tsx'
import { CompareOffers } from './compare-offers.tsx'
import { LoanSums } from './loan-sums.tsx'
import { agreementColumns, listingColumns, offerColumns } from './loan-columns.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const AskDialog = lazyPart(() => import('./ask-dialog.tsx'))
const LendDialog = lazyPart(() => import('./lend-dialog.tsx'))
const OfferDialog = lazyPart(() => import('./offer-dialog.tsx'))
const AgreementDialog = lazyPart(() => import('./agreement-dialog.tsx'))
const EndListingDialog = lazyPart(() => import('./end-listing-dialog.tsx'))

const route = getRouteApi('/o/$org/finance')

type Opened =
  | { kind: 'ask' }
  | { kind: 'listing'; listing: FinanceListing }
  | { kind: 'offer'; offer: FinanceOffer }
  | { kind: 'agreement'; id: string }
  | null

const FinancePage = () => {
  const setup = useRead<FinanceSetup>('/v1/finance/setup')
  const [opened, setOpened] = useState<Opened>(null)
  const mayAsk = useScopeRefusal('documents:write')
  const ask = (
    <Button
      kind="primary"
      icon="plus"
      disabledReason={mayAsk ?? askRefusal(setup.data)}
      onClick={() => setOpened({ kind: 'ask' })}
    >
      Ask for a loan
    </Button>
  )
  return (
    <Page
      title="Finance"
      lead="Borrow against an approved invoice, or lend to a connected organization. When the invoice is paid, the loan is repaid from that payment."
      actions={setup.error ? undefined : ask}
    >
      {setup.error && (
        <Panel>
          <Refusal error={setup.error} onRetry={() => void setup.refetch()} />
        </Panel>
      )}
      {setup.data && <Eligibility setup={setup.data} />}
      {setup.data?.updated_at && <Loans onOpen={setOpened} />}
      <OpenedDialog opened={opened} onOpen={setOpened} />
    </Page>
  )
}

export default FinancePage

const askRefusal = (setup: FinanceSetup | undefined): string | undefined => {
  if (setup === undefined) return 'The setup is being read.'
  return setup.eligible_as_borrower ? undefined : 'What is missing stands above the lists.'
}

const Loans = ({ onOpen }: { onOpen: (opened: Opened) => void }) => {
  const openOffer = (offer: FinanceOffer) => onOpen({ kind: 'offer', offer })
  const openAgreement = ({ id }: FinanceAgreement) => onOpen({ kind: 'agreement', id })
  const openListing = (listing: FinanceListing) => {
    if (listing.status === 'open') onOpen({ kind: 'listing', listing })
  }
  const { organization } = useSession()
  const { role, status } = route.useSearch()
  const isNarrowed = role !== undefined || status !== undefined
  return (
    <div className="in-turn grid gap-6">
      <LoanSums />
      <CompareOffers onOpen={openOffer} />
      <ListPanel<FinanceAgreement>
        title="Agreements"
        aside={isNarrowed && <AllAgreements className={buttonClass('quiet')} />}
        clear={isNarrowed ? <AllAgreements className={buttonClass()} /> : undefined}
        path="/v1/finance/agreements"
        query={route.useSearch()}
        columns={agreementColumns(openAgreement)}
        rowKey={({ id }) => id}
        onOpen={openAgreement}
        empty={{
          title: 'No agreements yet',
          text: 'Once an offer is accepted, its loan is here, with what is owed, when it is due and each repayment, until the payment of the invoice has repaid it.',
        }}
      />
      <ListPanel<FinanceOffer>
        title="Offers"
        path="/v1/finance/offers"
        columns={offerColumns(openOffer)}
        rowKey={({ id }) => id}
        onOpen={openOffer}
        empty={{
          title: 'No offers yet',
          text: 'What lenders offer on your listings is here, side by side with what each costs, and so is what you offer. Nothing is owed before an offer is signed.',
        }}
      />
      <ListPanel<FinanceListing>
        title="Listings"
        path="/v1/finance/listings"
        columns={listingColumns(openListing)}
        rowKey={({ id }) => id}
        onOpen={openListing}
        empty={{
          title: 'No listings yet',
          text: <ListingsText isSandbox={organization.mode === 'sandbox'} />,
          actions: <ApprovedInvoices />,
        }}
      />
    </div>
  )
}

/** The sums above the list have narrowed it. */
const AllAgreements = ({ className }: { className: string }) => {
  const { org } = route.useParams()
  return (
    <Link to="/o/$org/finance" params={{ org }} search={{}} className={className}>
      Show all
    </Link>
  )
}

const ListingsText = ({ isSandbox }: { isSandbox: boolean }) => (
  <>
    To borrow, choose an invoice that your customer has approved, and ask with the amount, the fee
    and the days of grace that you want. To lend, find here what connected organizations ask for.
    {isSandbox && ' In the sandbox, the demo counterparty answers as you choose when you ask.'}
  </>
)

/** What a loan can be asked on. */
const ApprovedInvoices = () => {
  const { org } = route.useParams()
  return (
    <Link
      to="/o/$org/documents"
      params={{ org }}
      search={{ view: 'sent', type: 'invoice', status: 'approved' }}
      className={buttonClass()}
    >
      Your approved invoices
    </Link>
  )
}

interface OpenedDialogProps {
  opened: Opened
  onOpen: (opened: Opened) => void
}

const OpenedDialog = ({ opened, onOpen }: OpenedDialogProps) => {
  const close = () => onOpen(null)
  return (
    <>
      {opened?.kind === 'ask' && <AskDialog onClose={close} />}
      {opened?.kind === 'listing' && opened.listing.role === 'lender' && (
        <LendDialog listing={opened.listing} onClose={close} />
      )}
      {opened?.kind === 'listing' && opened.listing.role === 'borrower' && (
        <EndListingDialog listing={opened.listing} onClose={close} />
      )}
      {opened?.kind === 'offer' && (
        <OfferDialog
          offer={opened.offer}
          onAccepted={({ id }) => onOpen({ kind: 'agreement', id })}
          onClose={close}
        />
      )}
      {opened?.kind === 'agreement' && <AgreementDialog id={opened.id} onClose={close} />}
    </>
  )
}

const roles = {
  borrower_setup: { role: 'borrower', verb: 'Switch borrowing on' },
  lender_setup: { role: 'lender', verb: 'Switch lending on' },
} as const

/** What is missing, and what of it can be mended here. */
const Eligibility = ({ setup }: { setup: FinanceSetup }) => {
  const refusal = useScopeRefusal('documents:write', 'payments:write')
  const write = useWrite<FinanceSetup>()
  if (setup.blockers.length === 0) return null
  return (
    <section
      aria-label="What is missing"
      className="mb-6 grid gap-3 rounded-md border border-amber-edge bg-amber-tint px-4 py-3"
    >
      <div>
        <p className="font-medium text-amber">Before you can borrow or lend</p>
        <ol className="mt-1 list-inside list-decimal">
          {setup.blockers.map((name) => (
            <li key={name}>{blockerText(name)}</li>
          ))}
        </ol>
      </div>
      <div className="flex flex-wrap gap-2">
        {setup.blockers.flatMap((name) => {
          if (name !== 'borrower_setup' && name !== 'lender_setup') return []
          const { role, verb } = roles[name]
          const body = { [role]: { enabled: true } }
          return [
            <Button
              key={name}
              isWrite
              disabledReason={refusal}
              onClick={() => write.mutate({ method: 'PUT', path: '/v1/finance/setup', body })}
            >
              {verb}
            </Button>,
          ]
        })}
      </div>
      {write.error && <Refusal error={write.error} />}
    </section>
  )
}
