/**
 * The ports of the service, its metrics and its database (contract 12): no webhook reaches them on
 * this machine, even where private addresses are allowed.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { portOfServer } from '../../src/database/sql.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import type { Resolve } from '../../src/outbound/egress.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anOrganization } from '../support/fixtures.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { listen } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const names: Readonly<Record<string, string[]>> = {
  'own.example': ['127.0.0.1'],
  'both.example': ['10.0.0.1', '::1'],
}
let moving = ['93.184.216.34']
const resolve: Resolve = async (name) =>
  name === 'moving.example' ? moving : (names[name] ?? ['127.0.0.1', '::1'])
const running = await startTestService(
  { WEBHOOK_ALLOW_PRIVATE: '1', METRICS_PORT: '0' },
  { resolve },
)
const { service, databaseUrl } = running
const ownPorts = [service.port, service.metricsPort!, portOfServer(databaseUrl)]
const addresses = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ scopeid }) => !scopeid)
  .map(({ address }) => (address.includes(':') ? `[${address}]` : address))
const hosts = [
  '127.0.0.1',
  '127.1.2.3',
  '0x7f.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'a.localhost',
  'localhost.',
  ...Object.keys(names),
  ...addresses,
]
const urls = ownPorts.flatMap((port) =>
  hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`]),
)
const reason = 'the port belongs to this service or its database'
const allowPrivate = { reach: 'private' } as const

test('contract 12: an endpoint on a port of this service cannot be created or moved there', async () => {
  assert(ownPorts.every((port) => port > 0))
  const key = (await anOrganization(running)).session
  const free = 'http://127.0.0.1:9/hooks'
  const created = await callApi(running, 'POST', '/v1/webhooks', { key, body: { url: free } })
  assert.equal(created.status, 201)
  const path = `/v1/webhooks/${created.body.id}`
  for (const url of urls) {
    for (const [method, to] of [
      ['POST', '/v1/webhooks'],
      ['PATCH', path],
    ] as const) {
      const refused = await callApi(running, method, to, { key, body: { url } })
      assertProblems(refused, '/url invalid_value')
      assert.match(refused.text, new RegExp(reason), url)
    }
  }
  assert.equal((await callApi(running, 'GET', path, { key })).body.url, free)
})

test('contract 12: a name that leads to such a port later is refused when it is called', async () => {
  let hits = 0
  const port = await listen(
    createServer(() => (hits += 1)),
    '::',
  )
  const outbound = openOutbound(
    async (name) => names[name] ?? ['127.0.0.1'],
    () => [port],
  )
  for (const host of hosts) {
    for (const scheme of ['http', 'https']) {
      const line = outbound.client(`${scheme}://${host}:${port}/`, allowPrivate)
      const { status, error } = await line.post({}, '{}')
      assert.deepEqual([status, error], [null, reason], host)
      line.close()
    }
  }
  assert.equal(hits, 0)
  for (const url of urls) {
    const line = service.context.outbound.client(url, allowPrivate)
    assert.equal((await line.post({}, '{}')).error, reason, url)
    line.close()
  }
})

test('the same port of another machine, and other ports of this one, are allowed', async () => {
  const { port } = service
  for (const url of [`http://10.0.0.1:${port}/`, 'http://127.0.0.1:9/', 'http://localhost/']) {
    const parsed = new URL(url)
    const target = { href: url, hostname: parsed.hostname, address: undefined }
    assert.equal(await service.context.outbound.unreachableReason(target, allowPrivate), undefined)
  }
})

test('contract 12: private addresses are for sandboxes, also where a name leads to one later', async () => {
  const { send, listDeliveries } = webhooksClient(running)
  const pair = await aPair(running, 'live')
  const url = 'https://moving.example:9/hooks'
  const { body, text, status } = await send(pair.issuer, 'POST', '', { url })
  assert.equal(status, 201, text)
  moving = ['127.0.0.1']
  await aDraft(running, pair)
  const errors = async () =>
    (await listDeliveries(pair.issuer, body.id)).map(
      (one: { last_error: string }) => one.last_error,
    )
  await until('an attempt was made', async () => (await errors())[0] != null)
  assert.deepEqual(await errors(), ['the name resolves to an address that is not public'])
})
