/** Seals the rows that statements of the benchmark have written, as the service would. */
import { type RowSeals, openRowSeals, textlessTables } from '../src/database/row-seals.ts'
import { sealRows } from '../src/database/sealed-rows.ts'
import { type Connection, raw, sql } from '../src/database/sql.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { serverKey } from './server-key.ts'

export const benchSeals = async (): Promise<RowSeals> =>
  openRowSeals((await openKeyring({ serverKey, dataDir: '' })).seals)

export const sealSeededRows = async (db: Connection): Promise<void> => {
  for (const table of textlessTables) {
    const unsealed = await db.rows(sql`select 1 from ${raw(table)} where seal = '' limit 1`)
    if (unsealed.length > 0) await sealRows(db, table)
  }
}
