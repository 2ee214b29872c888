/**
 * Paying many bills: what is paid to whom and from where, one question, then a payment for each and
 * what has become of it.
 */
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Refusal } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'
import MissingProcessor from '../payments/missing-processor.tsx'
import { useMissing } from '../payments/missing.ts'
import { useToday } from '../payments/today.ts'
import { PayFrom } from './bulk-pay-from.tsx'
import { payTexts } from './bulk-pay-texts.tsx'
import { type BulkPay, useBulkPay } from './bulk-pay.ts'
import { BulkRows, Sums, buttonOfSums, countText, sumsOf } from './bulk-rows.tsx'
import { type BulkRow, type Step, hasFailed, isAtRest, isPossible, isRefused } from './bulk-work.ts'

interface BulkPayDialogProps {
  documents: readonly DocumentRecord[]
  /** More match than can be selected at once. */
  isCut: boolean
  onClose: () => void
}

const BulkPayDialog = ({ documents, isCut, onClose }: BulkPayDialogProps) => {
  const isSandbox = useSession().organization.mode === 'sandbox'
  const pay = useBulkPay(documents)
  const { rows, meant, possible, step, proof } = pay
  return (
    <Dialog
      title={`Pay ${countText(rows.length, 'bill')}`}
      lead={
        <span role="status">
          {leadOf({ step, meant, possible: possible.length, isSandbox })}
          {isCut && ' More match than can be selected at once: pay the others after these.'}
        </span>
      }
      onClose={onClose}
      size="large"
      isGuarded={step === 'sending' && proof === null}
    >
      <form
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isAtRest(step) && possible.length > 0) pay.send()
        }}
      >
        <MissingProcessor />
        {(step === 'checking' || step === 'asking') && <Choices pay={pay} />}
        <div>
          <BulkRows
            rows={rows}
            texts={payTexts}
            progress={progressOf(step, rows, pay.leftOut)}
            leftOut={pay.leftOut}
            onLeaveOut={step === 'asking' ? pay.toggle : undefined}
          />
        </div>
        {proof && <Refusal error={proof.error} onRetry={proof.resume} />}
        <Actions pay={pay} onClose={onClose} />
      </form>
    </Dialog>
  )
}

export default BulkPayDialog

const Choices = ({ pay }: { pay: BulkPay }) => {
  const { day, setDay, meant, sources, setSources } = pay
  const counted = meant.filter(isCounted)
  const today = useToday()
  const late = day === '' ? 0 : counted.filter((row) => isDueBefore(row, day)).length
  return (
    <>
      <PayFrom
        sums={sumsOf(counted, payTexts.amountOf)}
        sources={sources}
        isLater={day !== ''}
        onChange={setSources}
      />
      <TextField
        className="sm:max-w-[28rem]"
        label="Pay on"
        param="/scheduled_for"
        type="date"
        min={today}
        hint={
          late > 0
            ? `${countText(late, 'bill')} ${late === 1 ? 'is' : 'are'} due before that day.`
            : 'Leave empty to pay now. Until that day, it can be cancelled.'
        }
        value={day}
        onChange={({ target }) => setDay(target.value)}
      />
    </>
  )
}

const Actions = ({ pay, onClose }: { pay: BulkPay; onClose: () => void }) => {
  const { step, proof, possible, open, day } = pay
  const isImpossible = useMissing()?.isProcessorMissing === true
  // What never arrived can be sent again, with the same keys.
  const isOver = step === 'sent' && possible.length === 0
  return (
    <DialogActions>
      {step === 'sending' && proof === null ? (
        <Button onClick={pay.stop}>Stop</Button>
      ) : (
        <Button key={String(isOver)} autoFocus={isOver} onClick={onClose}>
          {isOver || step === 'stopped' ? 'Close' : 'Not now'}
        </Button>
      )}
      {isAtRest(step) && open.length > 0 && (
        <Button isWrite onClick={pay.checkAgain}>
          {open.length === 1 ? 'Check the other again' : `Check the other ${open.length} again`}
        </Button>
      )}
      {!isOver && (
        <Button
          type="submit"
          kind="primary"
          data-foremost
          className={buttonOfSums}
          disabledReason={
            isImpossible ? 'Payments are not possible yet.' : refusalOf(step, possible.length)
          }
        >
          <span>
            {`${day === '' ? 'Pay' : 'Schedule'} ${possible.length} · `}
            <Sums sums={sumsOf(possible, payTexts.amountOf)} />
          </span>
        </Button>
      )}
    </DialogActions>
  )
}

/** What is still being checked is counted, so that the totals stay where they are. */
const isCounted = (row: BulkRow): boolean => row.refusal === undefined || isPossible(row)

const isDueBefore = ({ document: { due_date } }: BulkRow, day: string): boolean =>
  due_date !== null && due_date < day

const progressOf = (step: Step, rows: readonly BulkRow[], leftOut: ReadonlySet<string>): number =>
  rows.filter(({ document, refusal, done }) =>
    step === 'checking'
      ? refusal !== undefined
      : done !== undefined || refusal != null || (step !== 'asking' && leftOut.has(document.id)),
  ).length

interface LeadFacts {
  step: Step
  /** All but those that were left out. */
  meant: readonly BulkRow[]
  possible: number
  isSandbox: boolean
}

const leadOf = ({ step, meant, possible, isSandbox }: LeadFacts): string => {
  const money = isSandbox
    ? 'Simulated payments: no money moves.'
    : 'Real money leaves your bank account.'
  if (step === 'checking') return `${money} Each is checked first, without any effect.`
  if (step === 'sending') return 'They are being sent. If you stop, the others are not paid.'
  const left = meant.filter(({ done }) => done === undefined).length
  if (step === 'asking')
    return possible === left
      ? `${money} Each of them can be paid.`
      : `${money} ${possible} of ${left} can be paid; the others say why not.`
  const outcomes = outcomesOf(meant)
  const told = [
    `${step === 'stopped' ? 'Stopped' : 'Done'}${outcomes === '' ? '' : `: ${outcomes}`}.`,
  ]
  const open = meant.filter(({ refusal }) => refusal?.isUndecided === true).length
  const sums = sumsOf(meant.filter(isUnderWayOrPaid), payTexts.amountOf)
  const sum = sums.map(([currency, amount]) => moneyText(amount, currency)).join(' + ')
  const together = meant.some(hasFailed) ? 'Without what failed, together' : 'Together'
  if (sum !== '') told.push(`${together} ${sum}.`)
  if (open === 1) told.push('1 has no answer: sending it again does not pay it twice.')
  if (open > 1) told.push(`${open} have no answer: sending them again pays none twice.`)
  if (possible > open) told.push('The others are not paid.')
  return told.join(' ')
}

const isUnderWayOrPaid = ({ done }: BulkRow): boolean =>
  done !== undefined && done.body.payment?.status !== 'failed'

const outcomesOf = (rows: readonly BulkRow[]): string => {
  const words = [
    ...rows.flatMap(({ done }) => (done ? payTexts.doneOf(done)[1].toLowerCase() : [])),
    ...rows.flatMap(({ refusal }) => (refusal?.approval ? 'waiting for approval' : [])),
    ...rows.flatMap((row) => (isRefused(row) ? 'refused' : [])),
  ]
  const counts = [...new Set(words)].map(
    (word) => `${words.filter((one) => one === word).length} ${word}`,
  )
  return counts.join(', ')
}

const refusalOf = (step: Step, possible: number): string | undefined => {
  if (step === 'checking') return 'They are being checked.'
  if (step === 'sending') return 'They are being sent.'
  return possible === 0 ? 'None of them can be paid.' : undefined
}
