/** Where the time of a call went (console 1.5): the steps to a connection, and the first byte. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openOutbound } from '../../src/outbound/client.ts'
import { listen } from '../support/webhooks/receiver.ts'

const delayMs = 30
/** Timers may fire a little early. */
const delayMinMs = delayMs - 2
const later = () => new Promise<void>((resolve) => setTimeout(resolve, delayMs))
const outbound = openOutbound(async (name) => {
  await later()
  return name === 'receiver.example' ? ['127.0.0.1'] : []
})
const allowPrivate = { reach: 'private' } as const
const client = (url: string) => {
  const opened = outbound.client(url, allowPrivate)
  after(() => opened.close())
  return opened
}

test('a call over a new connection knows each step, and one over an open one the last', async () => {
  const pem = readFileSync(
    new URL('../support/webhooks/receiver.example.pem', import.meta.url),
    'utf8',
  )
  const server = createHttps({ key: pem, cert: pem }, (_, response) => {
    void later().then(() => response.end())
  })
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, pem])
  after(() => setDefaultCACertificates(before))
  const line = client(`https://receiver.example:${await listen(server)}/`)
  const first = await line.post({}, '{}')
  assert.equal(first.error, null)
  const { dns_ms, connect_ms, tls_ms, first_byte_ms } = first.timings
  assert(dns_ms! >= delayMinMs && first_byte_ms! >= delayMinMs, JSON.stringify(first.timings))
  const steps = dns_ms! + connect_ms! + tls_ms! + first_byte_ms!
  assert(steps <= first.durationMs + 1, `${steps} of ${first.durationMs} ms`)
  const second = await line.post({}, '{}')
  assert.deepEqual(Object.keys(second.timings), ['first_byte_ms'])
  assert(second.timings.first_byte_ms! >= delayMinMs)
})

test('an address needs no query, and http no TLS', async () => {
  const port = await listen(createHttp((_, response) => void response.end()))
  const { timings } = await client(`http://127.0.0.1:${port}/`).post({}, '{}')
  assert.deepEqual(Object.keys(timings), ['connect_ms', 'first_byte_ms'])
})

test('a failure has the steps that it has completed', async () => {
  const plain = await listen(createHttp((_, response) => void response.end()))
  const closed = createHttp()
  const refusing = await listen(closed)
  closed.close()
  for (const [url, steps] of [
    [`http://unknown.example:${plain}/`, []],
    [`http://receiver.example:${refusing}/`, ['dns_ms']],
    [`https://receiver.example:${plain}/`, ['dns_ms', 'connect_ms']],
  ] as const) {
    const { error, timings } = await client(url).post({}, '{}')
    assert.notEqual(error, null)
    assert.deepEqual(Object.keys(timings), steps, url)
  }
})
