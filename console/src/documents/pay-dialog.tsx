/** Paying: the amount, from where, when, and only then the button. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Account, DocumentRecord, Page } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { dateText } from '../design/dates.ts'
import { DateText, Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { Fact } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'
import MissingProcessor from '../payments/missing-processor.tsx'
import { methodsOf } from '../payments/methods.ts'
import { useMissing } from '../payments/missing.ts'
import { partyOf, titleOf } from './document-names.ts'
import { payRefusal } from './moves.ts'
import { paymentWrite } from './payment-write.ts'

const PayDialog = ({ document, onClose }: { document: DocumentRecord; onClose: () => void }) => {
  const session = useSession()
  const { organization, scopes } = session
  const isSandbox = organization.mode === 'sandbox'
  const accounts = useRead<Page<Account>>(
    '/v1/treasury/accounts',
    { limit: 100 },
    { isEnabled: isSandbox && scopes.includes('treasury:read') },
  )
  const [method, setMethod] = useState('')
  const [account, setAccount] = useState('')
  const [date, setDate] = useState('')
  const write = useWrite<DocumentRecord>(({ body, isReplay }) => {
    const outcome =
      body.payment?.status === 'settled' ? 'paid' : (body.payment?.status ?? body.status)
    notify(isReplay ? 'This payment had been made already' : `${titleOf(body)}: ${outcome}`)
    onClose()
  })
  const { due_date: due } = document
  // What has become of it is told by sending the same once more.
  const isUnanswered = write.error?.status === 0
  const isImpossible = useMissing()?.isProcessorMissing === true
  // It may have been paid meanwhile, by somebody else.
  const obstacle = isImpossible ? 'Payments are not possible yet.' : payRefusal(document, session)
  const amount = moneyText(document.balance_due, document.currency)
  const usable = accounts.data?.data.filter(
    ({ currency, status }) => currency === document.currency && status === 'active',
  )
  const submit = () => write.mutate(paymentWrite(document, { method, account, day: date }))
  return (
    <FormDialog
      title={`Pay ${amount}`}
      lead={
        isSandbox ? 'A simulated payment: no money moves.' : 'Real money leaves your bank account.'
      }
      write={write}
      verb={date === '' ? `Pay ${amount}` : `Schedule ${amount}`}
      obstacle={write.isPending || isUnanswered ? undefined : obstacle}
      onSubmit={submit}
      onClose={onClose}
    >
      <MissingProcessor />
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="To">{partyOf(document)}</Fact>
        <Fact term="For">{titleOf(document)}</Fact>
        {due !== null && (
          <Fact term="Due">
            <DateText date={due} />
          </Fact>
        )}
        <Fact term="Full balance">
          <strong>
            <Money amount={document.balance_due} currency={document.currency} />
          </strong>
        </Fact>
      </dl>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Method"
          param="/payment_method"
          options={methodsOf(document.currency, isSandbox)}
          value={method}
          onChange={(event) => setMethod(event.target.value)}
        />
        {isSandbox && (
          <SelectField
            label="From"
            param="/source_account_id"
            options={[
              ['', 'Default account'],
              ...(usable ?? []).map(({ id, name }) => [id, name] as const),
            ]}
            value={account}
            onChange={(event) => setAccount(event.target.value)}
          />
        )}
        <TextField
          className="sm:col-span-2"
          label="On"
          param="/scheduled_for"
          type="date"
          hint={
            due !== null && date > due
              ? `It is due before that, on ${dateText(due)}.`
              : 'Leave empty to pay now. A later payment can be cancelled until that day.'
          }
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
      </div>
    </FormDialog>
  )
}

export default PayDialog
