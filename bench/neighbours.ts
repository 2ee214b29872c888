/**
 * A noisy neighbour: a victim does one read, one create and one key check every 20 ms, while
 * another organization does its worst within its rate limit. A row is the victim's p99 under the
 * attack over its p99 alone.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { openSession } from '../src/changes/identity/new-session.ts'
import { registerEndpoint } from '../src/changes/webhooks/endpoints.ts'
import { encodeId } from '../src/core/ids.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { sealSeededRows } from './seal-rows.ts'
import { type BenchServer, invoice, startServer } from './bench-server.ts'
import {
  type AttackName,
  type AttackOptions,
  attacks,
  largeInvoice,
  startSilentReceiver,
} from './neighbour-attacks.ts'
import { idOf } from './seed.ts'

/** The limit of a key is 3,000 requests per minute. */
const attackerPerSecond = 50
const everyMs = 20
/** As many as a page may list. */
const largeDocuments = 100
const manyLargeDocuments: readonly AttackName[] = ['large-lists', 'renders']

export interface NeighbourRound {
  name: string
  underAttackMs: number
  aloneMs: number
  /** Requests of the victim that did not succeed. */
  failed: number
  /** Statements that PostgreSQL still ran after the attacker had hung up. */
  statementsLeft: number
}

interface NeighbourWorkload {
  databaseUrl: string
  serverKey: string
  keys: readonly string[]
  seconds: number
  rounds: number
}

export const attackNames = Object.keys(attacks) as AttackName[]

export const measureNeighbours = async (
  db: Connection,
  { databaseUrl, serverKey, keys, seconds, rounds }: NeighbourWorkload,
  selected: readonly AttackName[],
): Promise<NeighbourRound[]> => {
  const [attackerKey, victimKey] = keys as [string, string]
  const receiver = await startSilentReceiver()
  const webhookIds = await registerHangingEndpoints(db, serverKey, receiver.port)
  const server = await startServer(databaseUrl, [], {
    PROCESS_ROLE: 'all',
    WEBHOOK_ALLOW_PRIVATE: '1',
  })
  const connectionId = encodeId('con', idOf('connection1'))
  const documentIds: string[] = []
  const needsMany = manyLargeDocuments.some((attack) => selected.includes(attack))
  while (documentIds.length < (needsMany ? largeDocuments : 1)) {
    const body = largeInvoice(connectionId)
    documentIds.push(await createDocument(server.port, attackerKey, body))
  }
  const options = {
    port: server.port,
    key: attackerKey,
    perSecond: attackerPerSecond,
    connectionId,
    documentIds,
    webhookId: webhookIds[0]!,
    session: await adminSession(db),
  }
  const victim = { port: server.port, key: victimKey }
  await measureVictim(victim, 3)
  const measured: NeighbourRound[] = []
  for (const attack of selected.flatMap((one) => Array<AttackName>(rounds).fill(one))) {
    const alone = await measureVictim(victim, seconds)
    const stop = await startAttack({ ...options, attack })
    const attacked = await measureVictim(victim, seconds)
    const outcomes = await stop()
    const statementsLeft = await runningStatements(db)
    const { p99Ms: underAttackMs, failed, count } = attacked
    const name = `neighbour.${attack}`
    measured.push({ name, underAttackMs, aloneMs: alone.p99Ms, failed, statementsLeft })
    process.stdout.write(
      `${name}: victim failed ${failed}/${count}, p99 ${ratios(attacked, alone)}, attacker ${outcomes}, statements left after the hang-up ${statementsLeft}\n`,
    )
    await untilQuiet(server)
  }
  await server.stop()
  receiver.stop()
  return measured
}

/** What the victim does, every 20 ms each. */
const victimRequests = ['read', 'key check', 'create'] as const

interface Latencies {
  p99Ms: number
  /** The same for each of its requests alone. */
  p99MsOf: readonly number[]
  count: number
  failed: number
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/** One read, one create and one key check every 20 ms, on time whatever becomes of the others. */
const measureVictim = async (
  victim: { port: number; key: string },
  seconds: number,
): Promise<Latencies> => {
  const read = `/v1/documents/${encodeId('doc', idOf('document65'))}`
  const pending: Promise<{ ms: number; status: number }>[] = []
  await new Promise<void>((resolve) => {
    let left = (seconds * 1000) / everyMs
    const timer = setInterval(() => {
      pending.push(timed(victim, 'GET', read), timed(victim, 'GET', '/v1/me'))
      pending.push(timed(victim, 'POST', '/v1/documents', invoice(2)))
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      resolve()
    }, everyMs)
  })
  const results = await Promise.all(pending)
  const kinds = victimRequests.length
  return {
    p99Ms: p99(results),
    p99MsOf: victimRequests.map((_, kind) => p99(results.filter((__, i) => i % kinds === kind))),
    count: results.length,
    failed: results.filter(({ status }) => status >= 300).length,
  }
}

const p99 = (results: readonly { ms: number }[]): number => {
  const sorted = results.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)]!
}

/** A line of the matrix: how much slower each of the victim's requests was. */
const ratios = (attacked: Latencies, alone: Latencies): string =>
  victimRequests
    .map((name, i) => `${name} ${(attacked.p99MsOf[i]! / alone.p99MsOf[i]!).toFixed(1)}`)
    .join(', ')

const timed = (
  { port, key }: { port: number; key: string },
  method: 'GET' | 'POST',
  path: string,
  body?: string,
): Promise<{ ms: number; status: number }> => {
  const startedAt = performance.now()
  const headers: Record<string, string> = { authorization: `Bearer ${key}` }
  if (body !== undefined) {
    headers['content-type'] = 'application/json'
    headers['idempotency-key'] = randomBytes(12).toString('hex')
  }
  return new Promise((resolve) => {
    const sent = httpRequest({ agent, port, host: '127.0.0.1', method, path, headers })
    const done = (status: number) => resolve({ ms: performance.now() - startedAt, status })
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => done(response.statusCode!))
    })
    sent.on('error', () => done(599))
    sent.end(body)
  })
}

/** Starts the attacker's process; the returned function stops it and tells what it was answered. */
const startAttack = async (options: AttackOptions): Promise<() => Promise<string>> => {
  const script = join(import.meta.dirname, 'neighbour-attacks.ts')
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.write(`${JSON.stringify(options)}\n`)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  return async () => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    await ended
    return output
  }
}

/** Statements of callers that PostgreSQL still runs, half a second after the attacker is gone. */
const runningStatements = async (db: Connection): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, 500))
  const [row] = await db.rows<{ count: bigint }>(sql`
    select count(*) as count from pg_stat_activity
    where state = 'active' and pid <> pg_backend_pid() and application_name like 'docex %'
      and clock_timestamp() - query_start > interval '400 milliseconds'`)
  return Number(row!.count)
}

const untilQuiet = async ({ cpuMs }: BenchServer): Promise<void> => {
  for (let second = 0; second < 10; second += 1) {
    const before = await cpuMs()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if ((await cpuMs()) - before < 250) return
  }
}

const registerHangingEndpoints = async (
  db: Connection,
  serverKey: string,
  port: number,
): Promise<string[]> => {
  const { webhookSecrets } = await openKeyring({ serverKey, dataDir: '' })
  const ids: string[] = []
  for (let i = 0; i < 10; i += 1) {
    const endpoint = await registerEndpoint(db, webhookSecrets, {
      organization: idOf('issuer1'),
      mode: 'test',
      events: [],
      description: null,
      url: `http://127.0.0.1:${port}/hooks/${i}`,
    })
    ids.push(encodeId('whk', endpoint.endpoint.id))
  }
  return ids
}

const adminSession = async (db: Connection): Promise<string> => {
  const [user, organization] = [idOf('admin'), idOf('issuer1')]
  await db.run(sql`
    insert into memberships (user_id, organization_id, role, created_at, seal)
    values (${user}, ${organization}, 'owner', now(), '')`)
  await sealSeededRows(db)
  return (await openSession(db, { user, organization, mode: 'test' })).token
}

const createDocument = async (port: number, key: string, body: string): Promise<string> => {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomBytes(12).toString('hex'),
  }
  const url = `http://127.0.0.1:${port}/v1/documents`
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}
