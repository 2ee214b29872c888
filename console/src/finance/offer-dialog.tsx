/** An offer with all that it costs. Accepting it binds to the digest of what is shown. */
import { useState } from 'react'
import type { FinanceAcceptedOffer, FinanceAgreement, FinanceOffer } from '../api/types.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { StatusMark } from '../design/status.tsx'
import { Authorization, useSigningRefusal } from './authorization.tsx'
import { invoiceNumberOf } from './invoice-number.ts'
import { DisclosureFacts } from './disclosure.tsx'

interface OfferDialogProps {
  offer: FinanceOffer
  onAccepted: (agreement: FinanceAgreement) => void
  onClose: () => void
}

const OfferDialog = ({ offer, onAccepted, onClose }: OfferDialogProps) => {
  const { role, status, standing_authorization: authorization } = offer
  const path = `/v1/finance/offers/${offer.id}`
  const number = invoiceNumberOf(offer)
  const [signature, setSignature] = useState('')
  const mayAccept = useScopeRefusal('documents:write', 'payments:write')
  const mayEnd = useScopeRefusal('documents:write')
  const accept = useWrite<FinanceAcceptedOffer>(({ body }) => {
    notify('The loan is agreed: its three documents are under Documents')
    onAccepted(body.agreement)
  })
  const end = useWrite<FinanceOffer>(({ body }) => {
    notify(`The offer is ${body.status}`)
    onClose()
  })
  const isOpen = status === 'open'
  const isSigning = isOpen && role === 'borrower'
  const error = accept.error ?? end.error
  const textRefusal = useSigningRefusal(offer)
  const isUnsigned = signature.trim() !== number
  const refusal = mayAccept ?? textRefusal ?? (isUnsigned ? `Type ${number} to sign.` : undefined)
  return (
    <Dialog
      title={
        role === 'borrower' ? `Offer from ${offer.lender.name}` : `Offer to ${offer.borrower.name}`
      }
      lead="The terms are fixed. When the invoice is paid, what is owed is moved to the lender at once, and nothing else."
      onClose={onClose}
      size="large"
    >
      {!isOpen && (
        <p className="mb-3">
          <StatusMark status={status} />
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isSigning && refusal === undefined)
            accept.mutate({
              path: `${path}/accept`,
              body: { authorization_digest: authorization.digest },
            })
        }}
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <DisclosureFacts offer={offer} />
          <Authorization offer={offer} />
          {isSigning && (
            <TextField
              label={`To sign, type the number of the pledged invoice: ${number}`}
              autoComplete="off"
              value={signature}
              onChange={({ target }) => setSignature(target.value)}
            />
          )}
          {error && <Refusal error={error} />}
        </div>
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          {isOpen && (
            <Button
              isWrite
              disabledReason={mayEnd}
              onClick={() =>
                end.mutate({ path: `${path}/${role === 'borrower' ? 'decline' : 'withdraw'}` })
              }
            >
              {role === 'borrower' ? 'Decline' : 'Withdraw'}
            </Button>
          )}
          {isSigning && (
            <Button
              type="submit"
              kind="primary"
              disabledReason={accept.isPending ? 'Sending' : refusal}
            >
              {accept.isPending ? 'Sending…' : 'Accept exactly this'}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default OfferDialog
