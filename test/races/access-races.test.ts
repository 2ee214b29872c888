/**
 * What takes access away, concurrent with writes, payments and with itself, over two services on
 * one database: nothing fails or waits forever, and whoever keeps access keeps it.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addMembership, grantMembership } from '../../src/changes/identity/users.ts'
import { openSession } from '../../src/changes/identity/new-session.ts'
import { createSignInLink } from '../../src/changes/identity/sign-in-links.ts'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { type Reply, callApi, postWhenFree } from '../support/api-client.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import {
  type TestOrganization,
  aKey,
  aPair,
  anOrganization,
  exampleLine,
} from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { together } from '../support/together.ts'

const one = await startTestService({ SANDBOX_QUOTAS: 'off' })
const two = await one.startAnother()
const services = [one, two] as const
const serviceOf = (i: number) => services[i % 2]!
const rounds = process.env['LONG'] === '1' ? 200 : 12

const assertAll = (replies: readonly Reply[], status: number): void => {
  for (const reply of replies) assert.equal(reply.status, status, reply.text)
}

const post = (i: number, path: string, key: string, body: object = {}) =>
  postWhenFree(serviceOf(i), path, { key, body })

const openAnotherSession = async (on: TestOrganization): Promise<string> => {
  const { userId: user, uuid: organization, mode } = on
  return (await openSession(one.database, { user, organization, mode })).token
}

describe('access is taken away under load', () => {
  test('revocations and rotations make no create and no payment fail', async () => {
    const pair = await aPair(one)
    const { issuer, counterparty, connection } = pair
    const limit = { dailyVolume: 1_000_000_000n }
    const scopes = ['documents:write', 'payments:write'] as const
    const paying = await together(4, () => aKey(one, counterparty, scopes, limit))
    const draft = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    for (let round = 0; round < rounds / 4; round += 1) {
      const invoices = await together(8, async () => (await anApprovedInvoice(one, pair)).id)
      const spare = await together(8, (i) =>
        aKey(one, i % 2 === 0 ? issuer : counterparty, ['documents:read', 'payments:write'], limit),
      )
      const sessionOf = (i: number) => (i % 2 === 0 ? issuer : counterparty).session
      const [created, paid, revoked, rotated] = await Promise.all([
        together(24, (i) => post(i, '/v1/documents', issuer.key, draft)),
        together(8, (i) => post(i, `/v1/documents/${invoices[i]!}/pay`, paying[i % 4]!.secret)),
        together(4, (i) => post(i, `/v1/keys/${spare[i]!.keyId}/revoke`, sessionOf(i))),
        together(4, (i) => post(i, `/v1/keys/${spare[4 + i]!.keyId}/rotate`, sessionOf(i))),
      ])
      assertAll(created, 201)
      assertAll([...paid, ...revoked, ...rotated], 200)
      const kept = [
        ...spare.slice(4).map(({ secret }) => secret),
        ...rotated.map((r) => r.body.key),
      ]
      const calls = await together(kept.length, (i) =>
        callApi(serviceOf(i), 'GET', '/v1/me', { key: kept[i]! }),
      )
      assertAll(calls, 200)
    }
    await assertServiceConsistent(one)
  })

  test('a revocation locks keys by id, as payments do', async () => {
    const owner = await anOrganization(one)
    const { keyId } = await aKey(one, owner, ['documents:read'])
    const [first, second] = [owner.keyId, keyId].map((id) => decodeId('key', id)!).toSorted()
    const holder = await openTestConnection(one.databaseUrl)
    await holder.script('begin')
    await holder.run(sql`select 1 from keys where id = ${first} for update`)
    const revoking = post(0, `/v1/keys/${keyId}/revoke`, owner.session)
    await until('the revocation waits for the first key', async () => {
      const waiting = await one.database.rows(sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database() and query like '%from keys t%'`)
      return waiting.length > 0
    })
    await holder.run(sql`select 1 from keys where id = ${second} for update nowait`)
    await holder.script('rollback')
    await holder.close()
    assert.equal((await revoking).status, 200)
  })

  test('a key revoked while it pays either has paid before or is refused', async () => {
    const pair = await aPair(one)
    const scopes = ['documents:write', 'payments:write'] as const
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await anApprovedInvoice(one, pair)
      const { secret, keyId } = await aKey(one, pair.counterparty, scopes)
      const [paid, revoked] = await Promise.all([
        pay(one, secret, id),
        post(1, `/v1/keys/${keyId}/revoke`, pair.counterparty.session),
      ])
      assert.equal(revoked.status, 200, revoked.text)
      assert([200, 401].includes(paid.status), paid.text)
    }
  })

  test('keys and members that join meanwhile have access afterwards', async () => {
    const owner = await anOrganization(one)
    for (let round = 0; round < rounds; round += 1) {
      const { keyId } = await aKey(one, owner, ['documents:read'])
      const body = { name: 'x', scopes: ['documents:read'] }
      const [created, session, revoked] = await Promise.all([
        post(0, '/v1/keys', owner.session, body),
        inTransaction(one.database, async (tx) => {
          const user = await newUser(tx, owner)
          return (await openSession(tx, { user, organization: owner.uuid, mode: 'test' })).token
        }),
        post(1, `/v1/keys/${keyId}/revoke`, owner.session),
      ])
      assert.deepEqual([created.status, revoked.status], [201, 200])
      const calls = await Promise.all(
        [created.body.key, session, owner.key, owner.session].map((key) =>
          callApi(two, 'GET', '/v1/me', { key }),
        ),
      )
      assertAll(calls, 200)
    }
  })

  test('a user can sign in while another session ends', async () => {
    const owner = await anOrganization(one)
    for (let round = 0; round < rounds; round += 1) {
      const ending = await openAnotherSession(owner)
      const { token: link } = await createSignInLink(one.database, owner.userId)
      const [signedIn, ended] = await Promise.all([
        callApi(two, 'POST', '/auth/sessions', { body: { link } }),
        callApi(one, 'DELETE', '/auth/session', { key: ending }),
      ])
      assert.deepEqual([signedIn.status, ended.status], [201, 200])
      const calls = await Promise.all(
        [signedIn.body.token, owner.session].map((key) =>
          callApi(two, 'GET', '/auth/session', { key }),
        ),
      )
      assertAll(calls, 200)
    }
  })

  test('people who share organizations are removed from them at once', async () => {
    const shared = [await anOrganization(one), await anOrganization(one)] as const
    for (let round = 0; round < rounds; round += 1) {
      const people = await together(2, (i) =>
        inTransaction(one.database, (tx) => newUser(tx, shared[i % 2]!)),
      )
      for (const [i, user] of people.entries()) {
        const organization = shared[(i + 1) % 2]!.uuid
        await inTransaction(one.database, (tx) =>
          addMembership(tx, { user, organization, role: 'viewer' }),
        )
      }
      const removed = await together(2, (i) =>
        callApi(serviceOf(i), 'DELETE', `/v1/members/${encodeId('usr', people[i]!)}`, {
          key: shared[i]!.session,
        }),
      )
      assertAll(removed, 200)
    }
  })

  test('sessions of one user that end, start and switch at once end each by itself', async () => {
    const here = await anOrganization(one)
    const there = await anOrganization(one)
    const { userId: user, uuid: organization } = { ...here, uuid: there.uuid }
    await addMembership(one.database, { user, organization, role: 'admin' })
    const abroad = { ...here, id: there.id, uuid: there.uuid }
    for (let round = 0; round < rounds; round += 1) {
      const kept = await openAnotherSession(here)
      const own = [await openAnotherSession(here), await openAnotherSession(here)]
      const other = [await openAnotherSession(abroad), await openAnotherSession(abroad)]
      const path = '/auth/session/switch'
      const [ended, left, returned] = await Promise.all([
        callApi(one, 'DELETE', '/auth/session', { key: own[0]! }),
        together(1, (i) => post(i, path, own[1]!, { organization_id: there.id })),
        together(2, (i) => post(i, path, other[i]!, { organization_id: here.id })),
      ])
      assertAll([ended, ...left, ...returned], 200)
      const open = [kept, ...[...left, ...returned].map(({ body }) => body.token as string)]
      const calls = await together(open.length, (i) =>
        callApi(serviceOf(i), 'GET', '/auth/session', { key: open[i]! }),
      )
      assertAll(calls, 200)
      const gone = await together(2, (i) =>
        callApi(serviceOf(i), 'GET', '/auth/session', { key: own[i]! }),
      )
      assertAll(gone, 401)
    }
  })
})

const newUser = async (tx: Connection, { uuid }: TestOrganization): Promise<string> => {
  const grant = { email: `${crypto.randomUUID()}@example.com`, name: 'Ada', organization: uuid }
  const { user } = await grantMembership(tx, { ...grant, role: 'member', passwordHash: null })
  return user.id
}
