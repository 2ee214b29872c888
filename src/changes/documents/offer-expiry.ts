/** An offer that nobody answered lapses on the day after its last (domain 2.4). */
import type { ChangeContext } from '../change-context.ts'
import { moveAsSystem } from './transitions.ts'
import { isFrozen } from './document-access.ts'
import { todayOf } from '../history-and-events.ts'

/** Whether it has lapsed by this; offers that were answered meanwhile, or hold, are left alone. */
export const expireOffer = (change: ChangeContext, id: string): boolean => {
  const offer = change.unit.get('documents', id)
  if (offer === undefined || offer.integrity_hold || offer.valid_until === null) return false
  if (!['sent', 'acknowledged'].includes(offer.status) || isFrozen(change.unit, offer)) return false
  if (offer.valid_until >= todayOf(change.unit, offer.issuer_id)) return false
  moveAsSystem(change, offer, 'expired')
  return true
}
