/** Changes rows by a statement of the test, and seals them as the service would have. */
import type { SealedTable, TextTable } from '../../../src/database/row-seals.ts'
import { sealRows } from '../../../src/database/sealed-rows.ts'
import { type Connection, type Queryable, type SqlQuery, sql } from '../../../src/database/sql.ts'
import { updateRows } from '../../../src/database/table-writes.ts'
import {
  type StoredResponseRow,
  responseParts,
  storedResponse,
} from '../../../src/store/documents/stored-texts.ts'
import { inTurn } from './in-turn.ts'

/**
 * Other tests may write other rows of the table meanwhile: those are as they were sealed. In one
 * transaction, so that an auditor sees no row without its new seal.
 */
export const runAndSeal = (
  database: Connection,
  table: Exclude<SealedTable, TextTable>,
  query: SqlQuery,
): Promise<number> => inTurn(database, (tx) => runAndSealWithin(tx, table, query))

/** The same as part of a transaction. */
export const runAndSealWithin = async (
  tx: Queryable,
  table: Exclude<SealedTable, TextTable>,
  query: SqlQuery,
): Promise<number> => {
  const count = await tx.run(query)
  await sealRows(tx, table)
  return count
}

/** The same of the stored responses of one organization, with the texts that they stand for. */
export const runAndSealResponses = async (
  database: Queryable,
  organizationId: string,
  query: SqlQuery,
): Promise<void> => {
  await database.run(query)
  const rows = await database.rows<StoredResponseRow>(sql`
    select ${storedResponse}
    from idempotency i left join documents d on d.id = i.document_id
    where i.organization_id = ${organizationId}`)
  const responses = rows.map((row) => ({ ...row, ...responseParts(row) }))
  await updateRows(database, 'idempotency', { key: ['key_mac'], set: [], rows: responses })
}
