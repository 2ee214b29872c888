/** Seals the documents that statements of the benchmark have written, as the service would. */
import { openRowSeals } from '../src/database/row-seals.ts'
import type { Rows } from '../src/database/rows.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { selectList, updateRows } from '../src/database/table-writes.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { serverKey } from './server-key.ts'

const pageSize = 5_000
const lowestId = '00000000-0000-0000-0000-000000000000'

export const sealDocuments = async (db: Connection): Promise<void> => {
  const seals = openRowSeals((await openKeyring({ serverKey, dataDir: '' })).seals)
  for (let after: string | undefined = lowestId; after !== undefined;) {
    const rows: Rows['documents'][] = await db.rows(sql`
      select ${selectList('documents', 'd')} from documents d
      where id > ${after} order by id limit ${pageSize}`)
    const unsealed = rows.filter(({ seal }) => seal.length === 0)
    const sealed = unsealed.map((row) => seals.seal('documents', row))
    if (sealed.length > 0) await updateRows(db, 'documents', ['id'], ['seal'], sealed)
    after = rows.at(-1)?.id
  }
}
