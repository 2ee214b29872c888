/**
 * The payments that settled a document, as recorded in its history (provenance 3). A payment has no
 * history of its own, so the event in which it settled pins the link to it.
 */
import type { LineageNode, UnnumberedStep, UnnumberedLink } from './lineage.ts'
import type { VerifiedEvent } from './history-verification.ts'
import { type RecordedPayment, mentionedPayments } from './payment-transactions.ts'

interface SettledPayment extends RecordedPayment {
  /** The event in which it settled. */
  settledIn: VerifiedEvent
  /** The event that records this now: the same one or, after an erasure, the erasure event. */
  seq: number
}

/** The payments that settled, as recorded in the events or, after an erasure, in the erasure. */
const settledPaymentsIn = (events: readonly VerifiedEvent[]): SettledPayment[] => {
  const settled = new Map<string, SettledPayment>()
  for (const { event, seq, payment } of mentionedPayments(events)) {
    const earlier = settled.get(payment.id)
    if (earlier !== undefined) settled.set(payment.id, { ...earlier, ...payment })
    else if (payment.status === 'settled') {
      settled.set(payment.id, { ...payment, settledIn: event, seq })
    }
  }
  return [...settled.values()]
}

/** A step for each payment that settled the document, and its link. */
export const paymentLineage = ({
  history,
}: LineageNode): { steps: UnnumberedStep[]; links: UnnumberedLink[] } => {
  const { stream, events } = history
  const payments = settledPaymentsIn(events).map(({ id, kind, status, settledIn, seq }) => ({
    id,
    kind,
    status,
    seq,
    key: `${stream} ${id}`,
    at: settledIn.header.at,
    settledSeq: settledIn.header.seq,
    event_hash: settledIn.hash.toString('hex'),
  }))
  return {
    steps: payments.map(({ key, at, settledSeq, event_hash, id, kind, status }) => ({
      key,
      stream,
      seq: settledSeq,
      step: { kind: 'payment', sealed: false, at, payment: { id, kind, status }, event_hash },
    })),
    links: payments.map(({ key, kind, at, seq }) => ({
      from: stream,
      to: key,
      relation: kind === 'sweep' ? 'swept_by' : 'settled_by',
      at,
      recorded: [{ key: stream, seq }],
      sealed: false,
    })),
  }
}
