/**
 * What a rail says of its own accord. Events come repeated and in any order: a payment only moves
 * forward (processing → settled or failed, settled → returned), an event that comes too early is
 * refused so that the rail sends it again, and each is applied once.
 */
import { failPayment, settlePayment, returnPayment } from '../changes/payments/payment-lifecycle.ts'
import { loadedPayment } from '../changes/payments/payment-record.ts'
import type { Context } from '../context.ts'
import { decodeId } from '../core/ids.ts'
import type { RailEvent } from '../rails/rail.ts'
import {
  isRailEventApplied,
  markRailEventApplied,
  paymentOfRailEvent,
} from '../store/payments/processors.ts'
import { performAsSystem } from './system-write.ts'

/** `early`: what it rests on is not known yet. `unknown`: not about a payment of ours. */
export type RailEventResult = 'applied' | 'early' | 'unknown'

export const applyRailEvent = async (
  context: Context,
  rail: string,
  { id, payment, reference, news }: RailEvent,
): Promise<RailEventResult> => {
  const { read } = context.database
  if (news === undefined) return 'unknown'
  if (await isRailEventApplied(read, rail, id)) return 'applied'
  const uuid = payment === undefined ? undefined : decodeId('pay', payment)
  const known = await paymentOfRailEvent(read, rail, { id: uuid, reference })
  // Only debits that we made carry our id: that one is ours, and soon there to be found.
  if (known === undefined)
    return uuid === undefined && news.outcome === 'returned' ? 'early' : 'unknown'
  const rowsToLock = { documents: [known.document_id], payments: [known.document_id] }
  let applied: RailEventResult = 'applied'
  await performAsSystem(context, known.payer_id, rowsToLock, (change) => {
    applied = 'applied'
    const found = loadedPayment(change.unit, known.id)
    if (found === undefined) return
    const { document, payment: current } = found
    if (news.outcome === 'returned') {
      if (current.status === 'settled') returnPayment(change, document, current, news.code)
      else if (current.status === 'processing') applied = 'early'
    } else if (current.status !== 'processing') return
    else if (news.outcome === 'settled') settlePayment(change, document, current, news.reference)
    else failPayment(change, document, current, news.code)
  })
  if (applied === 'applied') await markRailEventApplied(read, rail, id)
  return applied
}
