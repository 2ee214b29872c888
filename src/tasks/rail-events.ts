/**
 * What a rail says of its own accord. Events come repeated and in any order: a payment only moves
 * forward (processing → settled or failed, settled → returned), an event that comes too early is
 * refused so that the rail sends it again, and each is applied once.
 */
import { fail, settle, takeBack } from '../changes/payments/settlement.ts'
import { loadedPayment } from '../changes/payments/payment-record.ts'
import type { Context } from '../context.ts'
import { decodeId } from '../core/ids.ts'
import type { RailEvent } from '../rails/rail.ts'
import { isEventApplied, noteEventApplied, paymentNamed } from '../store/payments/processors.ts'
import { decideAsSystem } from './system-write.ts'

/** `early`: what it rests on is not known yet. `unknown`: not about a payment of ours. */
export type Applied = 'applied' | 'early' | 'unknown'

export const applyRailEvent = async (
  context: Context,
  rail: string,
  { id, payment, reference, news }: RailEvent,
): Promise<Applied> => {
  const { read } = context.database
  if (news === undefined) return 'unknown'
  if (await isEventApplied(read, rail, id)) return 'applied'
  const uuid = payment === undefined ? undefined : decodeId('pay', payment)
  const named = await paymentNamed(read, rail, { id: uuid, reference })
  // Only debits that we made carry our id: that one is ours, and soon there to be found.
  if (named === undefined)
    return uuid === undefined && news.outcome === 'returned' ? 'early' : 'unknown'
  const needs = { documents: [named.document_id], payments: [named.document_id] }
  let applied: Applied = 'applied'
  await decideAsSystem(context, named.payer_id, needs, (change) => {
    applied = 'applied'
    const found = loadedPayment(change.world, named.id)
    if (found === undefined) return
    const { document, payment: now } = found
    if (news.outcome === 'returned') {
      if (now.status === 'settled') takeBack(change, document, now, news.code)
      else if (now.status === 'processing') applied = 'early'
    } else if (now.status !== 'processing') return
    else if (news.outcome === 'settled') settle(change, document, now, news.reference)
    else fail(change, document, now, news.code)
  })
  if (applied === 'applied') await noteEventApplied(read, rail, id)
  return applied
}
