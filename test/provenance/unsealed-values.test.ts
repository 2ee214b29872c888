/** What a hostile hand puts where no seal is: it is shown in the declared form, or left out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { declaredCalls } from '../support/contract/declared-calls.ts'
import { anOrganization } from '../support/fixtures.ts'
import { loggedRequestPath } from '../support/http/logged-requests.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'
import {
  localReceiverSettings,
  respondWith,
  startReceiver,
  subscribe,
} from '../support/webhooks/receiver.ts'

const running = await startTestService(localReceiverSettings)
const declared = declaredCalls(running)
const receiver = await startReceiver()
receiver.respond = respondWith(503, { 'x-reason': 'busy' }, '')
const organization = await anOrganization(running)
const { id } = await subscribe(running, organization, receiver.url)
const credential = organization.session
const ping = await callApi(running, 'POST', `/v1/webhooks/${id}/ping`, { key: credential })
const refused = await callApi(running, 'GET', '/v1/documents?stauts=draft', {
  key: organization.key,
})
const request_id = refused.headers.get('request-id')!
await loggedRequestPath(running, organization, refused)

const uses: Readonly<Record<string, () => Promise<Reply>>> = {
  request: () => declared('requests.get', { credential, params: { request_id } }),
  requests: () => declared('requests.list', { credential, query: 'limit=100' }),
  keys: () => declared('keys.list', { credential }),
  endpoint: () => declared('webhooks.get', { credential, params: { id } }),
  deliveries: () => declared('deliveries.list', { credential, params: { id }, query: 'limit=1' }),
  delivery: () =>
    declared('deliveries.get', { credential, params: { id, delivery_id: ping.body.delivery_id } }),
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Fails for any field that names a time and has another value. */
const checkTimes = (reply: Reply): unknown =>
  JSON.parse(reply.text, (name, value: string | null) => {
    if (/(^|_)at$/.test(name) && value !== null) assert.match(value, timeForm, name)
    return value
  })

const rowOf: Readonly<Record<string, string>> = {
  requests: `id = '${decodeId('req', request_id)}'`,
  keys: `organization_id = '${organization.uuid}'`,
  webhook_endpoints: `id = '${decodeId('whk', id)}'`,
  webhook_delivery: `id = '${decodeId('dlv', ping.body.delivery_id)}'`,
  webhook_attempt: `delivery_id = '${decodeId('dlv', ping.body.delivery_id)}'`,
}

const whileFalse = (place: string, value: string, check: () => Promise<void>) => {
  const [table = '', column = ''] = place.split('.')
  const change = `update ${table} set ${column} = '${value}' where ${rowOf[table]}`
  return whileTampered(running.database, table, change, check)
}

const notJson = ['{', 'x', '']
const notTimes = ['infinity', '-infinity', '294276-01-01', '0044-03-15 BC']

const falseValues: Readonly<Record<string, readonly string[]>> = {
  'requests.event_ids': [...notJson, '["a"]', '[1]', '{}', 'null', '7'],
  'requests.error': [...notJson, 'null', '[]', '{}', '{"code":1,"message":2,"problems":3}'].concat(
    '{"code":"conflict","message":"","problems":[{"param":"","code":"x","message":""}]}',
  ),
  'webhook_attempt.response_headers': [...notJson, '[1]', '"x"', '{"a":1}', 'null'],
  'webhook_attempt.timings': [...notJson, '[1]', '"x"', '{"dns_ms":"a","tls_ms":0.5}', 'null'],
  'webhook_attempt.at': notTimes,
  'webhook_delivery.created_at': notTimes,
  'webhook_delivery.finished_at': notTimes,
  'webhook_delivery.event_type': ['bogus', ''],
  'webhook_endpoints.last_success_at': notTimes,
  'webhook_endpoints.last_failure_at': notTimes,
  'keys.last_used_at': notTimes,
}

test('the uses show what the changes below concern', async () => {
  const shown = new Map<string, Reply['body']>()
  for (const [name, use] of Object.entries(uses)) shown.set(name, (await use()).body)
  assert.equal(shown.get('request').error.code, 'invalid_request')
  assert.equal(shown.get('delivery').attempts[0].response_headers['x-reason'], 'busy')
  assert.equal(shown.get('deliveries').data.length, 1)
})

describe('a false value where no seal is breaks no answer, and has no other form than declared:', () => {
  for (const [place, values] of Object.entries(falseValues)) {
    test(place, async () => {
      for (const value of values) {
        await whileFalse(place, value, async () => {
          for (const [name, use] of Object.entries(uses)) {
            const reply = await use()
            // A delivery that cannot be shown is left out.
            const isLeftOut = name === 'delivery' && place.startsWith('webhook_delivery.')
            assert(reply.status === 200 || (isLeftOut && reply.status === 404), reply.text)
            checkTimes(reply)
          }
        })
      }
    })
  }
})

test('a request of the future is left out', async () => {
  const future = `update requests set id = 'fffffffe-ffff-7000-8000-000000000000'
    where ${rowOf['requests']}`
  await whileTampered(running.database, 'requests', future, async () => {
    checkTimes(await uses['requests']!())
  })
})

test('a false count of failed sign-ins refuses nobody for longer than the longest wait', async () => {
  const body = { email: organization.email, password: 'wrong' }
  const signIn = () => callApi(running, 'POST', '/auth/sessions', { body })
  const { status } = await signIn()
  for (const column of ['forgotten_at', 'refused_until', 'known_until']) {
    for (const value of notTimes) {
      const change = `update sign_in_failures set ${column} = '${value}'`
      await whileTampered(running.database, 'sign_in_failures', change, async () => {
        assert.equal((await signIn()).status, status, `${column} = ${value}`)
      })
    }
  }
})
