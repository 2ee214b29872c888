/**
 * Contract 2: the message of `unauthorized` depends on what was sent, never on what is stored;
 * refusals of values and moves say what to send instead.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  keyRandomBytes,
  mintKey,
  mintSessionToken,
  sessionRandomBytes,
} from '../../src/core/identity/credentials.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aKey, anInvoice, anOrganization } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const read = (headers: Record<string, string>): Promise<Reply> =>
  callApi(running, 'GET', '/v1/me', { headers })

const messageOf = (reply: Reply): string => {
  assertRefused(reply, 'unauthorized')
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
  return reply.body.error.message
}

describe('contract 2: unauthorized', () => {
  for (const [what, headers, message] of [
    ['no credential', {}, /no credential/],
    ['Basic', { authorization: 'Basic cmtfdGVzdDo=' }, /Basic authentication is not offered/],
    ['X-Api-Key', { 'x-api-key': 'rk_test_x' }, /`X-Api-Key` is not read/],
    ['another scheme', { authorization: 'Digest x' }, /does not have the form/],
    ['a key that lacks a character', { authorization: 'Bearer rk_test_dx1' }, /Copy the whole/],
  ] as const) {
    test(`the message for ${what} says what to send`, async () => {
      assert.match(messageOf(await read(headers)), message)
    })
  }

  test('an unknown key and a revoked one get the same message', async () => {
    const unknown = mintKey('test', randomBytes(keyRandomBytes)).key
    const revoked = await aKey(running, pair.issuer, ['documents:read'])
    const path = `/v1/keys/${revoked.keyId}/revoke`
    assert.equal((await callApi(running, 'POST', path, { key: issuer.session })).status, 200)
    const [first, second] = [
      messageOf(await callApi(running, 'GET', '/v1/me', { key: unknown })),
      messageOf(await callApi(running, 'GET', '/v1/me', { key: revoked.secret })),
    ]
    assert.equal(first, second)
  })

  test('an unknown session and one that has ended get the same message: sign in again', async () => {
    const { session } = await anOrganization(running)
    assert.equal((await callApi(running, 'DELETE', '/auth/session', { key: session })).status, 200)
    const unknown = mintSessionToken('test', randomBytes(sessionRandomBytes))
    const [first, second] = [
      messageOf(await callApi(running, 'GET', '/v1/me', { key: unknown })),
      messageOf(await callApi(running, 'GET', '/v1/me', { key: session })),
    ]
    assert.equal(first, second)
    assert.match(first, /lasts 12 hours.*sign in again/i)
    assert.doesNotMatch(first, /API_KEY/)
  })
})

test('a document type is suggested by the name that the other side has for it', async () => {
  const reply = await callApi(running, 'GET', '/v1/documents?type=bill', { key: issuer.key })
  assert.match(reply.body.error.details.errors[0].fix, /^did you mean invoice\?/)
  const body = { connection_id: pair.connection, document_type: 'sales_order', line_items: [] }
  const created = await callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })
  assert.match(created.text, /did you mean purchase_order\?/)
})

test('the message of an illegal transition names the moves that are open', async () => {
  const { id } = await anInvoice(running, pair)
  const move = (key: string, to: string) =>
    callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body: { to } })
  const reply = await move(counterparty.key, 'cancelled')
  const { allowed } = assertRefused(reply, 'conflict', 'illegal_transition')
  for (const to of allowed) assert(reply.body.error.message.includes(to), reply.body.error.message)
  assert.match(reply.body.error.message, /This side can move it to .* or /)
  const none = await move(issuer.key, 'approved')
  assert.match(none.body.error.message, /This side can move it to cancelled|No move is open/)
})
