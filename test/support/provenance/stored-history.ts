/** The history that the database holds, with its bodies as they were hashed. */
import { bodyText } from '../../../src/core/provenance/history-event.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../../src/database/sql.ts'

type Bodies = 'shared_body' | 'issuer_body' | 'counterparty_body'
export type StoredEvent = Omit<Rows['prov_event'], Bodies> & Record<Bodies, string | null>

/** Those to which the condition on `e` applies, by document and seq. */
export const storedHistory = async (
  db: Queryable,
  condition: SqlQuery = sql`true`,
): Promise<StoredEvent[]> => {
  const rows = await db.rows<Rows['prov_event']>(
    sql`select e.* from prov_event e where ${condition} order by e.document_id, e.seq`,
  )
  const text = (body: Buffer | null) => (body === null ? null : bodyText(body))
  return rows.map((row) => ({
    ...row,
    shared_body: text(row.shared_body),
    issuer_body: text(row.issuer_body),
    counterparty_body: text(row.counterparty_body),
  }))
}

/** The shared bodies among them that contain the text. */
export const sharedBodies = async (
  db: Queryable,
  condition: SqlQuery,
  contained = '',
): Promise<string[]> =>
  (await storedHistory(db, condition)).flatMap(({ shared_body: body }) =>
    body?.includes(contained) === true ? [body] : [],
  )

/** The shared body of this leaf. */
export const leafBody = async (
  db: Queryable,
  log: string,
  index: number,
): Promise<string | undefined> => {
  const [body] = await sharedBodies(
    db,
    sql`(e.document_id, e.seq) in
      (select document_id, seq from log_leaf where log_id = ${log} and idx = ${index})`,
  )
  return body
}
