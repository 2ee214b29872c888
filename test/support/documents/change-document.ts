/** Changes a document's columns behind the service's back, as if the service had. */
import { decodeId } from '../../../src/core/ids.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import type { TestService } from '../test-service.ts'

export const changeDocument = (
  { database }: TestService,
  id: string,
  change: (row: Rows['documents']) => Partial<Rows['documents']>,
): Promise<Rows['documents'][]> => {
  const condition = sql`t.id = ${decodeId('doc', id)!}`
  return changeSealedRows(database, 'documents', condition, change)
}
