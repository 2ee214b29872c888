/** An offer that nobody answered lapses on the day after its last (domain 2.4). */
import type { Change } from '../acting-caller.ts'
import { moveBySystem } from './transitions.ts'
import { isOver } from './document-access.ts'
import { todayOf } from '../history-and-events.ts'

/** Whether it has lapsed by this; offers that were answered meanwhile, or hold, are left alone. */
export const expireOffer = (change: Change, id: string): boolean => {
  const offer = change.world.get('documents', id)
  if (offer === undefined || offer.integrity_hold || offer.valid_until === null) return false
  if (!['sent', 'acknowledged'].includes(offer.status) || isOver(change.world, offer)) return false
  if (offer.valid_until >= todayOf(change.world, offer.issuer_id)) return false
  moveBySystem(change, offer, 'expired')
  return true
}
