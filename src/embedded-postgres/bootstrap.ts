/** Prepares a new cluster for use: creates the database and the loopback password. */
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import { Client, DatabaseError } from 'pg'

import { socketUrl, type Layout } from './layout.ts'

/** A connection takes 6 ms, and 17 ms at most while ten processes share two cores. */
const connectMaxMs = 1_000
const queryMaxMs = 10_000
const cannotConnectNow = '57P03'
/** The class of errors of a server that stops, crashes or recovers. */
const operatorIntervention = '57P'
/** An earlier attempt, for whose answer nobody waits any more, has created the database. */
const createdMeanwhile = ['42P04', '23505']

/** `starting` also means recovering or shutting down. */
export type Readiness = 'yes' | 'no' | 'starting'

/** Connects to `postgres`, the database that always exists. */
export async function acceptsConnections(
  layout: Layout,
  port: number,
  maxMs = connectMaxMs,
): Promise<Readiness> {
  try {
    await withClient(socketUrl(layout, port, 'postgres'), async () => {}, maxMs)
    return 'yes'
  } catch (error) {
    if (!(error instanceof DatabaseError)) return 'no'
    // Any other error comes from a running server, such as one without a free connection.
    return error.code === cannotConnectNow ? 'starting' : 'yes'
  }
}

/** Longer than it takes to mend what happens to PostgreSQL in its first moments. */
const prepareMaxMs = 30_000

/** Returns the password of the loopback address. */
export async function prepareDatabase(layout: Layout, port: number): Promise<string> {
  for (const deadline = performance.now() + prepareMaxMs; ; await pause(100)) {
    try {
      return await prepareOnce(layout, port)
    } catch (error) {
      if (isFinal(error) || performance.now() > deadline) throw error
    }
  }
}

const isFinal = (error: unknown): boolean => {
  if (!(error instanceof DatabaseError)) return false
  const { code = '' } = error
  return !code.startsWith(operatorIntervention) && !createdMeanwhile.includes(code)
}

async function prepareOnce(layout: Layout, port: number): Promise<string> {
  return withClient(socketUrl(layout, port, 'postgres'), async (client) => {
    const existing = await client.query("select from pg_database where datname = 'docex'")
    if (existing.rowCount === 0) await client.query('create database docex')
    return readPassword(layout) ?? (await setPassword(layout, client))
  })
}

function readPassword(layout: Layout): string | undefined {
  try {
    return readFileSync(layout.password, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Sets the password before it writes the file, so that an existing file is always valid. */
async function setPassword(layout: Layout, client: Client): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await client.query(`alter role postgres password '${password}'`)
  const fresh = `${layout.password}.new`
  writeFileSync(fresh, `${password}\n`, { mode: 0o600 })
  renameSync(fresh, layout.password)
  return password
}

async function withClient<T>(
  url: string,
  use: (client: Client) => Promise<T>,
  maxMs = connectMaxMs,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: maxMs,
    query_timeout: queryMaxMs,
    ssl: false,
  })
  // An idle connection may break; the next query reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    // Not awaited: a stopped process of PostgreSQL never closes its side.
    client.end().catch(() => {})
  }
}
