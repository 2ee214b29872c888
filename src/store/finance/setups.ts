/** Finance setups of organizations. */
import type { Rows } from '../../database/rows.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'

export type SetupRow = Rows['finance_setups']

export const setupOf = (db: Queryable, organization: string): Promise<SetupRow | undefined> =>
  sealedRow(db, 'finance_setups', sql`where t.organization_id = ${organization}`)

/** The caller has locked the organization's counters. */
export const saveSetup = (
  tx: Queryable,
  row: SetupRow,
  before: SetupRow | undefined,
): Promise<number> =>
  before === undefined
    ? insertRows(tx, 'finance_setups', [row])
    : updateRows(tx, 'finance_setups', ['organization_id'], Object.keys(row), [row])

export const lockCounters = (tx: Queryable, organization: string): Promise<unknown> =>
  tx.row(sql`
    select 1 from organization_counters where organization_id = ${organization} for no key update`)
