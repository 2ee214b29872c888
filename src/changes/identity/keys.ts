/** Creates, rotates and revokes API keys (specification 3 and 5). */
import { randomBytes } from 'node:crypto'
import { refuse } from '../../contract/errors.ts'
import type { HeldQuotas } from '../../contract/quotas.ts'
import { keyRandomBytes, mintKey } from '../../core/identity/credentials.ts'
import { encodeId } from '../../core/ids.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { checkRowQuota } from '../quotas.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'
import { countWithdrawal, organizationForUpdate } from '../../store/identity/access-versions.ts'
import { addToRowCounts } from '../../store/identity/row-counts.ts'
import * as store from '../../store/identity/keys.ts'
import { later } from '../../core/dates.ts'

export type KeyStatus = 'active' | 'rotating' | 'expired' | 'revoked'

/** The status by the database's clock, as the next request would find it. */
export const keyStatusOf = (key: store.KeyWithNow): KeyStatus => {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expires_at !== null && key.expires_at <= key.now) return 'expired'
  return key.rotated_to_id === null ? 'active' : 'rotating'
}

export interface NewKey {
  organization: string
  mode: 'live' | 'test'
  createdBy: string
  name: string
  scopes: readonly string[]
  allowedCidrs: readonly string[]
  maxPerPayment: bigint | null
  dailyVolume: bigint | null
  /** Which of its payments a person has to approve. */
  approval?: ApprovalSetting
  expiresAt: string | null
  /** The public key that verifies the writes of the key; null if they are not signed. */
  signingKey: Buffer | null
}

export type ApprovalSetting = Pick<store.KeyRow, 'requires_approval' | 'requires_approval_above'>

const noApproval: ApprovalSetting = { requires_approval: false, requires_approval_above: null }

export interface CreatedKey {
  key: store.KeyWithNow
  secret: string
}

/** The secret exists only in the response; the database stores its hash. */
export const createKey = async (tx: Queryable, input: NewKey): Promise<CreatedKey> => {
  const created = await mint(tx, input)
  await addToRowCounts(tx, input.organization, { keys: 1 })
  return created
}

/** The caller counts the new row. */
const mint = async (
  tx: Queryable,
  input: NewKey,
  predecessor?: store.KeyRow,
): Promise<CreatedKey> => {
  // Locked, so that the key has the version of the organization when it is committed.
  const { access_version } = (await organizationForUpdate(tx, input.organization))!
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { key: secret, prefix } = mintKey(input.mode, randomBytes(keyRandomBytes))
  await store.insertKey(tx, {
    id,
    organization_id: input.organization,
    mode: input.mode,
    name: input.name,
    hash: tx.seals.credentialMac(secret),
    prefix,
    scopes: [...input.scopes],
    allowed_cidrs: [...input.allowedCidrs],
    max_per_payment: input.maxPerPayment,
    daily_volume: input.dailyVolume,
    ...(input.approval ?? noApproval),
    signing_key: input.signingKey,
    root_id: predecessor?.root_id ?? id,
    rotated_from_id: predecessor?.id ?? null,
    rotated_to_id: null,
    expires_at: input.expiresAt,
    revoked_at: null,
    last_used_at: null,
    created_by: input.createdBy,
    created_at: now,
    access_version,
  })
  return { key: (await store.keyById(tx, input.organization, id))!, secret }
}

/** Refused if the organization has as many active keys as it may. */
export const createKeyWithinQuota = async (
  tx: Queryable,
  input: NewKey,
  held: HeldQuotas,
): Promise<CreatedKey> => {
  await organizationForUpdate(tx, input.organization)
  await checkRowQuota(tx, held, { quota: 'active_keys', holder: input.organization })
  return createKey(tx, input)
}

/**
 * Replaces a key by one with equal name, scopes, ranges, limits, expiry and signing key; the old
 * one gets its grace.
 */
export const rotateKey = async (
  tx: Queryable,
  organization: string,
  id: string,
  { userId, graceMs }: { userId: string; graceMs: number },
): Promise<CreatedKey & { previous: store.KeyWithNow }> => {
  const old = await lockedKey(tx, organization, id)
  const status = keyStatusOf(old)
  if (status !== 'active') {
    throw refuse('conflict', `The key is ${status}: only an active key can be rotated.`, {
      reason: 'key_not_active',
    })
  }

  // From here the change must succeed.
  const replacement = await mint(
    tx,
    {
      organization,
      mode: old.mode as 'live' | 'test',
      createdBy: userId,
      name: old.name,
      scopes: old.scopes,
      allowedCidrs: old.allowed_cidrs,
      maxPerPayment: old.max_per_payment,
      dailyVolume: old.daily_volume,
      approval: {
        requires_approval: old.requires_approval,
        requires_approval_above: old.requires_approval_above,
      },
      expiresAt: old.expires_at,
      signingKey: old.signing_key,
    },
    old,
  )
  const graceEnds = later(old.now, graceMs)
  const expiresAt =
    old.expires_at !== null && old.expires_at < graceEnds ? old.expires_at : graceEnds
  await store.setRotated(tx, id, replacement.key.id, expiresAt)
  await countWithdrawal(tx, organization)
  await addToRowCounts(tx, organization, { keys: 1 })
  return { ...replacement, previous: (await store.keyById(tx, organization, id))! }
}

/** Immediate and permanent; safe to repeat, with the same result. */
export const revokeKey = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<store.KeyWithNow> => {
  const key = await lockedKey(tx, organization, id)
  if (key.revoked_at !== null) return key
  await store.setRevoked(tx, id, await databaseNow(tx))
  await countWithdrawal(tx, organization)
  return (await store.keyById(tx, organization, id))!
}

const lockedKey = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<store.KeyWithNow> => {
  const key = await store.keyForUpdate(tx, organization, id)
  if (key !== undefined) return key
  throw await notFoundOrIsolated(tx, organization, 'key', encodeId('key', id))
}
