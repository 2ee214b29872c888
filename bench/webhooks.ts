/**
 * Deliveries: how many a second from one worker process, beside the same client in a bare loop; and
 * how long one takes when there is little to do.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { registerEndpoint } from '../src/changes/webhooks.ts'
import { openKeyring } from '../src/keyring.ts'
import { type Connection, sql } from '../src/sql.ts'
import { idOf, pairs } from './seed.ts'

export interface Received {
  count: number
  firstAt: number
  lastAt: number
}

export interface Receiver {
  port: number
  /** What arrived since the last reset. */
  read(message?: 'reset'): Promise<Received>
  stop(): void
}

export const startReceiver = async (): Promise<Receiver> => {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--max-semi-space-size=8', join(import.meta.dirname, 'receiver.ts')],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  const port = await new Promise<number>((resolve) => {
    child.stdout!.once('data', (text: Buffer) => resolve(Number(text.toString())))
  })
  return {
    port,
    read: (message) =>
      new Promise((resolve) => {
        child.once('message', (received) => resolve(received as Received))
        child.send(message ?? 'read')
      }),
    stop: () => child.disconnect(),
  }
}

/** One endpoint for each issuer, all at one receiver. */
export const registerEndpoints = async (
  db: Connection,
  serverKey: string,
  port: number,
): Promise<void> => {
  const { endpoints } = await openKeyring({ serverKey, dataDir: '' })
  await db.run(sql`delete from webhook_endpoints`)
  for (let pair = 1; pair <= pairs; pair += 1) {
    await registerEndpoint(db, endpoints, {
      organization: idOf(`issuer${pair}`),
      mode: 'test',
      url: `http://127.0.0.1:${port}/hooks/${pair}`,
      events: [],
      description: null,
    })
  }
}

/** Events as the service writes them, spread over all issuers, in one statement. */
export const commitEvents = async (db: Connection, count: number, payload: string) => {
  const each = Math.ceil(count / pairs)
  const salt = randomBytes(8).toString('hex')
  await db.run(sql`
    insert into events (organization_id, feed, id, document_id, sequence, type, created_at, payload)
    select h.organization_id, h.feed + n, md5(${salt} || h.organization_id || n)::uuid,
      md5('document' || n)::uuid, 1, 'document.created', now(), ${payload}
    from organization_heads h, generate_series(1, ${each}::int) n
    where h.organization_id in (select md5('issuer' || p)::uuid from generate_series(1, ${pairs}::int) p)`)
  await db.run(sql`
    update organization_heads set feed = feed + ${each}, changed_at = now()
    where organization_id in (select md5('issuer' || p)::uuid from generate_series(1, ${pairs}::int) p)`)
  return each * pairs
}

/** Deliveries a second of a backlog, from the first arrival to the last. */
export const drained = async (receiver: Receiver, expected: number): Promise<number> => {
  let received: Received
  do {
    await new Promise((resolve) => setTimeout(resolve, 20))
    received = await receiver.read()
  } while (received.count < expected)
  await receiver.read('reset')
  return received.count / ((received.lastAt - received.firstAt) / 1000)
}

const run = promisify(execFile)

/** The same client, as often, with bodies as long. */
export const bareClient = async (port: number, count: number, payload: string): Promise<number> => {
  const script = join(import.meta.dirname, 'bare-client.ts')
  const { stdout } = await run(process.execPath, [
    '--max-semi-space-size=8',
    script,
    ...[port, pairs, count, payload.length].map(String),
  ])
  return (JSON.parse(stdout) as { perSecond: number }).perSecond
}
