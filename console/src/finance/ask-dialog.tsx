/** Asks for a loan against an approved invoice. Connected lenders see the ask, not the invoice. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useDryRun } from '../api/dry-run.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord, FinanceListing, FinanceListingCreate, Page } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField } from '../design/field.tsx'
import { dateText } from '../design/dates.ts'
import { moneyText } from '../design/money.ts'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'
import { partyOf } from '../documents/document-names.ts'
import { TermsFacts } from './terms.tsx'
import { TermsFields, initialTerms, termsOf } from './terms-fields.tsx'

type Scenario = NonNullable<FinanceListingCreate['sandbox_scenario']>

/** All of them, but for the second name of `never_funds`. */
const scenarios: Readonly<Record<Exclude<Scenario, 'offer_no_funding'>, string>> = {
  offer_at_ask: 'Offers what you ask for, and pays out',
  counter: 'Offers at half as much again',
  offer_and_fund: 'Offers, pays out, and pays the invoice',
  debtor_pays_late: 'Offers, pays out, and pays the invoice too late',
  never_funds: 'Offers, but never pays out',
  silent: 'Does nothing',
}

const AskDialog = ({ onClose }: { onClose: () => void }) => {
  const { organization } = useSession()
  const invoices = useRead<Page<DocumentRecord>>('/v1/documents', {
    direction: 'issued',
    type: 'invoice',
    status: 'approved',
    limit: 100,
  })
  const [chosen, setChosen] = useState('')
  const [terms, setTerms] = useState(initialTerms)
  const [isDisclosed, setIsDisclosed] = useState(false)
  const [scenario, setScenario] = useState<Scenario>('offer_at_ask')
  const open = useRead<Page<FinanceListing>>('/v1/finance/listings', {
    role: 'borrower',
    status: 'open',
    limit: 100,
  })
  const listed = new Set(open.data?.data.map(({ document_id }) => document_id))
  const usable = invoices.data?.data.filter(
    ({ id, due_date, overdue, balance_due, pledge }) =>
      due_date !== null &&
      !overdue &&
      balance_due > 0 &&
      (pledge?.status ?? 'released') === 'released' &&
      !listed.has(id),
  )
  const invoice = usable?.find(({ id }) => id === chosen) ?? usable?.[0]
  const write = useWrite<FinanceListing>(() => {
    notify('Your ask is listed: connected lenders see it')
    onClose()
  })
  const request = {
    path: '/v1/finance/listings',
    body: {
      document_id: invoice?.id,
      terms: termsOf(terms),
      notice: isDisclosed ? 'disclosed' : 'undisclosed',
      ...(organization.mode === 'sandbox' ? { sandbox_scenario: scenario } : {}),
    },
  }
  const dryRun = useDryRun<FinanceListing>(request, invoice !== undefined && terms.principal !== '')
  return (
    <FormDialog
      title="Ask for a loan"
      lead="Lenders to whom you are connected learn the currency, balance, due date and state of the invoice, and nothing else of it."
      write={{ error: write.error ?? dryRun.error, isPending: write.isPending }}
      verb="List the ask"
      obstacle={obstacleOf(usable, terms.principal)}
      onSubmit={() => write.mutate(request)}
      onClose={onClose}
    >
      <SelectField
        label="Invoice"
        param="/document_id"
        hint={
          usable?.length === 0
            ? 'None of your approved invoices has a due date to come and is neither listed nor pledged.'
            : ''
        }
        options={(usable ?? []).map((one) => [one.id, invoiceText(one)] as const)}
        value={invoice?.id ?? ''}
        onChange={({ target }) => setChosen(target.value)}
      />
      <TermsFields terms={terms} currency={invoice?.currency ?? 'USD'} onChange={setTerms} />
      <CheckField
        label="Tell the debtor"
        hint="Once the loan is paid out, your customer sees on its bill that it is assigned."
        checked={isDisclosed}
        onChange={({ target }) => setIsDisclosed(target.checked)}
      />
      {organization.mode === 'sandbox' && (
        <SelectField
          label="What the demo counterparty does"
          param="/sandbox_scenario"
          options={Object.entries(scenarios)}
          value={scenario}
          onChange={({ target }) => setScenario(target.value as Scenario)}
        />
      )}
      {dryRun.data && !dryRun.error && <TermsFacts terms={dryRun.data.body.terms} />}
    </FormDialog>
  )
}

export default AskDialog

const invoiceText = (invoice: DocumentRecord): string =>
  `${invoice.number} · ${moneyText(invoice.balance_due, invoice.currency)} · ${partyOf(invoice)}, due ${dateText(invoice.due_date!)}`

const obstacleOf = (usable: readonly unknown[] | undefined, principal: string) => {
  if (usable === undefined) return 'Your invoices are being read.'
  if (usable.length === 0) return 'First have an invoice approved.'
  return principal === '' ? 'Say how much you ask for.' : undefined
}
