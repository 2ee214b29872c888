/**
 * Bytes that the life of one invoice costs: created, issued, approved and paid, with everything
 * that the background adds to it (search words, log leaves, the request log). Disk is the growth of
 * tables and indexes, WAL what was written since a checkpoint, full pages included.
 */
import { mintKey } from '../src/core/identity/credentials.ts'
import { newId, pooledRandomBytes } from '../src/database/new-ids.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { type BenchServer, invoice, startServer } from './bench-server.ts'
import { sealSeededRows } from './seal-rows.ts'
import { seedAccounts } from './payments.ts'
import { compare } from './rows.ts'
import { idOf, seedPairs } from './seed.ts'

const lives = 500
const pairsInUse = 8
const clients = 16
const diskGoalKb = 25
const walGoalKb = 40

interface PairKeys {
  pair: number
  issuer: string
  counterparty: string
}

/** The sizes of a table, its indexes and its long values, partitions included, by table. */
type Sizes = Map<string, { heap: number; indexes: number; toast: number }>

export const compareBytes = async (db: Connection, databaseUrl: string): Promise<void> => {
  const keys = await seedTradingPairs(db)
  const server = await startServer(databaseUrl, [], { PROCESS_ROLE: 'all' })
  const measured: { diskKb: number; walKb: number }[] = []
  const measure = async () => {
    const life = await measureLives(db, server, keys)
    measured.push(life)
    return life
  }
  await measure()
  await compare(
    'bytes.disk',
    'kB',
    async () => (await measure()).diskKb,
    async () => diskGoalKb,
  )
  await compare(
    'bytes.wal',
    'kB',
    async () => measured.pop()!.walKb,
    async () => walGoalKb,
  )
  await server.stop()
}

const seedTradingPairs = async (db: Connection): Promise<PairKeys[]> => {
  const { keys } = await seedPairs(db)
  await seedAccounts(db)
  await db.run(sql`
    insert into search_progress (organization_id, indexed, renewed)
    select organization_id, feed, feed from organization_counters`)
  const counterparties: PairKeys[] = []
  for (let pair = 1; pair <= pairsInUse; pair += 1) {
    const minted = mintKey('test', pooledRandomBytes(64))
    const id = idOf(`counterparty key${pair}`)
    await db.run(sql`
      insert into keys (id, organization_id, mode, name, hash, prefix, scopes, root_id, created_by, created_at, seal)
      values (${id}, ${idOf(`counterparty${pair}`)}, 'test', 'bench', ${db.seals.credentialMac(minted.key)}, ${minted.prefix},
        ${['documents:read', 'documents:write', 'payments:write']}, ${id}, ${idOf('admin')}, now(), '')`)
    counterparties.push({ pair, issuer: keys[pair - 1]!, counterparty: minted.key })
  }
  await sealSeededRows(db)
  return counterparties
}

const measureLives = async (
  db: Connection,
  { port }: BenchServer,
  keys: readonly PairKeys[],
): Promise<{ diskKb: number; walKb: number }> => {
  await db.script('checkpoint')
  const [sizesBefore, walBefore] = [await sizesOf(db), await walOf(db)]
  let next = 0
  const work = async () => {
    while (next < lives) await liveOnce(port, keys[next++ % keys.length]!)
  }
  await Promise.all(Array.from({ length: clients }, work))
  await untilBackgroundIsDone(db)
  const [sizesAfter, walAfter] = [await sizesOf(db), await walOf(db)]
  const walKb = (walAfter.bytes - walBefore.bytes) / lives / 1000
  const diskKb = report(sizesBefore, sizesAfter)
  const pages = (walAfter.pages - walBefore.pages) / lives
  process.stdout.write(
    `${'WAL'.padEnd(24)} ${walKb.toFixed(2).padStart(8)} kB, with ${pages.toFixed(2)} full pages\n`,
  )
  return { diskKb, walKb }
}

const liveOnce = async (port: number, { pair, issuer, counterparty }: PairKeys): Promise<void> => {
  const { id } = await post(port, issuer, '/v1/documents', invoice(pair))
  await post(port, issuer, `/v1/documents/${id}/issue`, '{}')
  await post(port, counterparty, `/v1/documents/${id}/transition`, '{"to":"approved"}')
  await post(port, counterparty, `/v1/documents/${id}/pay`, '{}')
}

const post = async (
  port: number,
  key: string,
  path: string,
  body: string,
): Promise<{ id: string }> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': newId(),
    },
    body,
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

/** Until all events are in the log, all documents in the search index, all calls in their log. */
const untilBackgroundIsDone = async (db: Connection): Promise<void> => {
  let requests = -1n
  for (;;) {
    const [left] = await db.rows<{ waiting: bigint; requests: bigint }>(sql`
      select (select count(*) from log_queue)
        + (select count(*) from organization_counters h
           join search_progress s using (organization_id)
           where h.feed - s.indexed >= 20) as waiting,
        (select count(*) from requests) as requests`)
    if (left!.waiting === 0n && left!.requests === requests) return
    requests = left!.requests
    await new Promise((resolve) => setTimeout(resolve, 1_500))
  }
}

const walOf = async (db: Connection): Promise<{ bytes: number; pages: number }> => {
  const [row] = await db.rows<{ bytes: string; pages: string }>(sql`
    select pg_current_wal_insert_lsn() - '0/0' as bytes, wal_fpi::text as pages from pg_stat_wal`)
  return { bytes: Number(row!.bytes), pages: Number(row!.pages) }
}

const sizesOf = async (db: Connection): Promise<Sizes> => {
  const rows = await db.rows<{ name: string; heap: bigint; indexes: bigint; total: bigint }>(sql`
    select coalesce(parent.relname, c.relname)::text as name, sum(pg_relation_size(c.oid))::bigint as heap,
      sum(pg_indexes_size(c.oid))::bigint as indexes, sum(pg_total_relation_size(c.oid))::bigint as total
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class parent on parent.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1`)
  return new Map(
    rows.map(({ name, heap, indexes, total }) => [
      name,
      { heap: Number(heap), indexes: Number(indexes), toast: Number(total - heap - indexes) },
    ]),
  )
}

/** Prints the growth per life of every table, largest first, and returns the sum in kB. */
const report = (before: Sizes, after: Sizes): number => {
  const perLife = (bytes: number, base = 0) => (bytes - base) / lives / 1000
  const rows = [...after].map(([name, { heap, indexes, toast }]) => {
    const base = before.get(name) ?? { heap: 0, indexes: 0, toast: 0 }
    const parts = {
      heap: perLife(heap, base.heap),
      indexes: perLife(indexes, base.indexes),
      toast: perLife(toast, base.toast),
    }
    return { name, ...parts, total: parts.heap + parts.indexes + parts.toast }
  })
  for (const { name, heap, indexes, toast, total } of rows.toSorted((a, b) => b.total - a.total)) {
    if (total < 0.01) continue
    process.stdout.write(
      `${name.padEnd(24)} ${total.toFixed(2).padStart(8)} kB: table ${heap.toFixed(2)}, indexes ${indexes.toFixed(2)}, long values ${toast.toFixed(2)}\n`,
    )
  }
  return rows.reduce((sum, { total }) => sum + total, 0)
}
