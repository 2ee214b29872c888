/** An offer with all that it costs. Accepting it binds to the digest of what is shown. */
import type { FinanceAcceptedOffer, FinanceOffer } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { DateText, Money } from '../design/format.tsx'
import { CopyText, Fact, Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'

const OfferDialog = ({ offer, onClose }: { offer: FinanceOffer; onClose: () => void }) => {
  const { terms, disclosure, role, status, standing_authorization: authorization } = offer
  const path = `/v1/finance/offers/${offer.id}`
  const accept = useWrite<FinanceAcceptedOffer>(() => {
    notify('The loan is agreed: three documents are on the connection')
    onClose()
  })
  const end = useWrite<FinanceOffer>(({ body }) => {
    notify(`The offer is ${body.status}`)
    onClose()
  })
  const isOpen = status === 'open'
  const error = accept.error ?? end.error
  const amount = (value: number) => <Money amount={value} currency={terms.currency} />
  return (
    <Dialog
      title={
        role === 'borrower' ? `Offer from ${offer.lender.name}` : `Offer to ${offer.borrower.name}`
      }
      lead="The terms are fixed. When the invoice is paid, what is owed is moved to the lender at once, and nothing else."
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="You receive">{amount(disclosure.amount_provided)}</Fact>
        <Fact term="It costs">{amount(disclosure.finance_charge)}</Fact>
        <Fact term="To repay">
          <strong>{amount(disclosure.total_repayable)}</strong>
        </Fact>
        <Fact term="Until">
          <DateText date={terms.due_date} />
        </Fact>
        <Fact term="Term">{disclosure.term_days} days</Fact>
        <Fact term="As a yearly rate">{(disclosure.annualized_cost * 100).toFixed(2)} %</Fact>
        <Fact term="Recourse">{disclosure.recourse}</Fact>
        <Fact term="Digest">
          <CopyText text={authorization.digest} label="the digest" />
        </Fact>
      </dl>
      {error && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {isOpen && (
          <Button
            onClick={() =>
              end.mutate({ path: `${path}/${role === 'borrower' ? 'decline' : 'withdraw'}` })
            }
          >
            {role === 'borrower' ? 'Decline' : 'Withdraw'}
          </Button>
        )}
        {isOpen && role === 'borrower' && (
          <Button
            kind="primary"
            disabledReason={accept.isPending ? 'Sending' : undefined}
            onClick={() =>
              accept.mutate({
                path: `${path}/accept`,
                body: { authorization_digest: authorization.digest },
              })
            }
          >
            Accept exactly this
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export default OfferDialog
