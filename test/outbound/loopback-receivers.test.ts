/** Contract 12: on a machine of its own, a sandbox may have receivers on that machine alone. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { parseEndpointUrl } from '../../src/core/webhooks/endpoint-url.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { systemResolve } from '../../src/outbound/egress.ts'
import { callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { listen } from '../support/webhooks/receiver.ts'

const loopback = { reach: 'loopback' } as const

const reachOf = (settings: Record<string, string>) => readConfig(settings).webhooks.reach

test('the reach is loopback by default where everything is on this machine', () => {
  for (const BASE_URL of ['', 'http://localhost:9', 'http://127.0.0.1', 'http://[::1]:9']) {
    assert.equal(reachOf({ BASE_URL }), 'loopback', BASE_URL)
  }
  const elsewhere = { DATABASE_URL: 'postgres://x@db.example/d', SERVER_KEY: 'x'.repeat(32) }
  for (const settings of [
    { BASE_URL: 'https://documents.example' },
    { BASE_URL: 'http://10.0.0.1:8080' },
    { TRUSTED_PROXIES: '10.0.0.0/8' },
    { WEBHOOK_ALLOW_PRIVATE: '0' },
    elsewhere,
  ]) {
    assert.equal(reachOf(settings), 'public', JSON.stringify(settings))
  }
  assert.equal(reachOf({ ...elsewhere, WEBHOOK_ALLOW_PRIVATE: '1' }), 'private')
})

test('http is permitted to this machine only', () => {
  for (const [url, ok] of [
    ['http://127.0.0.1:9/hooks', true],
    ['http://localhost:9/hooks', true],
    ['http://[::1]:9/hooks', true],
    ['https://localhost/hooks', true],
    ['https://example.com/hooks', true],
    ['http://example.com/hooks', false],
    ['http://10.0.0.1/hooks', false],
    ['https://10.0.0.1/hooks', false],
    ['http://169.254.169.254/latest', false],
  ] as const) {
    assert.equal(parseEndpointUrl(url, loopback).ok, ok, url)
  }
})

test('localhost is this machine, whatever a DNS server says of it', async () => {
  for (const name of ['localhost', 'LOCALHOST', 'receiver.localhost'])
    assert.deepEqual(await systemResolve(name), ['127.0.0.1', '::1'])
})

test('a receiver on this machine is reached, other private addresses and own ports are not', async () => {
  const port = await listen(createServer((_, response) => void response.end('ok')))
  const names: Record<string, string[]> = {
    'lan.example': ['10.0.0.1'],
    'both.example': ['127.0.0.1', '10.0.0.1'],
  }
  const own = await listen(createServer())
  const outbound = openOutbound(
    async (name) => names[name] ?? ['127.0.0.1'],
    () => [own],
  )
  const call = async (url: string) => {
    const line = outbound.client(url, loopback)
    const { status, error } = await line.post({}, '{}')
    line.close()
    return status ?? error
  }
  assert.equal(await call(`http://127.0.0.1:${port}/`), 200)
  assert.equal(await call(`http://localhost:${port}/`), 200)
  for (const host of ['lan.example', 'both.example']) {
    assert.match(String(await call(`https://${host}:${port}/`)), /not public/, host)
  }
  assert.match(String(await call(`http://127.0.0.1:${own}/`)), /belongs to this service/)
  const lan = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')
  if (lan !== undefined)
    assert.match(String(await call(`http://${lan.address}:${port}/`)), /public/)
})

test('the refusal of a sandbox says how to practise: here with this machine, elsewhere with the setting', async () => {
  const running = await startTestService()
  const fixOf = async (mode: 'test' | 'live') => {
    const { session: key } = await anOrganization(running, { mode })
    const body = { url: 'http://10.0.0.1:9/hooks' }
    const refused = await callApi(running, 'POST', '/v1/webhooks', { key, body })
    return refused.body.error.details.errors[0].fix
  }
  assert.match(await fixOf('test'), /start the service with WEBHOOK_ALLOW_PRIVATE=1/)
  assert.doesNotMatch(await fixOf('live'), /WEBHOOK_ALLOW_PRIVATE/)
  Object.assign(running.service.context.config.webhooks, loopback)
  assert.match(await fixOf('test'), /send an http URL of this machine/)
  assert.doesNotMatch(await fixOf('live'), /this machine/)
})
