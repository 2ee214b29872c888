/** Asks before a document is moved, with a reason where the other side should know one. */
import { useWrite } from '../api/writes.ts'
import type { DocumentRecord } from '../api/types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextArea } from '../design/field.tsx'
import { wordsOf } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'
import { partyOf, titleOf } from './document-names.ts'
import { useKeptText } from './kept-texts.ts'
import type { Move } from './moves.ts'
import { isPayable } from './payable.ts'

interface MoveDialogProps {
  document: DocumentRecord
  move: Move
  onClose: () => void
}

const reasons = [
  ['', 'No code'],
  ['REF', 'References are wrong'],
  ['PRI', 'Prices are wrong'],
  ['QTY', 'Quantities are wrong'],
  ['QUA', 'Quality is not as agreed'],
  ['ITM', 'Items are wrong'],
  ['DEL', 'Delivery is not complete'],
  ['PAY', 'Payment terms are wrong'],
  ['UNR', 'Not recognised'],
  ['LEG', 'Legal requirements are not met'],
  ['OTH', 'Something else'],
] as const

const MoveDialog = ({ document, move, onClose }: MoveDialogProps) => {
  const [reasonCode, setReasonCode] = useKeptText(`${document.id} ${move.to} code`)
  const [note, setNote] = useKeptText(`${document.id} ${move.to} note`)
  const close = () => {
    setReasonCode('')
    setNote('')
    onClose()
  }
  const write = useWrite<DocumentRecord>(({ body }) => {
    notify(`${titleOf(body)}: ${wordsOf(body.status).toLowerCase()}`)
    close()
  })
  const isOver = document.allowed_transitions.length === 0 && !write.isPending
  const submit = () =>
    write.mutate({
      path: `/v1/documents/${document.id}/transition`,
      ifMatch: document.revision,
      body: {
        to: move.to,
        ...(reasonCode === '' ? {} : { reason_code: reasonCode }),
        ...(note === '' ? {} : { note }),
      },
    })
  return (
    <FormDialog
      title={`${move.verb}: ${titleOf(document)}`}
      lead={isOver ? undefined : consequenceOf(document, move)}
      write={write}
      verb={move.verb}
      isDanger={move.isDanger}
      cancel="Keep it as it is"
      obstacle={
        isOver
          ? `It is ${wordsOf(document.status).toLowerCase()}: nothing can be done with it any more.`
          : undefined
      }
      onSubmit={submit}
      onClose={close}
    >
      {move.takesReason === true && (
        <>
          <SelectField
            label="Reason"
            param="/reason_code"
            options={reasons}
            value={reasonCode}
            onChange={(event) => setReasonCode(event.target.value)}
          />
          <TextArea
            label="Note"
            param="/note"
            hint={`${partyOf(document)} reads this.`}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

export default MoveDialog

const consequences: Record<string, string> = {
  accepted: 'You agree to it as it is.',
  acknowledged: 'The other side learns that you have it and work on it.',
  disputed: 'It stops until both sides have settled the dispute.',
  rejected: 'It ends here, for both sides.',
  cancelled: 'It ends here, for both sides.',
  fulfilled: 'Everything ordered has arrived.',
  closed: 'It ends here, for both sides.',
}

/** What happens, before it does. Whoever commits to pay reads how much, and to whom. */
const consequenceOf = (document: DocumentRecord, { to }: Move): string | undefined => {
  const { status, balance_due, currency } = document
  if (to !== 'approved') return consequences[to]
  if (status === 'payment_scheduled')
    return 'The scheduled payment is not made. The document can be paid again.'
  if (!isPayable(document)) return consequences['accepted']
  const paid = `${moneyText(balance_due, currency)} to ${partyOf(document)}`
  return `You commit to pay ${paid}. From then on only a dispute stops it.`
}
