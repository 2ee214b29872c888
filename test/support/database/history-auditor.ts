/** Checks the histories of a whole database: their chains, their heads, and that each is logged. */
import { logStream } from '../../../src/changes/provenance/log-events.ts'
import { encodeId } from '../../../src/core/ids.ts'
import type { HistoryKeys } from '../../../src/core/provenance/history-keys.ts'
import { streamOf } from '../../../src/core/provenance/history-event.ts'
import {
  type IsOurs,
  openedEvents,
  writtenBy,
} from '../../../src/core/provenance/history-verification.ts'
import type { LogId } from '../../../src/core/provenance/signed-notes.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { type Queryable, sql } from '../../../src/database/sql.ts'
import { Failure, checkChain, writer } from '../../../verifier/verify-bundle.mjs'

type Document = Rows['documents']

/** The stream of each history, of which the logs have their own: one per epoch. */
const streamsOf = (documents: readonly Document[]): ReadonlyMap<string, string> => {
  const epochs = Array.from({ length: 9 }, (_, i) => i + 1)
  const logs = (['live', 'test'] as const).flatMap((id) =>
    epochs.map((epoch) => logStream({ id, origin: `localhost/${id}/${epoch}` })),
  )
  return new Map([
    ...logs.map(({ document_id, stream }) => [document_id, stream] as const),
    ...documents.map(
      (row) => [row.id, streamOf(row.stream_salt, encodeId('doc', row.id))] as const,
    ),
  ])
}

/** The number of the first event that is not in one hash chain from 1; undefined if all are. */
const failureOf = (
  rows: readonly Rows['prov_event'][],
  stream: string,
  isOurs: IsOurs,
): number | undefined => {
  try {
    const textOf = writer()
    const opened = [...openedEvents(rows, stream, isOurs, textOf)]
    const headers = opened.map(({ header }) => header)
    const hashes = checkChain(stream, headers, textOf)
    return rows.find(({ hash }, i) => !hash.equals(hashes[i]!))?.seq
  } catch (error) {
    if (error instanceof Failure) return error.seq ?? 1
    throw error
  }
}

/** Each history is one hash chain from 1 to the revision, and its head is in the document's row. */
export const historyViolations = async (
  db: Queryable,
  documents: Document[],
  historyKeys?: HistoryKeys,
): Promise<string[]> => {
  const violations: string[] = []
  const streams = streamsOf(documents)
  const heads = new Map<string, { seq: number; hash: Buffer | null }>()
  const rows = await db.rows<Rows['prov_event']>(
    sql`select * from prov_event order by document_id, seq`,
  )
  const leaves = await db.rows<Rows['log_leaf']>(sql`select * from log_leaf order by seq`)
  const leavesOf = Map.groupBy(leaves, (leaf) => leaf.document_id)
  for (const [document, events] of Map.groupBy(rows, (row) => row.document_id)) {
    const logged = leavesOf.get(document) ?? []
    const log = (logged[0]?.log_id ?? 'test') as LogId
    // Without the service's keys, everything but the MACs is checked.
    const isOurs = historyKeys === undefined ? () => true : writtenBy(historyKeys, log, logged)
    const failedAt = failureOf(events, streams.get(document) ?? '', isOurs)
    if (failedAt !== undefined) violations.push(`history ${failedAt} of ${document}`)
    const { seq, hash } = events.at(-1)!
    heads.set(document, { seq, hash })
  }
  for (const { id, revision, head_seq, head_hash } of documents) {
    const head = heads.get(id)
    if (head?.seq !== head_seq || head.seq !== revision || !head.hash?.equals(head_hash)) {
      violations.push(`head of the history of ${id}`)
    }
    heads.delete(id)
  }
  for (const id of heads.keys()) violations.push(`history of ${id}, which does not exist`)
  const unqueued = db.rows<{ what: string }>(sql`
    select format('neither queued nor in the log: %s %s', p.document_id, p.seq) as what
    from prov_event p
    full join (select document_id, seq, hash from log_queue union all
               select document_id, seq, hash from log_leaf) q
      on (q.document_id, q.seq, q.hash) = (p.document_id, p.seq, p.hash)
    where p.seq is null or q.seq is null`)
  return [...violations, ...(await unqueued).map(({ what }) => what)]
}
