/** Who makes a change, as histories and events record it. */
import { encodeId } from '../core/ids.ts'
import type { Quotas } from '../contract/quotas.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'

export type Actor =
  | { kind: 'api_key'; organization_id: string; key_id: string; key_prefix: string }
  | { kind: 'user'; organization_id: string; user_id: string }
  | { kind: 'system' }

export interface ActingCaller {
  actor: Actor
  /** Effective payments:write. */
  canPay: boolean
  /** What the credential was granted, for refusals that name it. */
  grantedScopes: readonly string[]
  requestId: string
  /** Null for tasks, and for operations whose answer shows a secret. */
  idempotencyKey: string | null
  dryRun: boolean
  /** If-Match, as sent. */
  ifMatch: string | undefined
}

/** One business change under way: where, by whom, and the key that marks its history as ours. */
export interface ChangeContext {
  unit: UnitOfWork
  caller: ActingCaller
  /**
   * HMAC key of provenance: the log refuses events that the service did not write. Null only where
   * the benchmark prices history by leaving it out.
   */
  macKey: Buffer | null
  /** How long played organizations take for a step. */
  sandboxStepMs: number
  /** How much a sandbox organization may do; null = no matter. */
  quotas: Quotas | null
}

/** What both parties read of the actor. */
export const actorForBoth = (actor: Actor): object => {
  if (actor.kind === 'system') return { kind: 'system' }
  const organization_id = encodeId('org', actor.organization_id)
  return actor.kind === 'api_key'
    ? { kind: 'api_key', organization_id, key_prefix: actor.key_prefix }
    : { kind: 'user', organization_id }
}

/** What only the acting party reads. */
export const actorForOwnSide = (actor: Actor): object | null => {
  if (actor.kind === 'system') return null
  return actor.kind === 'api_key'
    ? { key_id: encodeId('key', actor.key_id) }
    : { user_id: encodeId('usr', actor.user_id) }
}
