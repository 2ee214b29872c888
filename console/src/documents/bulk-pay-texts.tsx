/** What a row of many payments says. */
import { currentSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import type { Written } from '../api/writes.ts'
import { dateText } from '../design/dates.ts'
import { DateText, wordsOf } from '../design/format.tsx'
import type { Tone } from '../design/status.tsx'
import type { RowTexts } from './bulk-rows.tsx'
import type { BulkRow } from './bulk-work.ts'
import { payRefusal } from './moves.ts'

const noteOf = ({ due_date, overdue, early_payment }: DocumentRecord) => (
  <>
    {due_date !== null && (
      <span className={overdue ? 'text-red' : ''}>
        {overdue ? 'overdue since' : 'due'} <DateText date={due_date} />
      </span>
    )}
    {early_payment !== null && (
      <span>
        {due_date !== null && ' · '}
        {early_payment.percent}% off until <DateText date={early_payment.until} />, by a credit note
      </span>
    )}
  </>
)

const outcomes: Record<string, readonly [Tone, string]> = {
  settled: ['good', 'Paid'],
  created: ['accent', 'Under way'],
  processing: ['accent', 'Under way'],
  failed: ['bad', 'Failed'],
}

const doneOf = ({ body, isReplay }: Written<DocumentRecord>): readonly [Tone, string] => {
  const { payment, status } = body
  if (payment?.status === 'scheduled') {
    const day = payment.scheduled_for
    return ['accent', day === null ? 'Scheduled' : `Scheduled ${dateText(day)}`]
  }
  const [tone, text] = outcomes[payment?.status ?? ''] ?? ['accent', wordsOf(status)]
  return [tone, isReplay ? `${text} already` : text]
}

/** What the document itself tells of a conflict is for people; the service says it to programs. */
const reasonOf = ({ document, refusal }: BulkRow): string | undefined => {
  const session = currentSession()
  if (session === null || ![409, 412].includes(refusal?.status ?? 0)) return undefined
  if (document.status === 'paid') return 'It is paid already.'
  const reason = payRefusal(document, session)
  if (reason !== undefined || refusal?.status === 409) return reason
  return 'It has changed since you chose it, and was not paid. Check it again.'
}

export const payTexts: RowTexts = {
  // Of one that somebody else has paid meanwhile, nothing is due.
  amountOf: ({ balance_due, total }) => (balance_due === 0 ? total : balance_due),
  noteOf,
  possible: 'Ready',
  doneOf,
  reasonOf,
}
