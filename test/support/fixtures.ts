/** Organizations, keys, connections and documents for tests to act on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createConnection } from '../../src/changes/identity/connections.ts'
import { type NewKey, createKey } from '../../src/changes/identity/keys.ts'
import {
  type NewOrganization,
  createOrganization,
} from '../../src/changes/identity/organizations.ts'
import { openSession } from '../../src/changes/identity/new-session.ts'
import { addMembership, createUser } from '../../src/changes/identity/users.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import { encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { inTurn } from './database/in-turn.ts'
import { runAndSeal } from './database/run-and-seal.ts'
import { callApi, postWhenFree } from './api-client.ts'
import type { TestService } from './test-service.ts'

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

/** Without digits, since a search for a number finds names that begin with it. */
const randomLetters = (): string =>
  randomBytes(4)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)

export const anOrganization = async (
  { database }: Pick<TestService, 'database'>,
  options: Partial<Omit<NewOrganization, 'currency'>> = {},
): Promise<TestOrganization> => {
  const { mode = 'test', verified = true, sandboxOf, isDemo = false } = options
  const name = options.name ?? `Organization ${randomLetters()}`
  const uuid = await inTurn(database, (tx) =>
    createOrganization(tx, {
      name,
      mode,
      verified,
      currency: 'USD',
      ...(sandboxOf === undefined ? {} : { sandboxOf }),
      isDemo,
    }),
  )
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const userId = await createUser(database, { email, name: 'Admin', passwordHash: null })
  await inTurn(database, (tx) =>
    addMembership(tx, { user: userId, organization: uuid, role: 'owner' }),
  )
  const { token } = await openSession(database, { user: userId, organization: uuid, mode })
  const organization = {
    id: encodeId('org', uuid),
    uuid,
    name,
    mode,
    userId,
    email,
    session: token,
  }
  const { secret, keyId } = await aKey({ database }, organization, grantableScopes)
  return { ...organization, key: secret, keyId }
}

export const aKey = async (
  { database }: Pick<TestService, 'database'>,
  { uuid, mode, userId }: Pick<TestOrganization, 'uuid' | 'mode' | 'userId'>,
  scopes: readonly Scope[],
  more: Partial<
    Pick<
      NewKey,
      'maxPerPayment' | 'dailyVolume' | 'approval' | 'allowedCidrs' | 'expiresAt' | 'signingKey'
    >
  > = {},
): Promise<{ secret: string; keyId: string }> => {
  const { secret, key } = await inTurn(database, (tx) =>
    createKey(tx, {
      organization: uuid,
      mode,
      createdBy: userId,
      name: 'Test key',
      scopes,
      allowedCidrs: [],
      maxPerPayment: null,
      dailyVolume: null,
      signingKey: null,
      expiresAt: null,
      ...more,
    }),
  )
  return { secret, keyId: encodeId('key', key.id) }
}

export interface Pair {
  issuer: TestOrganization
  counterparty: TestOrganization
  connection: string
  connectionUuid: string
}

/** Connects two organizations of the same mode; the first with a demo are a practice pair. */
export const connectPair = async (
  { database }: Pick<TestService, 'database'>,
  issuer: TestOrganization,
  counterparty: TestOrganization,
): Promise<Pair> => {
  const connectionUuid = await inTurn(database, (tx) =>
    createConnection(tx, {
      a: issuer.uuid,
      b: counterparty.uuid,
      mode: issuer.mode,
      invitedBy: issuer.uuid,
      terms: 'Net 30',
      currency: 'USD',
      status: 'active',
    }),
  )
  await runAndSeal(
    database,
    'sandboxes',
    sql`
    insert into sandboxes (id, owner_id, mode, organization_id, demo_organization_id, connection_id,
      created_at, seal)
    select c.id, o.id, 'test', o.id, d.id, c.id, c.created_at, '' from connections c
    join organizations o on o.id in (c.a_id, c.b_id) and not o.is_demo
    join organizations d on d.id in (c.a_id, c.b_id) and d.is_demo
    where c.id = ${connectionUuid} on conflict do nothing`,
  )
  return { issuer, counterparty, connection: encodeId('con', connectionUuid), connectionUuid }
}

/** Creates two connected organizations. */
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

/** Creates a draft invoice of the pair's issuer, and returns the response body. */
export const aDraft = async (
  running: TestService,
  { issuer, connection }: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
): Promise<any> => {
  const reply = await postWhenFree(running, '/v1/documents', {
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

/** Issues an invoice, and returns it as the issuer sees it. */
export const anInvoice = async (
  running: TestService,
  pair: Pair,
  more: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
): Promise<any> => {
  const draft = await aDraft(running, pair, more)
  const { key } = pair.issuer
  const reply = await postWhenFree(running, `/v1/documents/${draft.id}/issue`, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const move = (on: TestService, key: string, id: string, to: string, more = {}) =>
  callApi(on, 'POST', `/v1/documents/${id}/transition`, { key, body: { to, ...more } })
