/**
 * npm run bench [-- --quick] [-- --json FILE] [-- --only a,b]: measures the service and the raw
 * limit of the same PostgreSQL in turn within one run, so that a noisy machine affects both.
 */
import { randomBytes } from 'node:crypto'
import { cpus } from 'node:os'
import { decodeId, encodeId } from '../src/core/ids.ts'
import { startCluster } from '../src/embedded-postgres/cluster.ts'
import { migrate } from '../src/database/migrate.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { openBenchConnection } from './database.ts'
import { documentOfEightEvents, sequencerRate } from './provenance.ts'
import { type RowTexts, createScript, getScript, listScript, pgbench } from './pgbench.ts'
import {
  type BenchServer,
  cursorAt,
  invoice,
  load,
  request,
  startServer,
  waitUntilIdle,
} from './bench-server.ts'
import { idOf, pairs, readableDocuments, seed, seedPairs } from './seed.ts'
import { attackNames, measureNeighbours } from './neighbours.ts'
import {
  addMedians,
  addResult,
  compare,
  flags,
  isSelected,
  onlyBytes,
  onlyNeighbours,
  round2,
  rounds,
  seconds,
  writeResults,
} from './rows.ts'
import { compareInterop } from './interop.ts'
import { compareMcp } from './mcp.ts'
import { compareOverload } from './overload.ts'
import { compareBytes } from './bytes.ts'
import { freshKeys, truncateAll } from './fresh-rows.ts'
import { compareLoans } from './loans.ts'
import { comparePayments } from './payments.ts'
import { type StoredEvent, provenEvent, storedEvent } from '../src/store/documents/stored-texts.ts'
import { compareWebhooks } from './webhooks.ts'
import { compareSdk } from './sdk.ts'
import { serverKey } from './server-key.ts'
import { sealSeededRows } from './seal-rows.ts'

/** Each document is paid once, so longer rounds need more documents. */
const paySeconds = Math.min(seconds, 3)
const warmUpSeconds = flags.quick ? 3 : 6
const rampSeconds = 0.3

const main = async (databaseUrl: string): Promise<void> => {
  await migrate(databaseUrl)
  const db = await openBenchConnection(databaseUrl)
  if (isSelected('bytes.disk')) await compareBytes(db, databaseUrl)
  if (onlyBytes) return db.close()
  await truncateAll(db)
  const sample = await sampleTexts(db, databaseUrl)
  await truncateAll(db)
  const { keys } = await seed(db, sample.content)
  if (!onlyNeighbours) await compareRates(db, databaseUrl, { keys, sample })
  await compareNeighbours(db, databaseUrl, sample)
  await db.close()
}

const compareRates = async (
  db: Connection,
  databaseUrl: string,
  { keys, sample }: { keys: string[]; sample: RowTexts },
): Promise<void> => {
  const server = await startServer(databaseUrl)
  const withoutHistory = await startServer(databaseUrl, ['--without-history'])
  const { port } = server
  const creates = createRequests(keys)
  const write = async (toPort: number, requests: string[][], connections = 64) =>
    load({ port: toPort, connections, seconds, rampSeconds, requests, expectedStatus: 201 })
  const limitOf = (script: string) => async () =>
    (await pgbench(databaseUrl, script, { clients: 16, seconds })).perSecond

  await warmUp([port, withoutHistory.port], creates)
  await pgbench(databaseUrl, createScript(sample), { clients: 16, seconds: 1 })

  const create = async () => (await write(port, creates)).perSecond
  await compare('documents.create', '/s', create, limitOf(createScript(sample)))
  await compare(
    'documents.create.hub',
    '/s',
    async () => (await write(port, [creates[0]!])).perSecond,
    limitOf(createScript(sample).replace(`random(${pairs + 1}, ${2 * pairs})`, String(pairs + 1))),
  )
  await sealSeededRows(db)
  await compareReads(port, keys, limitOf)
  await compare(
    'documents.create.alone',
    'ms',
    async () => (await write(port, creates, 1)).medianMs,
    async () =>
      (await pgbench(databaseUrl, createScript(sample), { clients: 1, seconds })).latencyMs,
  )
  await compare(
    'history.append',
    '/s',
    create,
    async () => (await write(withoutHistory.port, creates)).perSecond,
  )
  await compareProofs(server, keys)
  await compareInterop(compare)
  await compareMcp(server, { key: keys[0]!, seconds, compare, isSelected })
  await compareSdk(port, { key: keys[0]!, calls: seconds * 500, compare, isSelected })
  reportMemory(await server.rss())
  await compareOverload(port, { readerKey: keys[1]!, creates })
  await Promise.all([server.stop(), withoutHistory.stop()])
  await comparePayments(
    db,
    { databaseUrl, keys, sample, rounds, seconds: paySeconds },
    { compare, isSelected },
  )
  const seedAgain = () => freshKeys(db, sample)
  const loans = { databaseUrl, seedAgain, sample, rounds, seconds: paySeconds }
  await compareLoans(db, loans, { compare, isSelected })
  await compareWebhookRates(db, databaseUrl, sample)
  const integrated = async () => {
    await truncateAll(db)
    return sequencerRate(databaseUrl, db)
  }
  await compare('log.integrate', '/s', integrated, async () => 20_000)
}

/** One organization within its limits must not slow another one down. */
const compareNeighbours = async (
  db: Connection,
  databaseUrl: string,
  sample: RowTexts,
): Promise<void> => {
  const selected = attackNames.filter((name) => isSelected(`neighbour.${name}`))
  if (selected.length === 0) return
  const keys = await freshKeys(db, sample)
  const workload = { databaseUrl, serverKey, keys, seconds: flags.quick ? 3 : 10, rounds }
  const measured = await measureNeighbours(db, workload, selected)
  for (const [name, ofName] of Map.groupBy(measured, (one) => one.name)) {
    addMedians(
      name,
      'ms p99',
      ofName.map(({ underAttackMs, aloneMs }) => [underAttackMs, aloneMs] as const),
    )
  }
  const broken = measured.filter(({ failed, statementsLeft }) => failed > 0 || statementsLeft > 0)
  if (broken.length > 0) throw new Error(`harmed: ${broken.map(({ name }) => name).join(', ')}`)
}

const createRequests = (keys: readonly string[]): string[][] =>
  keys.map((key, i) => [request('POST', '/v1/documents', key, invoice(i + 1))])

/** Warms up query plans, JIT and connections. */
const warmUp = async (ports: readonly number[], requests: string[][]): Promise<void> => {
  for (const port of ports) {
    await load({ port, connections: 64, seconds: warmUpSeconds, requests, expectedStatus: 201 })
  }
}

const compareReads = async (
  port: number,
  keys: readonly string[],
  limitOf: (script: string) => () => Promise<number>,
): Promise<void> => {
  const options = { port, connections: 64, rampSeconds, expectedStatus: 200 }
  const read = async (requests: string[][], duration = seconds) =>
    (await load({ ...options, seconds: duration, requests })).perSecond
  const gets = keys.map((key, i) => getsOf(i, key))
  await read(gets, warmUpSeconds)
  await compare('documents.get', '/s', () => read(gets), limitOf(getScript))
  const lists = keys.map((key) => [request('GET', '/v1/documents', key)])
  await read(lists)
  await compare('documents.list', '/s', () => read(lists), limitOf(listScript))
  const thousandthPage = await cursorAt(port, keys[0]!, 1_000 * 20)
  const first = [request('GET', '/v1/documents', keys[0]!)]
  const deep = [request('GET', `/v1/documents?cursor=${thousandthPage}`, keys[0]!)]
  await compare(
    'documents.list.deep',
    '/s',
    () => read([deep]),
    () => read([first]),
  )
}

const reportMemory = (rss: number): void => {
  const ours = Math.round(rss / 1e6)
  addResult({ name: 'memory.resident', unit: 'MB', ours, limit: 300, ratio: round2(rss / 3e8) }, '')
}

/**
 * Starts from fresh rows: the worker also runs the auditor, which would rightly raise an alarm for
 * each document that pgbench or a server without history has written.
 */
const compareWebhookRates = async (
  db: Connection,
  databaseUrl: string,
  sample: RowTexts,
): Promise<void> => {
  const keys = await freshKeys(db, sample)
  const options = { connections: 64, seconds, rampSeconds, expectedStatus: 201 }
  const requests = createRequests(keys)
  await compareWebhooks({
    db,
    serverKey,
    envelope: sample.envelope,
    isQuick: flags.quick === true,
    startRole: (role) =>
      startServer(databaseUrl, [], { PROCESS_ROLE: role, WEBHOOK_ALLOW_PRIVATE: '1' }),
    createsPerSecond: async (port) => (await load({ ...options, port, requests })).perSecond,
    createOne: async (port) => void (await createInvoice(port, keys[0]!)).text(),
    compare,
  })
}

/** Compares the CPU time of one response with its goal. The log holds all earlier writes. */
const compareProofs = async (server: BenchServer, keys: readonly string[]): Promise<void> => {
  const [key = ''] = keys
  const ids: string[] = []
  for (let i = 0; i < 20; i += 1)
    ids.push(await documentOfEightEvents(server.port, key, invoice(1)))
  let idleMs = 0
  const costMs =
    (resource: string, duration = seconds) =>
    async (): Promise<number> => {
      const requests = ids.map((id) => request('GET', `/v1/documents/${id}/${resource}`, key))
      const before = await server.cpuMs()
      const { perSecond } = await load({
        port: server.port,
        connections: 4,
        seconds: duration,
        expectedStatus: 200,
        requests: [requests],
      })
      const spentMs = (await server.cpuMs()) - before - idleMs * duration
      return spentMs / (perSecond * duration)
    }
  for (const resource of ['export', 'history']) await costMs(resource, warmUpSeconds)()
  idleMs = await waitUntilIdle(server)
  await compare('documents.history', 'ms', costMs('history'), async () => 2.5)
  await compare('documents.export', 'ms', costMs('export'), async () => 5)
}

/** Reads of this pair's documents, spread over all seeded ones. */
const getsOf = (pair: number, key: string): string[] => {
  const numbers = Array.from({ length: readableDocuments }, (_, i) => i + 1)
  return numbers
    .filter((n) => n % pairs === pair)
    .map((n) => request('GET', `/v1/documents/${encodeId('doc', idOf(`document${n}`))}`, key))
}

const createInvoice = (port: number, key: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/v1/documents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `bench-${randomBytes(8).toString('hex')}`,
    },
    body: invoice(1),
  })

/** Reads the texts of rows that the service has written, so that the limit writes as many bytes. */
const sampleTexts = async (db: Connection, databaseUrl: string): Promise<RowTexts> => {
  const { keys } = await seedPairs(db)
  const server = await startServer(databaseUrl)
  const created = await (await createInvoice(server.port, keys[0]!)).json()
  await server.stop()
  const id = decodeId('doc', (created as { id: string }).id)!
  const row = await db.row<RowTexts & StoredEvent>(sql`
    select ${storedEvent}, p.issuer_body as history, i.body as response
    from documents d join events e on e.document_id = d.id join prov_event p on p.document_id = d.id
    join idempotency i on i.document_id = d.id
    where d.id = ${id}`)
  return { ...row!, envelope: provenEvent(db.seals, row!).text }
}

const configuredUrl = process.env['DATABASE_URL']
process.stdout.write(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, ${rounds} rounds of ${seconds} s\n`,
)
if (configuredUrl) await main(configuredUrl)
else {
  const cluster = await startCluster({ dataDir: temporaryFolder() })
  try {
    await main(cluster.url)
  } finally {
    await cluster.stop()
  }
}
await writeResults()
