/** Starts a new epoch of a log after a restore: all its events go back into the queue. */
import { type Queryable, raw, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

/** The first event of a stream and its leaf in this log. */
export const firstEventOf = (
  db: Queryable,
  log: string,
  stream: string,
): Promise<(Rows['prov_event'] & { idx: bigint }) | undefined> =>
  db.row(sql`
    select e.*, l.idx from prov_event e
    join log_leaf l on l.document_id = e.document_id and l.seq = e.seq
    where e.document_id = ${stream} and e.seq = 1 and l.log_id = ${log}`)

/** Moves the leaves, followed by the queue, into a temporary table, both in their order. */
export const moveToWaiting = async (tx: Queryable, log: string): Promise<void> => {
  await tx.run(sql`lock table log_queue in exclusive mode`)
  await tx.run(sql`
    create temp table waiting on commit drop as
    select document_id, seq, hash, 0 as part, idx as place from log_leaf where log_id = ${raw(quoted(log))}
    union all select document_id, seq, hash, 1, id from log_queue where log_id = ${raw(quoted(log))}`)
  await tx.run(sql`delete from log_queue where log_id = ${log}`)
}

/** A literal, because `create table as` takes no parameters. */
const quoted = (log: string): string => (log === 'live' ? "'live'" : "'test'")

export const requeueWaiting = (tx: Queryable, log: string): Promise<number> =>
  tx.run(sql`
    insert into log_queue (log_id, document_id, seq, hash)
    select ${log}, document_id, seq, hash from waiting order by part, place`)

const epochTables = ['log_leaf', 'log_tile', 'log_checkpoint', 'log_key']

/** Deletes the log and its head notes. Signed checkpoints remain in the notary's old folder. */
export const deleteEpoch = async (tx: Queryable, log: string): Promise<void> => {
  for (const table of epochTables) {
    await withoutTriggers(tx, table, sql`delete from ${raw(table)} where log_id = ${log}`)
  }
  await withoutTriggers(
    tx,
    'head_note',
    sql`delete from head_note h using documents d where d.id = h.document_id and d.mode = ${log}`,
  )
}

const withoutTriggers = async (
  tx: Queryable,
  table: string,
  statement: ReturnType<typeof sql>,
): Promise<void> => {
  await tx.run(sql`alter table ${raw(table)} disable trigger user`)
  await tx.run(statement)
  await tx.run(sql`alter table ${raw(table)} enable trigger user`)
}
