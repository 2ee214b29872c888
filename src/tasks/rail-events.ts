/**
 * Applies the events that a rail sends. They arrive repeatedly and in any order: a payment only
 * moves forward (processing → settled or failed, settled → returned), an early event is refused so
 * that the rail sends it again, and each event is applied once.
 */
import { failPayment, settlePayment, returnPayment } from '../changes/payments/payment-lifecycle.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import { loadedPayment } from '../changes/payments/payment-record.ts'
import type { Context } from '../context.ts'
import { decodeId } from '../core/ids.ts'
import type { RailEvent, RailEventResult } from '../rails/rail.ts'
import * as store from '../store/payments/processors.ts'
import { performAsSystem } from './system-write.ts'

export const applyRailEvent = async (
  context: Context,
  rail: string,
  { id, payment, reference, result }: RailEvent,
): Promise<RailEventResult> => {
  const { read } = context.database
  if (result === undefined) return 'unknown'
  if (await store.isRailEventApplied(read, rail, id)) return 'applied'
  const uuid = payment === undefined ? undefined : decodeId('pay', payment)
  // A return names its payment only by the rail's reference, which may not be stored yet. That is
  // asked first: a reference that is stored in between is found by the look-up after it.
  const mayComeToBeKnown =
    result.outcome === 'returned' &&
    reference !== undefined &&
    (await store.awaitsReference(read, rail))
  const target = await store.paymentOfRailEvent(read, rail, { id: uuid, reference })
  if (target === undefined) return mayComeToBeKnown ? 'early' : 'unknown'
  const rowsToLock = { documents: [target.document_id], paymentsOfDocuments: [target.document_id] }
  let eventResult: RailEventResult = 'applied'
  await performAsSystem(context, target.payer_id, rowsToLock, (change) => {
    eventResult = 'applied'
    const loaded = loadedPayment(change.unit, target.id)
    if (loaded === undefined) return
    const { document, payment: current } = loaded
    if (result.outcome === 'returned') {
      if (current.status === 'settled') returnPayment(change, document, current, result.code)
      else if (current.status === 'processing') eventResult = 'early'
    } else if (current.status !== 'processing') return
    else if (result.outcome === 'settled')
      settlePayment(change, document, current, result.reference)
    else failPayment(change, document, current, result.code)
    followLoan(change, change.unit.get('documents', document.id)!)
  })
  if (eventResult === 'applied') await store.markRailEventApplied(read, rail, id)
  return eventResult
}
