/**
 * New organizations. Provisioning and operators make them here and nowhere else.
 *
 * Invariant: an organization never exists without its head and its accounts.
 */
import type { Mode } from '../../core/identity/credentials.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import { insertCounters, insertOrganization } from '../../store/identity/organizations.ts'
import { openAccounts } from '../payments/open-accounts.ts'

export interface NewOrganization {
  name: string
  mode: Mode
  verified: boolean
  currency: string
  /** The live organization whose practice this one is. */
  sandboxOf?: string
  /** Played by the service (domain 6). */
  isDemo?: boolean
}

/** The id of a new organization; it has its accounts, and in the sandbox money on them. */
export const createOrganization = async (
  tx: Queryable,
  { name, mode, verified, currency, sandboxOf, isDemo = false }: NewOrganization,
): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await insertOrganization(tx, {
    id,
    mode,
    name,
    sandbox_of: sandboxOf ?? null,
    default_currency: currency,
    clock_offset_seconds: 0n,
    verified_at: verified ? now : null,
    suspended_at: null,
    reset_position: 0n,
    reset_at: null,
    is_demo: isDemo,
    created_at: now,
  })
  await insertCounters(tx, id, now)
  await openAccounts(tx, { organization: id, mode, now })
  return id
}
