/** An offer that nobody answered lapses on the day after its last (domain 2.4). */
import type { World } from '../engine/world.ts'
import type { Change } from './caller.ts'
import { moveBySystem } from './documents.ts'
import { todayOf } from './record.ts'

/** Whether it has lapsed by this; offers that were answered meanwhile, or hold, are left alone. */
export const expireOffer = (world: World, macKey: Buffer | null, id: string): boolean => {
  const offer = world.get('documents', id)
  if (offer === undefined || offer.integrity_hold || offer.valid_until === null) return false
  if (!['sent', 'acknowledged'].includes(offer.status)) return false
  if (offer.valid_until >= todayOf(world, offer.issuer_id)) return false
  moveBySystem(systemChange(world, macKey), offer, 'expired')
  return true
}

const systemChange = (world: World, macKey: Buffer | null): Change => ({
  world,
  macKey,
  caller: {
    actor: { kind: 'system' },
    canPay: false,
    grantedScopes: [],
    requestId: '',
    idempotencyKey: null,
    dryRun: false,
    ifMatch: undefined,
  },
})
