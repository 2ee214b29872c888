/** The progress of the rolling auditor. Each call takes the next part and wraps at the end. */
import { type Queryable, sql } from '../../database/sql.ts'

const firstId = '00000000-0000-0000-0000-000000000000'

/** The next documents of one mode, by id. */
export const nextDocumentsToAudit = async (
  db: Queryable,
  mode: string,
  limit: number,
): Promise<string[]> => {
  const name = `documents ${mode}`
  const position = await savedPosition(db, name)
  const rows = await db.rows<{ id: string }>(sql`
    select id from documents where id > ${position ?? firstId}::uuid and mode = ${mode}
    order by id limit ${limit}`)
  const isLast = rows.length < limit
  await saveProgress(db, name, isLast ? firstId : rows.at(-1)!.id, isLast)
  return rows.map(({ id }) => id)
}

/** The numbers of the next tiles in a log's lowest level. */
export const nextTilesToAudit = async (
  db: Queryable,
  log: string,
  limit: number,
): Promise<number[]> => {
  const name = `tiles ${log}`
  const position = await savedPosition(db, name)
  const rows = await db.rows<{ n: bigint }>(sql`
    select n from log_tile
    where log_id = ${log} and level = 0 and n >= ${position ?? '0'}::bigint
    order by n limit ${limit}`)
  const isLast = rows.length < limit
  await saveProgress(db, name, isLast ? '0' : String(rows.at(-1)!.n + 1n), isLast)
  return rows.map(({ n }) => Number(n))
}

const savedPosition = async (db: Queryable, name: string): Promise<string | undefined> =>
  (
    await db.row<{ position: string }>(
      sql`select position from audit_progress where name = ${name}`,
    )
  )?.position

const saveProgress = (
  db: Queryable,
  name: string,
  position: string,
  isLast: boolean,
): Promise<number> =>
  db.run(sql`
    insert into audit_progress (name, position, finished_at)
    values (${name}, ${position}, case when ${isLast} then clock_timestamp() end)
    on conflict (name) do update set position = excluded.position,
      finished_at = coalesce(excluded.finished_at, audit_progress.finished_at)`)

export const leavesWithEvents = (
  db: Queryable,
  log: string,
  start: number,
  end: number,
): Promise<{ idx: bigint; document_id: string; hash: Buffer; event_hash: Buffer | null }[]> =>
  db.rows(sql`
    select l.idx, l.document_id, l.hash, e.hash as event_hash
    from log_leaf l left join prov_event e on e.document_id = l.document_id and e.seq = l.seq
    where l.log_id = ${log} and l.idx >= ${start} and l.idx < ${end} order by l.idx`)
