/**
 * Applies the events that a rail sends. They arrive repeatedly and in any order: a payment only
 * moves forward (processing → settled or failed, settled → returned), an early event is refused so
 * that the rail sends it again, and each event is applied once. One that contradicts its payment
 * changes nothing and raises an alarm (docs/decisions/0265).
 */
import { failPayment, settlePayment, returnPayment } from '../changes/payments/payment-lifecycle.ts'
import { followLoan } from '../changes/finance/follow-loan.ts'
import type { ChangeContext } from '../changes/change-context.ts'
import { type LoadedPayment, loadedPayment } from '../changes/payments/payment-record.ts'
import type { Context } from '../context.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import type { RailEvent, RailEventResult } from '../rails/rail.ts'
import type { PaymentRow } from '../store/payments/payments.ts'
import * as store from '../store/payments/processors.ts'
import { performAsSystem } from './system-write.ts'

export const applyRailEvent = async (
  context: Context,
  rail: string,
  event: RailEvent,
): Promise<RailEventResult> => {
  const { id, payment, reference, result } = event
  const { read } = context.database
  if (result === undefined) return 'unknown'
  if (await store.isRailEventApplied(read, rail, id)) return 'applied'
  const uuid = payment === undefined ? undefined : decodeId('pay', payment)
  // A return, or its end, names its payment only by the rail's reference, which may not be stored
  // yet. That is asked first: a reference stored in between is found by the look-up after it.
  const mayComeToBeKnown =
    ['returned', 'reinstated'].includes(result.outcome) &&
    reference !== undefined &&
    (await store.awaitsReference(read, rail))
  const target = await store.paymentOfRailEvent(read, rail, { id: uuid, reference })
  if (target === undefined) return mayComeToBeKnown ? 'early' : 'unknown'
  const documents = [target.document_id]
  // Also a payment that has ended, which the event may contradict.
  const rowsToLock = { documents, paymentsOfDocuments: documents, payments: [target.id] }
  let eventResult = 'applied' as RailEventResult
  await performAsSystem(context, target.payer_id, rowsToLock, (change) => {
    eventResult = 'applied'
    const loaded = loadedPayment(change.unit, target.id)
    if (loaded === undefined) return
    const { document, payment: current } = loaded
    if (contradicts(event, current)) eventResult = 'contradictory'
    else if (result.outcome === 'returned' && current.status === 'processing') eventResult = 'early'
    else if (movePayment(change, loaded, result))
      followLoan(change, change.unit.get('documents', document.id)!)
  })
  if (eventResult === 'contradictory') warn(context, target.id, event)
  if (eventResult !== 'early') await store.markRailEventApplied(read, rail, id)
  return eventResult
}

/** Returns whether the payment has moved: it moves only if it waits for that. */
const movePayment = (
  change: ChangeContext,
  { document, payment }: LoadedPayment,
  result: NonNullable<RailEvent['result']>,
): boolean => {
  const { status } = payment
  if (status === 'settled' && result.outcome === 'returned')
    returnPayment(change, document, payment, result.code)
  else if (status === 'processing' && result.outcome === 'settled')
    settlePayment(change, document, payment, result.reference)
  else if (status === 'processing' && result.outcome === 'failed')
    failPayment(change, document, payment, result.code)
  else return false
  return true
}

/**
 * It is about another debit or a part of it, about one that was given up, or about money that the
 * payee has back. What was taken may be reported after that, so the state of the payment is no
 * matter then.
 */
const contradicts = (
  { reference, money, result }: RailEvent,
  { status, amount, currency, settlement_reference }: PaymentRow,
): boolean =>
  (settlement_reference !== null && reference !== settlement_reference) ||
  (money !== undefined && (money.amount !== amount || money.currency !== currency)) ||
  (result?.outcome === 'settled' && status === 'failed') ||
  result?.outcome === 'reinstated'

const warn = ({ log, metrics }: Context, payment: string, event: RailEvent): void => {
  metrics.count('docex_payments_contradicted_total')
  const { id, reference, result } = event
  const fields = { payment: encodeId('pay', payment), rail_event: id, reference }
  log.error({ ...fields, outcome: result?.outcome }, 'payment_contradicted')
}
