/**
 * SIGKILL at any moment: acknowledged writes are stored, a retry with the same key resolves unknown
 * outcomes, and nothing is stored twice. `LONG=1` kills more often.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { sql } from '../../src/database/sql.ts'
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { exampleLine, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import {
  type KillableService,
  killableServerKey,
  startKillableService,
  startCrashableCluster,
} from '../support/processes/killable-processes.ts'

const isLong = process.env['LONG'] === '1'
const connections = 16
/** The faults in order. After `backend`, PostgreSQL restarts itself; `cluster` kills all of it. */
const faults = Array.from({ length: isLong ? 40 : 3 }, (_, i) =>
  i % 4 === 1 ? 'backend' : i % 4 === 2 ? 'cluster' : 'service',
)

/** A write with one key, repeated until its outcome is known. */
interface Write {
  key: string
  method: 'POST' | 'PATCH'
  path: string
  body?: object
  /** Null while its outcome is unknown. */
  reply: Reply | null
}

const cluster = await startCrashableCluster()
const setUp = await cluster.connect()
const pair = await aPair({ database: setUp })
await setUp.close()
let service: KillableService = await startKillableService(cluster.url())

const writes: Write[] = []
let acknowledged = 0
let hasEnded = false

/** A broken connection or 503 leaves the outcome unknown; any other failure fails the test. */
const send = async (write: Write): Promise<void> => {
  const { key, method, path, body } = write
  const headers = { 'idempotency-key': key }
  const options = { key: pair.issuer.key, headers, ...(body === undefined ? {} : { body }) }
  const reply = await callApi(service, method, path, options).catch(() => null)
  if (reply === null || reply.status === 503) return
  // Its connection waited too long for a machine that is busy with the restarts.
  if (reply.text.includes('did not arrive in time')) return
  // A killed attempt keeps its lock until PostgreSQL notices.
  if (reply.body.error?.details?.reason === 'request_in_progress') return
  assert(reply.status < 300, reply.text)
  write.reply = reply
}

const isUp = () =>
  callApi(service, 'GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  )

const attempt = async (
  method: Write['method'],
  path: string,
  body?: object,
): Promise<Reply | null> => {
  const write: Write = {
    key: freshIdempotencyKey(),
    method,
    path,
    reply: null,
    ...(body ? { body } : {}),
  }
  writes.push(write)
  await send(write)
  if (write.reply !== null) acknowledged += 1
  else await until('the service is back', async () => hasEnded || (await isUp()))
  return write.reply
}

/** Creates, edits and issues drafts, until an outcome for the document is unknown. */
const writeUntilEnd = async (i: number): Promise<void> => {
  const draft = {
    connection_id: pair.connection,
    document_type: 'invoice',
    line_items: [exampleLine],
  }
  while (!hasEnded) {
    const created = await attempt('POST', '/v1/documents', draft)
    const path = `/v1/documents/${created?.body.id}`
    const edits = created === null ? 0 : i % 3
    let isKnown = created !== null
    for (let edit = 0; isKnown && edit < edits; edit += 1) {
      isKnown = (await attempt('PATCH', path, { notes: `edit ${edit}` })) !== null
    }
    if (isKnown && i % 2 === 0) await attempt('POST', `${path}/issue`)
  }
}

const kill = async (fault: string): Promise<void> => {
  if (fault === 'service') {
    await service.kill()
    service = await startKillableService(cluster.url())
    return
  }
  if (fault === 'backend') {
    const [lane] = await cluster.rows<{ pid: number }>(sql`
      select pid from pg_stat_activity where application_name like 'docex lane%' limit 1`)
    process.kill(lane!.pid, 'SIGKILL')
  } else {
    const before = cluster.url()
    await cluster.crash()
    if (cluster.url() === before) return
    await service.kill()
    service = await startKillableService(cluster.url())
  }
}

test('reliability I1, I2, I6: SIGKILL of the service and of PostgreSQL under load neither loses nor duplicates a write', async (t) => {
  const load = Array.from({ length: connections }, (_, i) => writeUntilEnd(i))
  const moreWrites = async (before: string): Promise<void> => {
    const target = acknowledged + 100
    await until(`100 more writes before ${before}`, () => hasEnded || acknowledged >= target)
  }
  const killing = async () => {
    for (const fault of faults) {
      await moreWrites(`the ${fault} is killed`)
      if (!hasEnded) await kill(fault)
    }
    await moreWrites('the end')
  }
  // A writer that fails ends the test, and everything else stops before the test returns.
  const killed = killing()
  try {
    await Promise.race([killed, Promise.all(load)])
  } finally {
    hasEnded = true
    await Promise.allSettled([killed, ...load])
  }
  await Promise.all(load)

  const unknown = writes.filter(({ reply }) => reply === null)
  let replayed = 0
  for (const write of unknown) {
    await until('the outcome is known', async () => {
      await send(write)
      return write.reply !== null
    })
    if (write.reply!.headers.get('idempotent-replay') === 'true') replayed += 1
  }
  t.diagnostic(
    `acknowledged ${acknowledged}, kills ${faults.length}, unknown ${unknown.length} resolved` +
      ` (${replayed} already done)`,
  )
  const { lost, duplicated } = await compareWithDatabase()
  t.diagnostic(`lost ${lost.length}, duplicated ${duplicated}`)
  assert.deepEqual([lost, duplicated], [[], 0])
  assert(unknown.length > 0, 'a kill interrupted requests')
  for (const write of writes.slice(0, 20)) {
    const first = write.reply!.text
    await send(write)
    assert.equal(write.reply!.text, first)
    assert.equal(write.reply!.headers.get('idempotent-replay'), 'true')
  }
  const auditor = await cluster.connect()
  const { history } = await openKeyring({ serverKey: killableServerKey, dataDir: '' })
  await assertConsistent(auditor, history!)
  await auditor.close()
})

/** Expects one effect per key: a document for a create, a revision for an edit or issue. */
const compareWithDatabase = async (): Promise<{ lost: string[]; duplicated: number }> => {
  const rows = await cluster.rows<{ id: string; revision: number }>(
    sql`select id, revision from documents`,
  )
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]))
  const steps = Map.groupBy(writes, ({ reply }) => decodeId('doc', reply!.body.id)!)
  const lost: string[] = []
  let duplicated = [...revisions.keys()].filter((id) => !steps.has(id)).length
  for (const [id, expected] of steps) {
    const revision = revisions.get(id) ?? 0
    if (revision < expected.length) lost.push(`${id} at ${revision}, not ${expected.length}`)
    if (revision > expected.length) duplicated += 1
  }
  return { lost, duplicated }
}

test('reliability F5: when the response to COMMIT is lost, a retry with the same key executes once', async (t) => {
  await until('PostgreSQL is up', cluster.isUp)
  const proxy = await startDatabaseProxy(cluster.loopbackUrl())
  const running = await startTestService({ SERVER_KEY: killableServerKey }, { url: proxy.url })
  const other = await aPair(running)
  let unknown = 0
  let replayed = 0
  proxy.onCommit = () => {
    const turn = proxy.commitCount % 4
    return turn === 1 ? 'lose the response' : turn === 3 ? 'lose the request' : 'pass'
  }
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let i = 0; i < (isLong ? 250 : 15); i += 1) {
        const headers = { 'idempotency-key': freshIdempotencyKey() }
        const body = {
          connection_id: other.connection,
          document_type: 'invoice',
          line_items: [exampleLine],
        }
        await until('the write succeeds', async () => {
          const reply = await callApi(running, 'POST', '/v1/documents', {
            key: other.issuer.key,
            body,
            headers,
          })
          if (reply.status === 201) {
            replayed += reply.headers.get('idempotent-replay') === 'true' ? 1 : 0
            return true
          }
          const isInProgress = reply.body.error.details?.reason === 'request_in_progress'
          assert(reply.status === 503 || isInProgress, reply.text)
          unknown += 1
          return false
        })
      }
    }),
  )
  proxy.onCommit = () => 'pass'
  const [created] = await cluster.rows<{ n: bigint }>(sql`
    select count(*) as n from documents where issuer_id = ${other.issuer.uuid}`)
  t.diagnostic(`${unknown} unknown commits, ${replayed} resolved by replay, none duplicated`)
  assert.equal(created!.n, isLong ? 1000n : 60n)
  assert(unknown > 0 && replayed > 0)
  const auditor = await cluster.connect()
  await assertConsistent(auditor)
  await auditor.close()
})
