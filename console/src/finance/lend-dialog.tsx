/** Offers a loan for the listing of another organization: at its ask, or at other terms. */
import { useState } from 'react'
import { useDryRun } from '../api/dry-run.ts'
import type { FinanceListing, FinanceOffer } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { DateText, Money } from '../design/format.tsx'
import { Fact } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'
import { DisclosureFacts, NoticeFact } from './disclosure.tsx'
import { TermsFields, termsOf, typedTerms } from './terms-fields.tsx'

const LendDialog = ({ listing, onClose }: { listing: FinanceListing; onClose: () => void }) => {
  const { collateral, duplicate_warning: warning } = listing
  const [kind, setKind] = useState('at_ask')
  const [terms, setTerms] = useState(() => typedTerms(listing.terms))
  const write = useWrite<FinanceOffer>(() => {
    notify('Your offer is made')
    onClose()
  })
  const request = {
    path: `/v1/finance/listings/${listing.id}/offers`,
    body: { kind, ...(kind === 'counter' ? { terms: termsOf(terms) } : {}) },
  }
  const dryRun = useDryRun<FinanceOffer>(request, true)
  return (
    <FormDialog
      title={`Lend to ${listing.borrower.name}`}
      lead="An offer is fixed: to change it, make another. It binds you until the borrower has decided, or it expires."
      write={{ error: write.error ?? dryRun.error, isPending: write.isPending }}
      verb="Make the offer"
      onSubmit={() => write.mutate(request)}
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="Pledged invoice">
          <Money amount={collateral.balance_due} currency={collateral.currency} />
        </Fact>
        <Fact term="Due">
          <DateText date={collateral.due_date} />
        </Fact>
        <NoticeFact notice={listing.notice} />
        {warning.matches > 0 && (
          <Fact term="Looks like">
            <span className="text-amber">{warning.matches} other invoices</span>
          </Fact>
        )}
      </dl>
      <SelectField
        label="Terms"
        param="/kind"
        options={[
          ['at_ask', 'As they are asked for'],
          ['counter', 'Others'],
        ]}
        value={kind}
        onChange={({ target }) => setKind(target.value)}
      />
      {kind === 'counter' && (
        <TermsFields terms={terms} currency={listing.terms.currency} onChange={setTerms} />
      )}
      {dryRun.data && !dryRun.error && <DisclosureFacts offer={dryRun.data.body} />}
    </FormDialog>
  )
}

export default LendDialog
