/**
 * What keys have paid or reserved per day. A payment carries the version of the usage with which it
 * was counted, so a usage that is missing, or an old one with its old seal, is noticed.
 */
import { usageId } from '../../core/payments/payment-limits.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'

interface NewestReservation {
  limit_root: string
  limit_day: string
  currency: string
  version: number
}

/** The newest reservation per key, day and currency among the payments of the condition. */
export const newestReservations = (
  db: Queryable,
  condition: SqlQuery,
): Promise<NewestReservation[]> =>
  db.rows(sql`
    select limit_root, limit_day, currency, max(limit_version) as version from payments
    where ${condition} group by limit_root, limit_day, currency`)

/** The ids of usages that do not count the newest reservation. */
export const outdatedUsages = (
  usages: readonly Rows['limit_usage'][],
  reservations: readonly NewestReservation[],
): string[] => {
  const versions = new Map(usages.map(({ id, version }) => [id, version]))
  return reservations
    .map(({ limit_root, limit_day, currency, version }) => ({
      id: usageId(limit_root, currency, limit_day),
      version,
    }))
    .filter(({ id, version }) => (versions.get(id) ?? 0) < version)
    .map(({ id }) => id)
}

/** The amounts that the keys of one rotation chain have paid or reserved on a day, by currency. */
export const dailyVolumes = async (
  db: Queryable,
  root: string,
  day: string,
): Promise<Map<string, bigint>> =>
  (await dailyVolumesOf(db, [root], day)).get(root) ?? new Map<string, bigint>()

/** The same for many chains, by root; one that has paid nothing is absent. */
export const dailyVolumesOf = async (
  db: Queryable,
  roots: readonly string[],
  day: string,
): Promise<Map<string, Map<string, bigint>>> => {
  const [usages, reservations] = await Promise.all([
    sealedRows(
      db,
      'limit_usage',
      sql`where root_key_id = any(${[...roots]}::uuid[]) and day = ${day}`,
    ),
    newestReservations(db, sql`limit_root = any(${[...roots]}::uuid[]) and limit_day = ${day}`),
  ])
  const [outdated] = outdatedUsages(usages, reservations)
  if (outdated !== undefined) throw new BrokenSeal('limit_usage', outdated)
  const ofRoots = Map.groupBy(usages, ({ root_key_id }) => root_key_id)
  return new Map(
    [...ofRoots].map(([root, rows]) => [
      root,
      new Map(rows.map(({ currency, used }) => [currency, used])),
    ]),
  )
}
