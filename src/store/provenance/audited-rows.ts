/** What the rolling auditor reads. How far it is, the notary remembers. */
import { type Queryable, sql } from '../../database/sql.ts'

/** The next documents of one mode, by id. */
export const documentsAfter = async (
  db: Queryable,
  mode: string,
  id: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from documents where id > ${id}::uuid and mode = ${mode} order by id limit ${limit}`)
  return rows.map((row) => row.id)
}

export interface AuditedLeaf {
  idx: bigint
  document_id: string
  hash: Buffer
  /** The hash of the event that the leaf names; null without one. */
  event_hash: Buffer | null
  /** The last event of the document that the leaf names; null without a document. */
  head_seq: number | null
  seq: number
}

/** The leaves of a range with what they name. */
export const auditedLeaves = (
  db: Queryable,
  log: string,
  start: number,
  end: number,
): Promise<AuditedLeaf[]> =>
  db.rows(sql`
    select l.idx, l.document_id, l.seq, l.hash, e.hash as event_hash, d.head_seq
    from log_leaf l
    left join prov_event e on e.document_id = l.document_id and e.seq = l.seq
    left join documents d on d.id = l.document_id
    where l.log_id = ${log} and l.idx >= ${start} and l.idx < ${end} order by l.idx`)
