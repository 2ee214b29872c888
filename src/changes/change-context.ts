/** The context of a change: its unit of work and its caller, as history and events record it. */
import type { ApprovableOperation } from '../contract/approvals.ts'
import type { ApproverRoles } from '../core/approvals/approval-decisions.ts'
import type { EventSlots } from '../core/provenance/history-event.ts'
import type { HistoryKeys } from '../core/provenance/history-keys.ts'
import { encodeId } from '../core/ids.ts'
import type { RequestSignature } from '../core/provenance/signed-slots.ts'
import type { Quotas } from '../contract/quotas.ts'
import type { Rows } from '../database/rows.ts'
import type { NewRow } from '../database/table-writes.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'

export type Actor =
  | { kind: 'api_key'; organization_id: string; key_id: string; key_prefix: string }
  | { kind: 'user'; organization_id: string; user_id: string }
  | { kind: 'system' }

export interface ActingCaller {
  actor: Actor
  /** Whether the caller effectively holds payments:write. */
  canPay: boolean
  /** The scopes granted to the credential, for refusals that list them. */
  grantedScopes: readonly string[]
  requestId: string
  /** Null for tasks and for operations whose response contains a secret. */
  idempotencyKey: string | null
  dryRun: boolean
  /** The If-Match header as received. */
  ifMatch: string | undefined
  /** The signature of the party, if its key signs. */
  signature: RequestSignature | null
}

/** A write of a caller that may need an approval. */
export interface ApprovableWrite {
  operation: ApprovableOperation
  path: string
  body: unknown
  /** Names the organization and the Idempotency-Key. */
  requestKey: string
  /** How many approvals the organization has asked for within a day. */
  askedToday: number
  /** The roles of those who had approved it when the write began. */
  approverRoles: ApproverRoles
  baseUrl: string
}

export interface ChangeContext {
  unit: UnitOfWork
  caller: ActingCaller
  /** The write, if it is one that may need an approval. */
  approvable: ApprovableWrite | null
  /**
   * HMAC key of the history; the log refuses events without a valid MAC. Null only in the benchmark
   * that measures the cost of history by leaving it out.
   */
  historyKeys: HistoryKeys | null
  /** Nobody can pay in a deployment without the family. */
  isWithoutPayments: boolean
  /** Nobody can start a live payment in a deployment without a processor. */
  isWithoutProcessor: boolean
  /** How long the demo counterparty waits before each step. */
  sandboxStepMs: number
  /** The quotas that hold for the caller. */
  quotas: Quotas
}

export type DocumentRow = Rows['documents']
export type NewDocumentRow = NewRow<'documents'>

/** The part of the actor that both parties see. */
export const actorForBoth = (actor: Actor): object => {
  if (actor.kind === 'system') return { kind: 'system' }
  const organization_id = encodeId('org', actor.organization_id)
  return actor.kind === 'api_key'
    ? { kind: 'api_key', organization_id, key_prefix: actor.key_prefix }
    : { kind: 'user', organization_id }
}

/** The part of the actor that only its own organization sees. */
export const actorForOwnSide = (actor: Actor): { key_id: string } | { user_id: string } | null => {
  if (actor.kind === 'system') return null
  return actor.kind === 'api_key'
    ? { key_id: encodeId('key', actor.key_id) }
    : { user_id: encodeId('usr', actor.user_id) }
}

/** What happens to a draft is for its issuer alone, who sees all of the actor in one slot. */
export const draftSlots = (actor: Actor, event: object): EventSlots => ({
  shared: null,
  issuer: { ...event, actor: { ...actorForBoth(actor), ...actorForOwnSide(actor) } },
  counterparty: null,
})
