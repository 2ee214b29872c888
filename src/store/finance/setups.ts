/** Finance setups of organizations. */
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'
import { currentOnlyRow } from '../identity/row-versions.ts'

export type SetupRow = Rows['finance_setups']

/** Throws BrokenSeal for an old row, or if it is gone. */
export const setupOf = (db: Queryable, organization: string): Promise<SetupRow | undefined> =>
  currentOnlyRow(db, 'finance_setups', organization)

/** The caller has locked the organization's counters. */
export const saveSetup = (
  tx: Queryable,
  row: SetupRow,
  before: SetupRow | undefined,
): Promise<number> =>
  before === undefined
    ? insertRows(tx, 'finance_setups', [row])
    : updateRows(tx, 'finance_setups', {
        key: ['organization_id'],
        set: Object.keys(row),
        rows: [row],
      })
