/**
 * Creates organizations, for provisioning and operators. Invariant: an organization never exists
 * without its counters and its accounts.
 */
import type { Mode } from '../../core/identity/credentials.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { insertCounters, insertOrganization } from '../../store/identity/organizations.ts'
import { noRows } from '../../store/identity/row-counts.ts'
import { openAccounts } from '../payments/open-accounts.ts'

export interface NewOrganization {
  name: string
  mode: Mode
  verified: boolean
  currency: string
  /** The live organization that owns this sandbox. */
  sandboxOf?: string
  /** Whether the service plays this organization (domain 6). */
  isDemo?: boolean
}

/** Returns the id of the new organization with its accounts, which are funded in a sandbox. */
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
    profile_digest: null,
    reset_position: 0n,
    reset_at: null,
    is_demo: isDemo,
    created_at: now,
    version: 0n,
    access_version: 0n,
    row_versions: noRows,
  })
  await insertCounters(tx, id, now)
  await openAccounts(tx, { organization: id, mode, now })
  return id
}
