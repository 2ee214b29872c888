/** Programs that wait for a person to approve their sign-in. Only MACs of the codes are stored. */
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'

export type DeviceCodeRow = Rows['device_codes']

export const insertDeviceCode = (db: Queryable, row: DeviceCodeRow): Promise<number> =>
  insertRows(db, 'device_codes', [row])

/** By the MACs of the code that the program keeps. */
export const deviceCodeByHash = (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<DeviceCodeRow | undefined> =>
  sealedRow(db, 'device_codes', sql`where t.hash = any(${columnArray('bytea', hashes)})`)

/** By the MACs of the code that the person types; locked. */
export const userCodeForUpdate = (
  tx: Queryable,
  hashes: readonly Buffer[],
): Promise<DeviceCodeRow | undefined> =>
  sealedRow(
    tx,
    'device_codes',
    sql`where t.user_hash = any(${columnArray('bytea', hashes)}) for no key update`,
  )

export interface CodeCount {
  count: number
  /** When the next one expires; null without one. */
  next_end: string | null
}

/** The codes that have not expired: of the network, of a block of networks, or all. */
export const countDeviceCodes = async (
  db: Queryable,
  { network, block }: { network?: string; block?: string } = {},
): Promise<CodeCount> => {
  const own = network === undefined ? sql`` : sql`and network = ${network}`
  const near = block === undefined ? sql`` : sql`and ${isIn(block)}`
  const row = await db.row<CodeCount>(sql`
    select count(*)::int as count, min(expires_at) as next_end from device_codes
    where expires_at > pg_catalog.clock_timestamp() ${own} ${near}`)
  return row!
}

/** Who has hung up has no address any more, and one with a zone (`fe80::1%eth0`) is in no range. */
const isIn = (block: string): SqlQuery =>
  block.includes('/')
    ? sql`case when network ~ '^[0-9a-f.:/]+$' then network::cidr <<= ${block}::cidr else false end`
    : sql`false`

/** Nobody may have decided meanwhile. */
export const setPolled = (
  tx: Queryable,
  { hash }: DeviceCodeRow,
  polled: Pick<DeviceCodeRow, 'polled_at' | 'interval_seconds'>,
): Promise<DeviceCodeRow[]> =>
  changeSealedRows(
    tx,
    'device_codes',
    sql`t.hash = ${hash} and t.status in ('pending', 'claimed')`,
    () => polled,
  )

/** The caller has locked the row. */
export const changeDeviceCode = async (
  tx: Queryable,
  { hash }: DeviceCodeRow,
  change: Partial<DeviceCodeRow>,
): Promise<DeviceCodeRow> => {
  const [changed] = await changeSealedRows(tx, 'device_codes', sql`t.hash = ${hash}`, () => change)
  return changed!
}

export const deleteDeviceCode = (tx: Queryable, { hash }: DeviceCodeRow): Promise<number> =>
  tx.run(sql`delete from device_codes where hash = ${hash}`)

export const purgeDeviceCodes = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from device_codes where hash in
      (select hash from device_codes where expires_at < pg_catalog.clock_timestamp() limit ${limit}
       for update skip locked)`)
