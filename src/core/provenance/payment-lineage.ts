/**
 * What settled a document, as its own history tells (provenance 3): a payment has no history of its
 * own, so the link to it is pinned by the event in which it settled.
 */
import type { LineageNode, UnnumberedStep, UnnumberedLink } from './lineage.ts'
import type { VerifiedEvent } from './record-verification.ts'

/** What both parties hold of a payment in the history of its document. */
interface RecordedPayment {
  id: string
  kind: string
  status: string
}

interface SettledPayment extends RecordedPayment {
  /** The event in which it settled, and the one that tells of that now. */
  settledIn: VerifiedEvent
  seq: number
}

/** The payments that settled, as the events tell; what was erased is told by the erasure. */
const settledPaymentsIn = (events: readonly VerifiedEvent[]): SettledPayment[] => {
  const mentions = events.flatMap(({ header, open }) => {
    const body = open.shared?.body
    const own = { seq: header.seq, payment: body?.['payment'] }
    const remains = (body?.['erased'] ?? []) as { seq: number; payment?: unknown }[]
    return [own, ...remains].flatMap(({ seq, payment }) =>
      payment === undefined
        ? []
        : [{ event: events[seq - 1]!, seq: header.seq, payment: payment as RecordedPayment }],
    )
  })
  const found = new Map<string, SettledPayment>()
  for (const { event, seq, payment } of mentions.toSorted(
    (a, b) => a.event.header.seq - b.event.header.seq,
  )) {
    const before = found.get(payment.id)
    if (before !== undefined) found.set(payment.id, { ...before, ...payment })
    else if (payment.status === 'settled') {
      found.set(payment.id, { ...payment, settledIn: event, seq })
    }
  }
  return [...found.values()]
}

/** A step for each payment that settled the document, and the link that pins it. */
export const paymentLineage = ({
  history,
}: LineageNode): { steps: UnnumberedStep[]; links: UnnumberedLink[] } => {
  const { stream, events } = history
  const payments = settledPaymentsIn(events).map(({ id, kind, status, settledIn, seq }) => ({
    ...{ id, kind, status, seq, key: `${stream} ${id}` },
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
