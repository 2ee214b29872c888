/** Look-ups of single rows, which share a statement with others of the same moment. */
import { type IsAbandoned, batchLoader } from '../../database/batch-loader.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import { type FoundDocument, documentsById } from './documents.ts'
import { connectionsById } from './issue-facts.ts'

/** None checks who may see the row. */
export interface SharedLookUps {
  documentById(id: string, isAbandoned?: IsAbandoned): Promise<FoundDocument>
  /** Throws BrokenSeal if it is not as it was sealed, or is gone. */
  connectionById(id: string): Promise<Rows['connections']>
}

export const openSharedLookUps = (db: Queryable): SharedLookUps => {
  const connection = batchLoader((ids: readonly string[]) => connectionsById(db, ids))
  return {
    documentById: batchLoader((ids) => documentsById(db, ids)),
    connectionById: async (id) => {
      const found = await connection(id)
      if (found instanceof BrokenSeal) throw found
      return found
    },
  }
}
