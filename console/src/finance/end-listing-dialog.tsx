/** Takes back what one has asked for: its open offers lapse. */
import type { FinanceListing } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'
import { TermsFacts } from './terms.tsx'

interface EndListingDialogProps {
  listing: FinanceListing
  onClose: () => void
}

const EndListingDialog = ({ listing, onClose }: EndListingDialogProps) => {
  const write = useWrite<FinanceListing>(() => {
    notify('The listing is withdrawn')
    onClose()
  })
  return (
    <FormDialog
      title="Your listing"
      lead="Lenders see it until it is matched, withdrawn or expired. Withdrawing it ends its open offers."
      write={write}
      verb="Withdraw the listing"
      isDanger
      cancel="Keep it"
      onSubmit={() => write.mutate({ path: `/v1/finance/listings/${listing.id}/withdraw` })}
      onClose={onClose}
    >
      <TermsFacts terms={listing.terms} />
    </FormDialog>
  )
}

export default EndListingDialog
