/** Contract 12: the scope webhooks:manage, with which a program sets up its own endpoints. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '../../../src/contract/scopes.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aKey, aPair } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { localReceiverSettings, startReceiver } from '../../support/webhooks/receiver.ts'

const running = await startTestService(localReceiverSettings)
const pair = await aPair(running)
const { issuer } = pair
const beside: Scope[] = ['documents:read', 'payments:read']

test('a key with it manages endpoints and reads their deliveries', async () => {
  const { secret: key } = await aKey(running, issuer, [...beside, 'webhooks:manage'])
  const receiver = await startReceiver()
  const call = (method: string, path: string, body?: object) =>
    callApi(running, method, `/v1/webhooks${path}`, { key, ...(body && { body }) })
  const created = await call('POST', '', { url: receiver.url, events: [] })
  assert.equal(created.status, 201, created.text)
  const { id, secret } = created.body
  assert.match(secret, /^whsec_/)
  await aDraft(running, pair)
  await until('the event is delivered', async () => {
    const { data } = (await call('GET', `/${id}/deliveries?status=succeeded`)).body
    return data.length === 1
  })
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', `/${id}`, undefined],
    ['PATCH', `/${id}`, { description: 'Ours' }],
    ['POST', `/${id}/ping`, {}],
    ['POST', `/${id}/rotate_secret`, {}],
    ['DELETE', `/${id}`, undefined],
  ] as const) {
    const { status, text } = await call(method, path, body)
    assert.equal(status, 200, `${method} ${path}: ${text}`)
  }
})

test('a key without it is told which scope it needs', async () => {
  const reply = await callApi(running, 'GET', '/v1/webhooks', { key: issuer.key })
  assert.deepEqual(assertRefused(reply, 'insufficient_scope').required_scopes, ['webhooks:manage'])
})

test('it is granted only beside what its endpoints receive', async () => {
  const mint = (scopes: readonly string[]) =>
    callApi(running, 'POST', '/v1/keys', { key: issuer.session, body: { name: 'Hooks', scopes } })
  for (const missing of beside) {
    const others = beside.filter((scope) => scope !== missing)
    const refused = await mint([...others, 'webhooks:manage'])
    assertProblems(refused, '/scopes invalid_value')
    assert.match(refused.body.error.details.errors[0].message, new RegExp(missing))
  }
  assert.equal((await mint([...beside, 'webhooks:manage'])).status, 201)
})

test('no set of scopes that is granted without naming it has it', async () => {
  const { key } = await sandboxClient(running).provisionSandbox()
  const { effective_scopes } = (await callApi(running, 'GET', '/v1/me', { key })).body
  assert(effective_scopes.length > 5 && !effective_scopes.includes('webhooks:manage'))
})
