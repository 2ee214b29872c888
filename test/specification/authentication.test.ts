/** Specification 5, clause by clause: credentials, scopes, limits, rotation and revocation. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { mintKey } from '../../src/core/identity/credentials.ts'
import { callApi } from '../support/api-client.ts'
import { type TestOrganization, aKey, aPair, anOrganization } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ KEY_ROTATION_GRACE: '24h' })
const pair = await aPair(running)
const { issuer, counterparty } = pair

const asAdmin = (method: string, path: string, body?: object, admin = counterparty) =>
  callApi(running, method, path, { key: admin.session, ...(body === undefined ? {} : { body }) })

// oxlint-disable-next-line typescript/no-explicit-any -- a response
const minted = async (more: object = {}, admin: TestOrganization = counterparty): Promise<any> => {
  const body = { name: 'Key', scopes: ['documents:read'], ...more }
  const reply = await asAdmin('POST', '/v1/keys', body, admin)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

const me = (key: string) => callApi(running, 'GET', '/v1/me', { key })

const pay = (id: string, key: string) =>
  callApi(running, 'POST', `/v1/documents/${id}/pay`, { key })

describe('specification 5: authentication', () => {
  test('5.1 a Bearer credential is the only way in', async () => {
    const { key } = issuer
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
      { cookie: `key=${key}` },
    ]) {
      assertRefused(await callApi(running, 'GET', '/v1/me', { headers }), 'unauthorized')
    }
    assert.equal((await me(key)).status, 200)
  })

  test('5.2 keys are created and rotated with an admin session only', async () => {
    const body = { name: 'Key', scopes: ['documents:read'] }
    const { key } = counterparty
    for (const path of ['/v1/keys', `/v1/keys/${counterparty.keyId}/rotate`]) {
      const refused = await callApi(running, 'POST', path, { key, body })
      assert.deepEqual(assertRefused(refused, 'insufficient_scope').required_scopes, [
        'admin_session',
      ])
    }
  })

  test('5.2 only an admin session grants keys:manage', async () => {
    const { scopes } = await minted({ scopes: ['documents:read', 'keys:manage'] })
    assert.deepEqual(scopes, ['documents:read', 'keys:manage'])
  })

  test('5.3 the secret is shown once, and only its hash is kept', async () => {
    const { id, key, prefix } = await minted()
    const read = await asAdmin('GET', `/v1/keys/${id}`)
    assert.equal(read.body.prefix, prefix)
    assert.equal(read.text.includes(key), false)
    assert.deepEqual(await tablesContaining(running.database, key), [])
  })

  test('5.4 the prefix of a key follows its organization', async () => {
    const live = await anOrganization(running, { mode: 'live' })
    assert.match((await minted()).key, /^rk_test_/)
    assert.match((await minted({}, live)).key, /^rk_live_/)
  })

  test('5.4 sandbox and live keys are isolated from each other', async () => {
    const live = await anOrganization(running, { mode: 'live' })
    const path = '/v1/sandbox/clock'
    assertRefused(await callApi(running, 'GET', path, { key: live.key }), 'sandbox_isolation')
    assert.equal((await callApi(running, 'GET', path, { key: issuer.key })).status, 200)
  })

  test('5.5 each scope opens its own reads, and no other', async () => {
    const reads = {
      'documents:read': '/v1/documents',
      'payments:read': '/v1/payments',
      'treasury:read': '/v1/treasury/balances',
      'keys:manage': '/v1/keys',
    }
    for (const [scope, own] of Object.entries(reads)) {
      const { key } = await minted({ scopes: [scope] })
      for (const path of Object.values(reads)) {
        const reply = await callApi(running, 'GET', path, { key })
        if (path === own) assert.equal(reply.status, 200, `${scope} ${path} ${reply.text}`)
        else assertRefused(reply, 'insufficient_scope')
      }
    }
  })

  test('5.6 treasury:read in an unverified organization is refused, not answered with nothing', async () => {
    const unverified = await anOrganization(running, { verified: false })
    const { key } = await minted({ scopes: ['treasury:read'] }, unverified)
    const refused = await callApi(running, 'GET', '/v1/treasury/accounts', { key })
    assertRefused(refused, 'capability_unavailable', 'organization_unverified')
  })

  test('5.7 exceeding a payment limit is refused before anything moves, and names the limit', async () => {
    const scopes = ['documents:read', 'documents:write', 'payments:write']
    const first = await anApprovedInvoice(running, pair)
    const second = await anApprovedInvoice(running, pair)
    const small = await minted({ scopes, payment_limits: { max_per_payment: 1079.99 } })
    assert.equal(small.payment_limits.max_per_payment, 1079.99)
    const single = assertRefused(await pay(first.id, small.key), 'payment_limit_exceeded')
    assert.deepEqual(
      [single.limit, single.max, single.attempted],
      ['max_per_payment', 1079.99, 1080],
    )
    // A payment of the maximum itself is within it.
    const both = { max_per_payment: 1080, daily_volume: 2000 }
    const daily = await minted({ scopes, payment_limits: both })
    assert.equal((await pay(first.id, daily.key)).status, 200)
    const refused = assertRefused(await pay(second.id, daily.key), 'payment_limit_exceeded')
    assert.deepEqual([refused.limit, refused.used, refused.attempted], ['daily_volume', 1080, 1080])
    const { body } = await callApi(running, 'GET', `/v1/documents/${second.id}`, {
      key: counterparty.key,
    })
    assert.deepEqual([body.status, body.balance_due], ['approved', 1080])
  })

  test('5.8 an expired key, a revoked key and an unknown key get the same answer', async () => {
    const { secret: expired } = await aKey(running, counterparty, ['documents:read'], {
      expiresAt: new Date(Date.now() - 1_000).toISOString(),
    })
    const revoked = await minted()
    await asAdmin('POST', `/v1/keys/${revoked.id}/revoke`)
    const messages = new Set<string>()
    for (const key of [expired, revoked.key, mintKey('test', randomBytes(64)).key]) {
      const refused = await me(key)
      assertRefused(refused, 'unauthorized')
      messages.add(refused.body.error.message)
    }
    assert.equal(messages.size, 1)
  })

  test('5.9 an address outside allowed_cidrs is forbidden, and at most 20 ranges are accepted', async () => {
    const away = await minted({ allowed_cidrs: ['203.0.113.0/24', '2001:db8::/32'] })
    assertRefused(await me(away.key), 'forbidden')
    assert.equal((await me((await minted({ allowed_cidrs: ['127.0.0.0/8'] })).key)).status, 200)
    const allowed_cidrs = Array.from({ length: 21 }, (_, i) => `10.0.${i}.0/24`)
    const body = { name: 'Key', scopes: ['documents:read'], allowed_cidrs }
    assertProblems(await asAdmin('POST', '/v1/keys', body), '/allowed_cidrs out_of_range')
  })

  test('5.10 after a rotation both keys work, and their records name each other', async () => {
    const old = await minted({ allowed_cidrs: ['127.0.0.0/8'] })
    const { body } = await asAdmin('POST', `/v1/keys/${old.id}/rotate`)
    assert.deepEqual(
      [body.name, body.scopes, body.allowed_cidrs, body.rotated_from_id, body.previous.id],
      [old.name, old.scopes, old.allowed_cidrs, old.id, old.id],
    )
    for (const key of [old.key, body.key]) assert.equal((await me(key)).status, 200)
    const { body: record } = await asAdmin('GET', `/v1/keys/${old.id}`)
    assert.deepEqual([record.rotated_to_id, record.expires_at], [body.id, body.previous.expires_at])
  })

  test('5.11 revocation is immediate and permanent, and a second one answers the same record', async () => {
    const { id, key } = await minted()
    const first = await asAdmin('POST', `/v1/keys/${id}/revoke`)
    assertRefused(await me(key), 'unauthorized')
    const again = await asAdmin('POST', `/v1/keys/${id}/revoke`)
    assert.deepEqual([again.status, again.body], [200, first.body])
  })

  test('5.12 a payment transition without the scope answers insufficient_scope', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const { key } = await minted({ scopes: ['documents:read', 'documents:write'] })
    const refused = await callApi(running, 'POST', `/v1/documents/${id}/transition`, {
      key,
      body: { to: 'payment_scheduled' },
    })
    assertRefused(refused, 'insufficient_scope')
  })
})
