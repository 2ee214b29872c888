/**
 * Documents on hold, since their record does not verify. Only their ids are read: nothing else of
 * such a row can be believed.
 */
import { type Queryable, inlined, raw, sql } from '../../database/sql.ts'
import { isDocumentVisible } from '../visibility.ts'

/** The ids of at most `maxRows` documents that the organization shares, the newest first. */
export const heldDocuments = async (
  db: Queryable,
  organization: string,
  maxRows: number,
): Promise<string[]> => {
  const limit = inlined(maxRows)
  const of = (party: 'issuer_id' | 'counterparty_id') => sql`
    (select d.id from documents d, organizations o
     where d.integrity_hold and d.${raw(party)} = ${organization} and o.id = ${organization}
       and ${isDocumentVisible}
     order by d.id desc limit ${limit})`
  const rows = await db.rows<{ id: string }>(sql`
    ${of('issuer_id')} union all ${of('counterparty_id')} order by id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}
