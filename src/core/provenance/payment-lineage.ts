/**
 * What settled a document, as its own history tells (provenance 3): a payment has no history of its
 * own, so the link to it is pinned by the event in which it settled.
 */
import type { Known, Placed, PlacedLink } from './lineage.ts'
import type { CheckedEvent } from './record-verification.ts'

/** What both parties hold of a payment in the history of its document. */
interface ToldPayment {
  id: string
  kind: string
  status: string
}

interface FoundPayment extends ToldPayment {
  /** The event in which it settled, and the one that tells of that now. */
  settled: CheckedEvent
  seq: number
}

/** The payments that settled, as the events tell; what was erased is told by the erasure. */
const paymentsIn = (events: readonly CheckedEvent[]): FoundPayment[] => {
  const told = events.flatMap(({ header, open }) => {
    const body = open.shared?.body
    const own = { seq: header.seq, payment: body?.['payment'] }
    const remains = (body?.['erased'] ?? []) as { seq: number; payment?: unknown }[]
    return [own, ...remains].flatMap(({ seq, payment }) =>
      payment === undefined
        ? []
        : [{ event: events[seq - 1]!, seq: header.seq, payment: payment as ToldPayment }],
    )
  })
  const found = new Map<string, FoundPayment>()
  for (const { event, seq, payment } of told.toSorted(
    (a, b) => a.event.header.seq - b.event.header.seq,
  )) {
    const before = found.get(payment.id)
    if (before !== undefined) found.set(payment.id, { ...before, ...payment })
    else if (payment.status === 'settled') {
      found.set(payment.id, { ...payment, settled: event, seq })
    }
  }
  return [...found.values()]
}

/** A step for each payment that settled the document, and the link that pins it. */
export const settlements = ({ history }: Known): { steps: Placed[]; links: PlacedLink[] } => {
  const { stream, events } = history
  const payments = paymentsIn(events).map(({ id, kind, status, settled, seq }) => ({
    ...{ id, kind, status, seq, key: `${stream} ${id}` },
    at: settled.header.at,
    settledSeq: settled.header.seq,
    event_hash: settled.hash.toString('hex'),
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
