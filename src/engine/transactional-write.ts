/**
 * A write that is not worth batching (keys, sessions, connections): it runs alone on a connection,
 * under the same rules of idempotency, dry run and kept reply as every other.
 */
import type { Database } from '../database/pool.ts'
import { type Connection, sql } from '../database/sql.ts'
import { deleteReplies, insertReplies, repliesFor } from '../store/idempotency.ts'
import { type Retention, lockNumber, replyTo, settled } from './idempotency.ts'
import type { Answer, Idempotency, Member, Outcome } from './write-request.ts'

type Plain = Member & { write: { kind: 'alone' } }

export const runAlone = async (
  database: Database,
  member: Plain,
  retention: Retention,
): Promise<Outcome> => {
  if (member.write.outside !== undefined) {
    const early = await database.transaction((tx) => settledEarly(tx, member, retention))
    if (early !== undefined) return early
    await member.write.outside()
  }
  const transaction = member.dryRun ? database.rehearsal : database.transaction
  return transaction((tx) => inside(tx, member, retention))
}

const inside = async (tx: Connection, member: Plain, retention: Retention): Promise<Outcome> => {
  const { idempotency, write } = member
  if (member.dryRun || idempotency === undefined) {
    return { kind: 'done', answer: await write.run(tx) }
  }
  const { early, expired, now } = await openKey(tx, member, idempotency, retention)
  if (early !== undefined) return early
  if (expired.length > 0) await deleteReplies(tx, expired)
  const answer: Answer = await write.run(tx)
  const sealWith = write.sealed ? retention.serverKey : undefined
  await insertReplies(tx, [replyTo(member, idempotency, answer, now, sealWith)])
  return { kind: 'done', answer }
}

/** What is clear before anything is called: a kept answer, or the same request elsewhere. */
const settledEarly = async (
  tx: Connection,
  member: Plain,
  retention: Retention,
): Promise<Outcome | undefined> => {
  const { idempotency } = member
  if (member.dryRun || idempotency === undefined) return undefined
  return (await openKey(tx, member, idempotency, retention)).early
}

const openKey = async (
  tx: Connection,
  member: Plain,
  idempotency: Idempotency,
  retention: Retention,
) => {
  const number = lockNumber(idempotency.mac)
  const [lock] = await tx.rows<{ locked: boolean; now: string }>(
    sql`select pg_try_advisory_xact_lock(${number}) as locked, clock_timestamp() as now`,
  )
  // A later statement than the lock: it sees what the last holder committed.
  const kept = await repliesFor(tx, [idempotency.mac])
  const { now, locked } = lock!
  const { outcomes, expired } = settled([member], [locked], kept, now, retention)
  return { early: outcomes.get(member), expired, now }
}
