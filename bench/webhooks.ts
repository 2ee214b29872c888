/**
 * Measures deliveries: the rate of one worker process against the same client in a bare loop, the
 * delay under low load, and the cost of an endpoint for the API.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { registerEndpoint } from '../src/changes/webhooks/endpoints.ts'
import { compactText, knownText, markContent } from '../src/core/compact-text.ts'
import { encodeId } from '../src/core/ids.ts'
import { newId } from '../src/database/new-ids.ts'
import type { Rows } from '../src/database/rows.ts'
import { insertRows } from '../src/database/table-writes.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { clockMs } from './clock.ts'
import { sealSeededRows } from './seal-rows.ts'
import { type Compare, median } from './bench-server.ts'
import { idOf, pairs } from './seed.ts'

interface RoleProcess {
  port: number
  stop(): Promise<void>
}

interface WebhookBenchTools {
  db: Connection
  serverKey: string
  /** The text of an event that the service has written. */
  envelope: string
  isQuick: boolean
  startRole(role: 'api' | 'worker'): Promise<RoleProcess>
  /** The rate of creates, from all pairs. */
  createsPerSecond(port: number): Promise<number>
  createOne(port: number): Promise<void>
  compare: Compare
}

export const compareWebhooks = async (tools: WebhookBenchTools): Promise<void> => {
  const { db, serverKey, isQuick, startRole, createsPerSecond, createOne, compare } = tools
  const deliveriesPerRound = isQuick ? 6_400 : 19_200
  const lowLoadCreates = isQuick ? 20 : 50
  const receiver = await startReceiver()
  const registerAll = () => registerEndpoints(db, serverKey, receiver.port)
  const deleteEndpoints = () => db.run(sql`delete from webhook_endpoints`)

  const api = await startRole('api')
  await createsPerSecond(api.port)
  const createWithEndpoint = async () => {
    await registerAll()
    return createsPerSecond(api.port)
  }
  const createWithoutEndpoint = async () => {
    await deleteEndpoints()
    return createsPerSecond(api.port)
  }
  await compare('documents.create.with_endpoint', '/s', createWithEndpoint, createWithoutEndpoint)

  await registerAll()
  const worker = await startRole('worker')
  const deliverBacklog = async () => {
    const count = await commitEvents(db, deliveriesPerRound, tools.envelope)
    return backlogRate(receiver, count)
  }
  const postInBareLoop = async () => {
    const { length } = tools.envelope
    const perSecond = await bareClient(receiver.port, deliveriesPerRound, length)
    await receiver.read('reset')
    return perSecond
  }
  await deliverBacklog()
  await compare('webhooks.deliver', '/s', deliverBacklog, postInBareLoop)
  const delay = () => medianDelayMs(receiver, lowLoadCreates, () => createOne(api.port))
  await compare('webhooks.delay', 'ms', delay, async () => 50)

  // The worker shares the cores, so this rate is only printed; then every event must be delivered.
  const perSecond = await createsPerSecond(api.port)
  process.stdout.write(`creates beside a worker that delivers each: ${Math.round(perSecond)}/s\n`)
  await untilDelivered(db)
  await Promise.all([api.stop(), worker.stop()])
  receiver.stop()
}

/** The time from sending the request that creates an event to its first byte at the receiver. */
const medianDelayMs = async (
  receiver: Receiver,
  times: number,
  createOne: () => Promise<void>,
): Promise<number> => {
  const delays: number[] = []
  for (let i = 0; i < times; i += 1) {
    await receiver.read('reset')
    const startedAt = clockMs()
    await createOne()
    let received: ReceiverCounts
    do received = await receiver.read()
    while (received.count === 0)
    delays.push(received.firstAt - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await receiver.read('reset')
  return median(delays)
}

const untilDelivered = async (db: Connection): Promise<void> => {
  for (;;) {
    const backlog = await db.row<{ behind: bigint; due: bigint }>(sql`
      select (select count(*) from webhook_endpoints w
          join organization_counters h using (organization_id) where h.feed > w.cursor) as behind,
        (select count(*) from webhook_delivery where due_at is not null) as due`)
    if (backlog!.behind === 0n && backlog!.due === 0n) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const failed = await db.row<{ count: bigint }>(sql`
    select count(*) as count from webhook_delivery where status <> 'succeeded'`)
  process.stdout.write(`backlog drained, deliveries that did not succeed: ${failed!.count}\n`)
}

interface ReceiverCounts {
  count: number
  firstAt: number
  lastAt: number
}

interface Receiver {
  port: number
  /** Counts since the last reset. */
  read(message?: 'reset'): Promise<ReceiverCounts>
  stop(): void
}

const startReceiver = async (): Promise<Receiver> => {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--max-semi-space-size=8', join(import.meta.dirname, 'receiver-process.ts')],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  const port = await new Promise<number>((resolve) => {
    child.stdout!.once('data', (text: Buffer) => resolve(Number(text.toString())))
  })
  return {
    port,
    read: (message) =>
      new Promise((resolve) => {
        child.once('message', (counts) => resolve(counts as ReceiverCounts))
        child.send(message ?? 'read')
      }),
    stop: () => child.disconnect(),
  }
}

/** Registers one endpoint per issuer, all at the same receiver. */
const registerEndpoints = async (
  db: Connection,
  serverKey: string,
  port: number,
): Promise<void> => {
  const { webhookSecrets } = await openKeyring({ serverKey, dataDir: '' })
  await db.run(sql`delete from webhook_endpoints`)
  for (let pair = 1; pair <= pairs; pair += 1) {
    await registerEndpoint(db, webhookSecrets, {
      organization: idOf(`issuer${pair}`),
      mode: 'test',
      url: `http://127.0.0.1:${port}/hooks/${pair}`,
      events: [],
      description: null,
    })
  }
}

/** Writes events of seeded documents, spread over all issuers. */
const commitEvents = async (db: Connection, count: number, envelope: string) => {
  const each = Math.ceil(count / pairs)
  const documents = await db.rows<Rows['documents']>(sql`
    select d.* from generate_series(1, ${each}::int) n
    join documents d on d.id = md5('document' || n)::uuid`)
  const counters = await db.rows<{ organization_id: string; feed: bigint; now: string }>(sql`
    select h.organization_id, h.feed, now() as now
    from organization_counters h, generate_series(1, ${pairs}::int) p
    where h.organization_id = md5('issuer' || p)::uuid`)
  const sample = JSON.parse(envelope) as { id: string; data: { document: { id: string } } }
  for (const { organization_id, feed, now } of counters) {
    const events = documents.map((document, i) => {
      const id = newId(Date.parse(now))
      const text = envelope
        .replaceAll(sample.id, encodeId('evt', id))
        .replaceAll(sample.data.document.id, encodeId('doc', document.id))
      const known = knownText(document, { id, created_at: now })
      return {
        organization_id,
        feed: feed + BigInt(i + 1),
        id,
        document_id: document.id,
        sequence: 1,
        type: 'document.created',
        created_at: now,
        revision: 1,
        text,
        payload: compactText(markContent(text, document.content), { known }),
      }
    })
    await insertRows(db, 'events', events)
  }
  // The worker would wait for counters whose seals are still to come.
  await db.script('begin')
  await db.run(sql`
    update organization_counters set feed = feed + ${documents.length}, changed_at = now(), seal = ''
    where organization_id = any(${counters.map((one) => one.organization_id)}::uuid[])`)
  await sealSeededRows(db)
  await db.script('commit')
  return documents.length * counters.length
}

/** Deliveries per second of a backlog, from the first arrival to the last. */
const backlogRate = async (receiver: Receiver, expected: number): Promise<number> => {
  let received: ReceiverCounts
  do {
    await new Promise((resolve) => setTimeout(resolve, 20))
    received = await receiver.read()
  } while (received.count < expected)
  await receiver.read('reset')
  return received.count / ((received.lastAt - received.firstAt) / 1000)
}

const run = promisify(execFile)

/** Runs the same client with as many bodies of this length. */
const bareClient = async (port: number, count: number, length: number): Promise<number> => {
  const script = join(import.meta.dirname, 'bare-client.ts')
  const { stdout } = await run(process.execPath, [
    '--max-semi-space-size=8',
    script,
    ...[port, pairs, count, length].map(String),
  ])
  return (JSON.parse(stdout) as { perSecond: number }).perSecond
}
