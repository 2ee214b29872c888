/** What a document counts as beside the others of its connection (contract 12, console 1.2). */
import { type DocumentTypeName, type Side, documentTypes } from '../contract/document-types.ts'
import type { Rows } from '../database/rows.ts'
import { daysBetween, dateOf } from './dates.ts'
import { encodeId } from './ids.ts'
import {
  type Counted,
  type CountedDocument,
  type LastPayment,
  type Period,
  ageingOf,
} from './statistics.ts'

type ConnectedDocument = CountedDocument &
  Pick<Rows['documents'], 'connection_id'> & {
    payment: LastPayment | null
    /** Whether the counterparty has seen it. A draft may also have been discarded. */
    isIssued: boolean
  }

interface Counting {
  side: Side
  today: string
  period: Period
  /** The clock of a sandbox is ahead: documents have its dates, and payments real days. */
  isAhead: boolean
}

/** What is owed now, that it was exchanged, and that it was paid; the last two in the period. */
export const connectionSumsOf = (document: ConnectedDocument, counting: Counting): Counted[] => {
  const place = { start: null, bucket: encodeId('con', document.connection_id) }
  return [ageingOf(document, counting), exchanged(document, counting), paid(document, counting)]
    .filter((counted) => counted !== undefined)
    .map((counted) => ({ ...counted, ...place }))
}

const exchanged = (
  { document_date: day, isIssued, currency, total }: ConnectedDocument,
  { side, period }: Counting,
): Counted | undefined => {
  if (!isIssued || day < period.from || day > period.to) return undefined
  const group = side === 'issuer' ? 'issued' : 'received'
  return { start: null, group, bucket: null, currency, amount: total }
}

/**
 * Whether something was paid of a document before its last payment, which has not settled or was
 * returned: what its row says of that payment does not tell on which day.
 */
export const isPaidEarlier = ({ amount_paid: paid, payment }: ConnectedDocument): boolean =>
  paid > 0n && payment !== null && payment.status !== 'settled'

/** All that was paid of it, from its date to the day on which its last payment settled. */
const paid = (
  { type, payment, currency, document_date: issued, amount_paid: amount }: ConnectedDocument,
  { side, period, isAhead }: Counting,
): Counted | undefined => {
  if (payment === null) return undefined
  const { status, settled_at: settledAt } = payment
  if (status !== 'settled') return undefined
  const day = dateOf(settledAt!)
  if (day < period.from || day > period.to) return undefined
  const { payer } = documentTypes[type as DocumentTypeName]
  const group = payer === side ? 'paid' : 'collected'
  const counted = { start: null, group, bucket: null, currency, amount }
  return isAhead ? counted : { ...counted, days: Math.max(daysBetween(issued, day), 0) }
}
