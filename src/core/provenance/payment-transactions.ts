/**
 * The payments that a document's events name, and their ledger transactions (docs/decisions/0065).
 * The event in which a payment opened them has their ids; its later events say whether they were
 * posted or voided.
 */
import type { Rows } from '../../database/rows.ts'
import { decodeId, encodeId } from '../ids.ts'
import { minorText } from '../money.ts'
import { type VerifiedEvent, failCheck } from './history-verification.ts'

/** A payment in the shared slot of an event. */
export interface RecordedPayment {
  id: string
  kind: string
  status: string
  amount?: string
  currency?: string
  /** The transactions that this event opened. */
  transactions?: readonly string[]
}

export interface MentionedPayment {
  event: VerifiedEvent
  /** The event that records this now: the same one or, after an erasure, the erasure event. */
  seq: number
  payment: RecordedPayment
}

/** What the events say of payments, in their order, erased events included. */
export const mentionedPayments = (events: readonly VerifiedEvent[]): MentionedPayment[] =>
  events
    .flatMap(({ header, open }) => {
      const body = open.shared?.body
      const own = { seq: header.seq, payment: body?.['payment'] }
      const erased = (body?.['erased'] ?? []) as { seq: number; payment?: unknown }[]
      return [own, ...erased].flatMap(({ seq, payment }) =>
        payment === undefined
          ? []
          : [{ event: events[seq - 1]!, seq: header.seq, payment: payment as RecordedPayment }],
      )
    })
    .toSorted((a, b) => a.event.header.seq - b.event.header.seq)

/** The payments that the events name, by uuid, each with the event that names it first. */
export const recordedPayments = (events: readonly VerifiedEvent[]): Map<string, number> => {
  const recorded = new Map<string, number>()
  for (const { event, payment } of mentionedPayments(events)) {
    const id = decodeId('pay', payment.id)!
    if (!recorded.has(id)) recorded.set(id, event.header.seq)
  }
  return recorded
}

/** Checks that none of them is gone. */
export const checkPayments = (
  recorded: ReadonlyMap<string, number>,
  stored: readonly Pick<Rows['payments'], 'id'>[],
): void => {
  const ids = new Set(stored.map(({ id }) => id))
  for (const [id, seq] of recorded) {
    if (!ids.has(id)) failCheck('LEDGER', 'a payment is missing', { seq })
  }
}

export interface RecordedTransaction {
  id: string
  payment: RecordedPayment
  status: 'pending' | 'posted' | 'voided'
  /** The event that opened it. */
  seq: number
}

/** The transactions that the events name, by uuid, as they must be now. */
export const recordedTransactions = (
  events: readonly VerifiedEvent[],
): Map<string, RecordedTransaction> => {
  const recorded = new Map<string, RecordedTransaction>()
  for (const { event, payment } of mentionedPayments(events)) {
    const resolved = resolutions[payment.status]
    for (const one of recorded.values()) {
      const isOpen = one.payment.id === payment.id && one.status === 'pending'
      if (isOpen && resolved !== undefined) one.status = resolved
    }
    for (const name of payment.transactions ?? []) {
      const id = decodeId('ttx', name)!
      recorded.set(id, { id, payment, status: resolved ?? 'pending', seq: event.header.seq })
    }
  }
  return recorded
}

/** What a status of the payment makes of its pending transactions. */
const resolutions: Readonly<Record<string, 'posted' | 'voided'>> = {
  settled: 'posted',
  returned: 'posted',
  failed: 'voided',
}

type StoredTransaction = Pick<
  Rows['ledger_tx'],
  'id' | 'payment_id' | 'amount' | 'currency' | 'status'
>

/** Checks that the ledger has every recorded transaction as the events have left it. */
export const checkTransactions = <T extends StoredTransaction>(
  recorded: ReadonlyMap<string, RecordedTransaction>,
  stored: readonly T[],
  isIntact: (row: T) => boolean,
): void => {
  const rows = new Map(stored.map((row) => [row.id, row]))
  for (const { id, payment, status, seq } of recorded.values()) {
    const row = rows.get(id)
    if (row === undefined)
      return failCheck('LEDGER', 'a transaction of the payment is missing', { seq })
    const { amount, currency, payment_id } = row
    const isSame =
      isIntact(row) &&
      row.status === status &&
      payment_id !== null &&
      encodeId('pay', payment_id) === payment.id &&
      minorText(amount < 0n ? -amount : amount) === payment.amount &&
      currency === payment.currency
    if (!isSame) failCheck('LEDGER', 'a transaction of the payment is another', { seq })
  }
}
