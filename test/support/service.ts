/**
 * The service as its users meet it: over HTTP, on a real PostgreSQL, with organizations to act for.
 * Everything started here ends with the test file.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createConnection } from '../../src/changes/identity/connections.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import { type NewKey, createKey } from '../../src/changes/identity/keys.ts'
import {
  type NewOrganization,
  createOrganization,
} from '../../src/changes/identity/organizations.ts'
import { openSession } from '../../src/changes/identity/sessions.ts'
import { addMembership, createUser } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { jsonLogger } from '../../src/telemetry/log.ts'
import type { Resolve } from '../../src/outbound/egress.ts'
import { type Service, startService } from '../../src/service.ts'
import { Connection } from '../../src/database/sql.ts'
import { keysDirOf, testDatabase } from './database/postgres.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
}

export interface TestService {
  service: Service
  baseUrl: string
  databaseUrl: string
  database: Connection
  /** Lines of the log so far. */
  logLines: string[]
  /** One more process's worth of service on the same database. */
  startAnother(settings?: Record<string, string>): Promise<TestService>
}

/** No test asks the domain name system. */
const resolveTestName: Resolve = async (name) =>
  name === 'public.example' ? ['93.184.216.34'] : []

export const serverKey = 'test server key, 32 characters or more'

export const startTestService = async (
  settings: Record<string, string> = {},
  overrides: { url?: string; resolve?: Resolve } = {},
): Promise<TestService> => {
  const url = overrides.url ?? (await testDatabase()).url
  const config: Config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    SERVER_KEY: serverKey,
    DATA_DIR: await sharedDataDir(),
    RATE_LIMITS: 'off',
    PROVENANCE_KEYS_DIR: keysDirOf(url),
    ...settings,
  })
  const logLines: string[] = []
  const service = await startService({
    config,
    databaseUrl: url,
    keyring: await openKeyring(config),
    log: jsonLogger((line) => void logLines.push(line), { calls: settings['LOG_CALLS'] !== '0' }),
    resolve: overrides.resolve ?? resolveTestName,
  })
  const database = await Connection.open(url, 'docex test')
  after(async () => {
    await database.close()
    await service.stop()
  })
  return {
    service,
    baseUrl: `http://127.0.0.1:${service.port}`,
    databaseUrl: url,
    database,
    logLines,
    startAnother: (more = {}) => startTestService({ ...settings, ...more }, { ...overrides, url }),
  }
}

/** One folder for the files of all services of a test file, as a deployment has one store. */
const sharedDataDir = (): Promise<string> => (sharedDataDirPromise ??= temporaryDataDir())
let sharedDataDirPromise: Promise<string> | undefined

const temporaryDataDir = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'docex-files-'))
  after(() => rm(path, { recursive: true, force: true }))
  return path
}

export const freshIdempotencyKey = (): string => `test-${randomBytes(12).toString('hex')}`

export interface RequestOptions {
  key?: string
  /** Sent as JSON, or as the form it is. */
  body?: unknown
  /** Sent as it is, instead of body. */
  raw?: string | Buffer
  headers?: Record<string, string>
}

/** One call; writes get a fresh Idempotency-Key unless one is given (or null-ed with ''). */
export const callApi = async (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  method: string,
  path: string,
  { key, body, raw, headers = {} }: RequestOptions = {},
): Promise<Reply> => {
  const sent: Record<string, string> = {}
  if (key !== undefined) sent['authorization'] = `Bearer ${key}`
  if (method !== 'GET') sent['idempotency-key'] = freshIdempotencyKey()
  const isForm = body instanceof FormData
  const content = raw ?? (isForm || body === undefined ? body : JSON.stringify(body))
  if (content !== undefined && !isForm) sent['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(headers)) {
    if (value === '') delete sent[name.toLowerCase()]
    else sent[name.toLowerCase()] = value
  }
  const answer = await fetch(baseUrl + path, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(content === undefined ? {} : { body: content as string | FormData }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

export interface TestOrganization {
  id: string
  uuid: string
  name: string
  mode: 'live' | 'test'
  userId: string
  email: string
  /** A key with every grantable scope. */
  key: string
  keyId: string
  /** An admin session token. */
  session: string
}

const grantableScopes: Scope[] = [
  'documents:read',
  'documents:write',
  'payments:read',
  'payments:write',
  'treasury:read',
  'provenance:read',
]

export const anOrganization = async (
  { database }: Pick<TestService, 'database'>,
  options: Partial<Omit<NewOrganization, 'currency'>> = {},
): Promise<TestOrganization> => {
  const { mode = 'test', verified = true, sandboxOf, isDemo = false } = options
  const name = options.name ?? `Organization ${randomBytes(4).toString('hex')}`
  const uuid = await createOrganization(database, {
    name,
    mode,
    verified,
    currency: 'USD',
    ...(sandboxOf === undefined ? {} : { sandboxOf }),
    isDemo,
  })
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const userId = await createUser(database, { email, name: 'Admin', passwordHash: null })
  await addMembership(database, { user: userId, organization: uuid, role: 'owner' })
  const { token } = await openSession(database, { user: userId, organization: uuid, mode })
  const acting = { id: encodeId('org', uuid), uuid, name, mode, userId, email, session: token }
  const { secret, keyId } = await aKey({ database }, acting, grantableScopes)
  return { ...acting, key: secret, keyId }
}

export const aKey = async (
  { database }: Pick<TestService, 'database'>,
  { uuid, mode, userId }: Pick<TestOrganization, 'uuid' | 'mode' | 'userId'>,
  scopes: readonly Scope[],
  more: Partial<Pick<NewKey, 'maxPerPayment' | 'dailyVolume' | 'allowedCidrs' | 'expiresAt'>> = {},
): Promise<{ secret: string; keyId: string }> => {
  const { secret, key } = await createKey(database, {
    organization: uuid,
    mode,
    createdBy: userId,
    name: 'Test key',
    scopes,
    allowedCidrs: [],
    maxPerPayment: null,
    dailyVolume: null,
    expiresAt: null,
    ...more,
  })
  return { secret, keyId: encodeId('key', key.id) }
}

export interface Pair {
  issuer: TestOrganization
  counterparty: TestOrganization
  connection: string
  connectionUuid: string
}

/** Joins two organizations of one mode by an active connection. */
export const connectPair = async (
  { database }: Pick<TestService, 'database'>,
  issuer: TestOrganization,
  counterparty: TestOrganization,
): Promise<Pair> => {
  const connectionUuid = await createConnection(database, {
    a: issuer.uuid,
    b: counterparty.uuid,
    mode: issuer.mode,
    invitedBy: issuer.uuid,
    terms: 'Net 30',
    currency: 'USD',
    status: 'active',
  })
  return { issuer, counterparty, connection: encodeId('con', connectionUuid), connectionUuid }
}

/** Two organizations with an active connection. */
export const aPair = async (
  running: Pick<TestService, 'database'>,
  mode: 'live' | 'test' = 'test',
): Promise<Pair> =>
  connectPair(
    running,
    await anOrganization(running, { mode }),
    await anOrganization(running, { mode }),
  )

export const exampleLine = {
  description: 'Consulting',
  quantity: 10,
  unit_price: 100,
  tax_rate: 0.08,
}

/** A draft invoice of the pair's issuer, as answered. */
export const aDraft = async (
  running: TestService,
  { issuer, connection }: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
): Promise<any> => {
  const reply = await callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body: {
      connection_id: connection,
      document_type: 'invoice',
      line_items: [exampleLine],
      ...more,
    },
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** An issued invoice, as the issuer sees it. */
export const anInvoice = async (
  running: TestService,
  pair: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
): Promise<any> => {
  const draft = await aDraft(running, pair, more)
  const reply = await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, {
    key: pair.issuer.key,
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const move = (on: TestService, key: string, id: string, to: string, more = {}) =>
  callApi(on, 'POST', `/v1/documents/${id}/transition`, { key, body: { to, ...more } })

/** Waits until a condition holds; fails with its name after the deadline. */
export const until = async (
  what: string,
  holds: () => Promise<boolean> | boolean,
  deadlineMs = 20_000,
): Promise<void> => {
  for (const endsAt = Date.now() + deadlineMs; !(await holds());) {
    if (Date.now() > endsAt) assert.fail(`did not happen in ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
