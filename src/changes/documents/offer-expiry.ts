/** Expires an unanswered offer on the day after its last valid day (domain 2.4). */
import type { ChangeContext } from '../change-context.ts'
import { moveAsSystem } from './transitions.ts'
import { viewersOf } from './document-access.ts'
import { todayOf } from '../organization-clock.ts'

/** Returns whether the offer has expired; skips offers that were answered or are still valid. */
export const expireOffer = (change: ChangeContext, id: string): boolean => {
  const offer = change.unit.get('documents', id)
  if (offer === undefined || offer.integrity_hold || offer.valid_until === null) return false
  if (!['sent', 'acknowledged'].includes(offer.status)) return false
  // A party that has reset its sandbox no longer sees the offer, which therefore stays as it is.
  if (viewersOf(change.unit, offer).length < 2) return false
  if (offer.valid_until >= todayOf(change.unit, offer.issuer_id)) return false
  moveAsSystem(change, offer, 'expired')
  return true
}
