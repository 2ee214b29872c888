/** Small exact things of the contract that clients rely on, each in a few calls. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../support/api-client.ts'
import { aKey, aPair, anInvoice, anOrganization, exampleLine, move } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)
const { issuer, counterparty } = pair

const draft = (key: string, more: object = {}) =>
  callApi(running, 'POST', '/v1/documents', {
    key,
    body: {
      connection_id: pair.connection,
      document_type: 'invoice',
      line_items: [exampleLine],
      ...more,
    },
  })

test('contract 3: what a session writes has the origin app, and what a key writes api', async () => {
  assert.equal((await draft(issuer.session)).body.origin, 'app')
  assert.equal((await draft(issuer.key)).body.origin, 'api')
})

test('contract 11: what creates a record answers 201, and every other success 200', () => {
  const creating = /\.(create|convert|import|create_document|create_listing)$/
  const isDeclared = ({ id, status }: (typeof operations)[number]) =>
    (status ?? 200) === (creating.test(id) || id === 'finance.offers.accept' ? 201 : 200)
  assert.deepEqual(
    operations.filter(({ path }) => path.startsWith('/v1/')).filter((one) => !isDeclared(one)),
    [],
  )
})

test('contract 11: a path belongs to the family of the list', () => {
  const families: readonly (readonly [RegExp, string])[] = [
    [/^\/v1\/documents\/\{id\}\/(history|lineage|export)$/, 'provenance'],
    [/^\/v1\/log\//, 'provenance'],
    [/^\/v1\/(documents\/\{id\}\/pay|payments(\/.*)?)$/, 'payments'],
    [/^\/v1\/treasury\//, 'treasury'],
    [/^\/v1\/(keys|requests)(\/.*)?$/, 'keys'],
    [/^\/v1\/webhooks(\/.*)?$/, 'webhooks'],
    [/^\/v1\/finance\//, 'finance'],
    [/^\/v1\/(documents|connections|events)(\/[^/]*)?$/, 'documents'],
    [/^\/v1\/documents\/\{id\}\/attachments/, 'documents'],
  ]
  for (const { path, family } of operations) {
    const [, expected = family] = families.find(([form]) => form.test(path)) ?? []
    assert.equal(family, expected, path)
  }
})

test('contract 4 and 11: records have the fields that are listed', async () => {
  const { schemas } = (await callApi(running, 'GET', '/v1/openapi.json')).body.components
  const listed: Readonly<Record<string, string>> = {
    Connection: 'id status counterparty default_payment_terms currency sandbox created_at',
    Key: 'id name prefix scopes expires_at status revoked_at created_at sandbox last_used_at',
    RotatedKey: 'key rotated_from_id previous',
    Webhook: 'id url events status description consecutive_failures created_at disabled_reason',
    Delivery:
      'id webhook_id event_id event_type status attempt_count next_attempt_at last_error finished_at',
    PingResult: 'delivery_id response_status duration_ms error',
    AttachmentLink: 'id filename content_type size sha256 download_url expires_at',
    RequestLogEntry: 'id method path status key_id duration_ms idempotency_key created_at',
    Caller: 'organization key user effective_scopes limits api_version',
    Clock: 'now offset_seconds status',
    LogKeys: 'origin keys',
    MintedSandbox:
      'sandbox_id organization demo_organization connection_id api_key demo_api_key admin_session_token',
  }
  for (const [name, fields] of Object.entries(listed)) {
    const all = Object.keys(schemas[name].properties)
    assert.deepEqual(
      fields.split(' ').filter((field) => !all.includes(field)),
      [],
      name,
    )
  }
  assert.deepEqual(schemas.DocumentPhase.enum.toSorted(), [
    'accepted',
    'closed',
    'disputed',
    'draft',
    'paying',
    'pending',
    'settled',
  ])
  const { status } = schemas.Connection.properties
  assert.deepEqual(status.enum, ['invited', 'active', 'declined', 'ended'])
})

test('contract 11: of two exceeded limits max_per_payment is named', async () => {
  const { id } = await anInvoice(running, pair)
  await move(running, counterparty.key, id, 'approved')
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  const body = { name: 'small', scopes, payment_limits: { max_per_payment: 5, daily_volume: 5 } }
  const minted = await callApi(running, 'POST', '/v1/keys', { key: counterparty.session, body })
  const { key } = minted.body
  const reply = await callApi(running, 'POST', `/v1/documents/${id}/pay`, { key })
  const { limit, used, resets_at } = assertRefused(reply, 'payment_limit_exceeded')
  assert.deepEqual([limit, used, resets_at], ['max_per_payment', null, null])
})

test('contract 11: the log of each environment has its origin', async () => {
  const live = await anOrganization(running, { mode: 'live' })
  const originOf = async (key: string) =>
    (await callApi(running, 'GET', '/v1/log/keys', { key })).body.origin as string
  assert.match(await originOf(issuer.key), /\/test\/1$/)
  assert.match(await originOf(live.key), /\/live\/1$/)
})

test('contract 11 and 12: texts have no control and no bidirectional characters', async () => {
  for (const refused of ['\u0000', '\u007F', '\u0085', '\u202A', '\u202E', '\u2066', '\u2069']) {
    assertProblems(await draft(issuer.key, { notes: `a${refused}b` }), '/notes invalid_value')
  }
  const { status } = await draft(issuer.key, { notes: 'a\tb\nc\u200F' })
  assert.equal(status, 201)
})

test('contract 11: tax_category is one of seven, and optional', async () => {
  const line = { ...exampleLine, tax_category: 'AE' }
  const { body } = await draft(issuer.key, { line_items: [line] })
  assert.equal(body.line_items[0].tax_category, 'AE')
  const wrong = await draft(issuer.key, { line_items: [{ ...line, tax_category: 'X' }] })
  assertProblems(wrong, '/line_items/0/tax_category invalid_value')
})

test('contract 3: reads of finance need documents:read, and what pays payments:write', async () => {
  const { secret: key } = await aKey(running, issuer, ['documents:read'])
  const requiredFor = async (method: string, path: string) =>
    assertRefused(await callApi(running, method, path, { key }), 'insufficient_scope')
      .required_scopes
  const both = ['documents:write', 'payments:write']
  assert.deepEqual(await requiredFor('PUT', '/v1/finance/setup'), both)
  assert.deepEqual(await requiredFor('POST', '/v1/finance/offers/ofr_x/accept'), both)
  assert.deepEqual(await requiredFor('POST', '/v1/finance/agreements/agr_x/repayment'), both)
  const write = ['documents:write']
  assert.deepEqual(await requiredFor('POST', '/v1/finance/listings'), write)
  assert.deepEqual(await requiredFor('POST', '/v1/finance/offers/ofr_x/withdraw'), write)
})
