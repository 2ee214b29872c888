/**
 * Moves a running deployment to a new server key (docs/decisions/0062). Every step can be repeated:
 * a command that was interrupted is given again, and goes on where the database says it stopped.
 *
 * Invariants: nothing is written under a generation before every process had the time to object to
 * it; a row is sealed anew only if its seal holds; a generation is finished only when nothing is
 * left that needs it, apart from what is append-only.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { LogId } from '../core/provenance/signed-notes.ts'
import { reencryptedFactor } from '../changes/identity/second-factors.ts'
import { reencryptedToken } from '../changes/notices/queue-notices.ts'
import { reencryptedSecrets } from '../changes/webhooks/endpoints.ts'
import { countOf } from '../database/counts.ts'
import { type SealedTable, textlessTables } from '../database/row-seals.ts'
import { type ResealedRows, isSealedUnderOther, resealRows } from '../database/sealed-rows.ts'
import { type Connection, type SqlQuery, raw, sql } from '../database/sql.ts'
import { rowsWhere } from '../database/table-writes.ts'
import { inTransaction } from '../database/transactions.ts'
import { resealEvents } from '../store/documents/stored-texts.ts'
import { leafCount, queuedMacs } from '../store/provenance/transparency-log.ts'
import * as store from '../store/server-keys.ts'
import { type Keyring, archiveOf, archivedHistoryKey, serverKeyMac } from './keyring.ts'
import { type Patience, olderTransactionsHaveEnded, openRowsWait } from './rekey-waits.ts'

/** The state of a rekey, by what the database has recorded. */
export type RekeyState = 'none' | 'announced' | 'resealing'

export const rekeyState = async (db: Connection): Promise<RekeyState> => {
  const rows = await store.serverKeys(db)
  if (rows.some(({ seals_since }) => seals_since === null)) return 'announced'
  return rows.filter(({ archive }) => archive === null).length > 1 ? 'resealing' : 'none'
}

/** Numbers the secret; from now on, processes accept what is written under it. */
export const announceGeneration = async (db: Connection, secret: string): Promise<void> => {
  const rows = await store.serverKeys(db)
  const generation = rows.at(-1)!.generation + 1
  const salt = randomBytes(16)
  const mac = serverKeyMac(secret, generation, salt)
  await store.announceServerKey(db, { generation, salt, mac })
}

/**
 * Waits until all processes have read the announcement, and then lets them write under the new
 * generation, while transactions that run may still write under the one before. It returns false,
 * and the announcement is withdrawn, if a process lacks the key.
 */
export const beginGeneration = async (db: Connection, keyring: Keyring): Promise<boolean> => {
  await pause(store.serverKeyTimes.announcedMs)
  const announced = (await store.serverKeys(db)).at(-1)!
  if (keyring.seals.of(announced.generation) === undefined) throw new Error('the key is missing')
  if ((await store.beginServerKey(db, announced.generation)) === 0) {
    await store.withdrawServerKey(db)
    return false
  }
  await keyring.renew(db)
  return true
}

/** The tables that are sealed anew; stored responses age out. */
const resealedTables: readonly SealedTable[] = [...textlessTables, 'events']

export interface ResealedTable {
  table: SealedTable
  resealed: number
  /** Keys of rows that are not as they were sealed. */
  broken: readonly string[]
}

/**
 * Seals all rows of older generations anew, table by table, in short transactions. A command that
 * was interrupted may have been so before the older transactions had ended.
 */
export const resealAll = async (
  db: Connection,
  keyring: Keyring,
  { onTable, patience }: { onTable(done: ResealedTable): void; patience: Patience },
): Promise<void> => {
  await olderTransactionsHaveEnded(db, patience)
  for (const table of resealedTables) {
    onTable(await resealTable(db, keyring, { table, patience }))
  }
}

/** Passes over the table until only rows remain that do not hold. */
const resealTable = async (
  db: Connection,
  keyring: Keyring,
  { table, patience }: { table: SealedTable; patience: Patience },
): Promise<ResealedTable> => {
  let resealed = 0
  let wait = openRowsWait(db, table, patience)
  for (;;) {
    const broken: string[] = []
    const resealedBefore = resealed
    let after: SqlQuery | undefined
    do {
      const round = await inTransaction(db, (tx) => resealRound(tx, keyring, table, after))
      resealed += round.resealed
      broken.push(...round.broken)
      after = round.after
    } while (after !== undefined)
    // The others were locked, or were written meanwhile.
    if ((await countOlder(db, table)) <= broken.length) return { table, resealed, broken }
    if (resealed > resealedBefore) wait = openRowsWait(db, table, patience)
    await wait()
  }
}

const resealRound = (
  tx: Connection,
  { webhookSecrets, secondFactors, notices }: Keyring,
  table: SealedTable,
  after: SqlQuery | undefined,
): Promise<ResealedRows> => {
  if (table === 'events') return resealEvents(tx, after)
  if (table === 'idempotency') throw new Error('stored responses age out')
  if (table === 'webhook_endpoints') {
    return resealRows(tx, table, after, (row) => reencryptedSecrets(webhookSecrets, row))
  }
  if (table === 'second_factors') {
    return resealRows(tx, table, after, (row) => reencryptedFactor(secondFactors, row))
  }
  if (table === 'notices') {
    return resealRows(tx, table, after, (row) => reencryptedToken(notices, row))
  }
  return resealRows(tx, table, after)
}

const countOlder = (db: Connection, table: SealedTable): Promise<number> => {
  const others = isSealedUnderOther(db.seals.generation!)
  return countOf(db, sql`select count(*) as count from ${raw(table)} t where ${others}`)
}

/** By its time as well: an erasure seals a response anew, whose Idempotency-Key has an old MAC. */
const countOlderResponses = (db: Connection): Promise<number> => {
  const generation = db.seals.generation!
  return countOf(
    db,
    sql`
    select count(*) as count from idempotency t
    where (${isSealedUnderOther(generation)}) or t.created_at <
      (select k.seals_since from server_keys k where k.generation = ${generation})`,
  )
}

/** What still needs an older generation, and what an operator can do about it. */
export interface Remainder {
  what: string
  count: number
  advice: string
}

export const remainders = async (db: Connection, keyring: Keyring): Promise<Remainder[]> => {
  const generation = keyring.seals.generation
  const of = (condition: SqlQuery) => sql`${condition} and get_byte(t.hash, 0) < ${generation}`
  // A false row can be neither used nor revoked, and is refused before and after.
  const count = async (table: SealedTable, condition: SqlQuery): Promise<number> =>
    (await rowsWhere(db, table, condition)).filter((row) => db.seals.holds(table, row)).length
  const valid = sql`t.revoked_at is null and t.expires_at > pg_catalog.clock_timestamp()`
  const ofBrowser = sql`t.refresh_hash is not null`
  const all: Remainder[] = [
    {
      what: 'stored responses',
      count: await countOlderResponses(db),
      advice: 'wait: they age out within IDEMPOTENCY_RETENTION (24h)',
    },
    {
      what: 'API keys',
      count: await count(
        'keys',
        of(
          sql`t.revoked_at is null
            and (t.expires_at is null or t.expires_at > pg_catalog.clock_timestamp())`,
        ),
      ),
      advice: 'a key moves when it is used: have those unused since used, rotated or revoked',
    },
    {
      what: 'sessions',
      count: await count('sessions', of(sql`${valid} and not (${ofBrowser})`)),
      advice: 'wait: they move when they are used, or expire within 12 hours',
    },
    {
      what: 'sign-ins of browsers',
      count: await count('sessions', of(sql`${valid} and ${ofBrowser}`)),
      advice: 'wait: they move when the console is opened there, or expire within seven days',
    },
    {
      what: 'sign-in links',
      count: await count(
        'sign_in_links',
        of(sql`t.used_at is null and t.expires_at > pg_catalog.clock_timestamp()`),
      ),
      advice: 'wait: they expire within the hour',
    },
    {
      what: 'device codes',
      count: await count('device_codes', of(sql`t.expires_at > pg_catalog.clock_timestamp()`)),
      advice: 'wait: they expire within ten minutes',
    },
    {
      what: 'invitations of members',
      count: await count(
        'member_invitations',
        of(sql`t.ended_at is null and t.expires_at > pg_catalog.clock_timestamp()`),
      ),
      advice: 'wait: they expire within seven days, or revoke them',
    },
    {
      what: 'queued events',
      count: await countQueuedUnderOlder(db, keyring),
      advice: 'wait until the log has taken them',
    },
  ]
  return all.filter((one) => one.count > 0)
}

const countQueuedUnderOlder = async (db: Connection, { history }: Keyring): Promise<number> => {
  const queued = await queuedMacs(db)
  return queued.filter(({ hash, mac }) => !history!.isNewest(hash, mac)).length
}

/**
 * Finishes all older generations: their history keys are archived with the present sizes of the
 * logs, beyond which they authenticate nothing. The caller has found that nothing remains.
 */
export const finishGenerations = async (tx: Connection, keyring: Keyring): Promise<number[]> => {
  const rows = await store.serverKeys(tx)
  const [live, test] = await Promise.all([leafCount(tx, 'live'), leafCount(tx, 'test')])
  const untilSizes = { live, test }
  const finished: number[] = []
  for (const row of rows) {
    const { generation, archive } = row
    if (generation === keyring.seals.generation) continue
    const older =
      archive === null
        ? { key: keyring.historyKeys.get(generation)!, untilSizes }
        : archivedHistoryKey(keyring, row)
    if (older === undefined) throw new Error(`the archive of generation ${generation} is broken`)
    // Whoever has a key that ends now may have archived greater sizes under it.
    const limited = { ...older, untilSizes: smaller(older.untilSizes, untilSizes) }
    await store.setServerKeyArchive(tx, generation, archiveOf(keyring, generation, limited))
    if (archive === null) finished.push(generation)
  }
  return finished
}

type LogSizes = Readonly<Record<LogId, number>>

const smaller = (one: LogSizes, other: LogSizes): LogSizes => ({
  live: Math.min(one.live, other.live),
  test: Math.min(one.test, other.test),
})

/**
 * After a restore, the leaves of a log begin anew, behind one that says so: what older generations
 * authenticate moves by one.
 */
export const moveArchivedSizes = async (
  tx: Connection,
  keyring: Keyring,
  { log, leavesBefore }: { log: LogId; leavesBefore: number },
): Promise<void> => {
  for (const row of await store.serverKeys(tx)) {
    const older = archivedHistoryKey(keyring, row)
    if (older === undefined) continue
    const untilSize = Math.min(older.untilSizes[log], leavesBefore) + 1
    const moved = { ...older, untilSizes: { ...older.untilSizes, [log]: untilSize } }
    const { generation } = row
    await store.setServerKeyArchive(tx, generation, archiveOf(keyring, generation, moved))
  }
}
