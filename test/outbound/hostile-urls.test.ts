/**
 * Hostile URLs and names (reliability 4.6): none can be registered, and none makes the client call
 * a private address, whatever is registered.
 */
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import os, { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import { parseEndpointUrl } from '../../src/core/webhooks/endpoint-url.ts'
import type { Resolve } from '../../src/outbound/egress.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { listen } from '../support/webhooks/receiver.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import { callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const isLong = process.env['LONG'] === '1'
/** Counts connections to a private listener on every address of this machine. */
let privateHits = 0
const privatePort = await listen(
  createServer(() => (privateHits += 1)),
  '::',
)
const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

let lookupCount = 0
const names: Readonly<Record<string, () => string[]>> = {
  'public.example': () => ['93.184.216.34'],
  'private.example': () => ['127.0.0.1'],
  'mixed.example': () => ['93.184.216.34', '10.0.0.1'],
  'mapped.example': () => ['::ffff:127.0.0.1'],
  'loopback6.example': () => ['::1'],
  'metadata.example': () => ['169.254.169.254'],
  'nonsense.example': () => ['not an address'],
  'own.example': () => [ownAddress ?? '127.0.0.1'],
  'rebind.example': () => (lookupCount++ % 2 === 0 ? ['93.184.216.34'] : ['127.0.0.1']),
}
const resolve: Resolve = async (name) => names[name]?.() ?? []

const running = await startTestService({ PROCESS_ROLE: 'all' }, { resolve })
const outbound = openOutbound(resolve)
const publicOnly = { reach: 'public' } as const

/** Hosts that are not public or resolve to something that is not. */
const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0',
  '0.0.0.0',
  '0x0',
  '127.255.255.254',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:10::1]',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.127.255.254',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '192.88.99.1',
  '192.31.196.1',
  'private.example',
  'PRIVATE.example',
  'private.example.',
  'mixed.example',
  'mapped.example',
  'loopback6.example',
  'metadata.example',
  'nonsense.example',
  'own.example',
  'gone.example',
]

const p = privatePort
const urls = [
  ...hosts.map((host) => `https://${host}:${p}/`),
  ...hosts.map((host) => `https://${host}/latest/meta-data/`),
  ...[
    'http',
    'ftp',
    'file',
    'gopher',
    'ws',
    'wss',
    'data',
    'javascript',
    'blob',
    'HTTP',
    'unix',
  ].map((scheme) => `${scheme}://127.0.0.1:${p}/`),
  'http://public.example/',
  'javascript:alert(1)',
  'data:,x',
  'file:///etc/passwd',
  'mailto:a@b',
  `https://public.example@127.0.0.1:${p}/`,
  'https://127.0.0.1@public.example/',
  'https://user:password@public.example/',
  'https://@public.example/',
  'https://:@public.example/',
  `https://127.0.0.1:${p}#@public.example/`,
  `https://public.example\\@127.0.0.1:${p}/`,
  `https:127.0.0.1:${p}`,
  `https:///127.0.0.1:${p}/`,
  `//127.0.0.1:${p}/`,
  `127.0.0.1:${p}`,
  'https://public.example:0/',
  'https://public.example:99999/',
  'https://public.example:-1/',
  'https://public.example/ x',
  'https://public.example/\r\nHost: x',
  '\thttps://127.0.0.1/',
  `https://127.0.0.1:${p}/\n`,
  'https://[::1',
  'https://[fe80::1%25eth0]/',
  'https://',
  'https://.',
  'https://..',
  'https://%00/',
  'https://pub lic.example/',
  '',
  ' ',
  'https',
  'https://#',
  'https://public.example/#fragment',
  `https://${'a'.repeat(2_000)}.example/`,
]

describe('reliability 4.6: hostile URLs', () => {
  test(`none of ${urls.length} can be registered or reaches a private listener`, async () => {
    assert(urls.length >= 150)
    const { session } = await anOrganization(running)
    for (const url of urls) {
      const reply = await callApi(running, 'POST', '/v1/webhooks', { key: session, body: { url } })
      const { errors } = reply.body.error?.details ?? {}
      assert.equal(reply.status, 400, `${url} → ${reply.text}`)
      assert.equal(errors[0].param, '/url', url)
    }
    assert.equal(privateHits, 0)
  })

  test('the client refuses them even if they were registered', async () => {
    for (const url of urls) {
      if (!/^https?:/i.test(url) || !URL.canParse(url)) continue
      for (const scheme of ['https:', 'http:']) {
        const { hostname } = new URL(url)
        if (['public.example', `${'a'.repeat(2_000)}.example`].includes(hostname)) continue
        const line = outbound.client(url.replace(/^https?:/i, scheme), publicOnly)
        const { status, error } = await line.post({}, '{}')
        assert.deepEqual([status, /not public|does not resolve/.test(error!)], [null, true], url)
        line.close()
      }
    }
    assert.equal(privateHits, 0)
  })

  test('public names, ports, paths, queries and addresses are allowed', async () => {
    for (const url of [
      'https://public.example/',
      'https://public.example:8443/a/b?c=d%20e',
      'https://PUBLIC.example./x',
      'https://93.184.216.34/',
      'https://[2606:2800:220:1:248:1893:25c8:1946]/hooks',
    ]) {
      const parsed = parseEndpointUrl(url, publicOnly)
      assert(parsed.ok, url)
      assert.equal(await outbound.unreachableReason(parsed.url, publicOnly), undefined, url)
    }
  })
})

test('reliability 4.6: a public address of this machine itself is refused', async (t) => {
  const parsed = parseEndpointUrl('https://public.example/', publicOnly)
  assert(parsed.ok)
  const reason = () => outbound.unreachableReason(parsed.url, publicOnly)
  const [address] = names['public.example']!()
  const interfaces = { eth0: [{ address: address! } as os.NetworkInterfaceInfo] }
  const known = t.mock.method(os, 'networkInterfaces', () => interfaces)
  syncBuiltinESMExports()
  assert.equal(await reason(), 'the name resolves to an address that is not public')
  known.mock.restore()
  syncBuiltinESMExports()
  assert.equal(await reason(), undefined)
})

test('reliability 4.6: a name that changes between DNS queries never leads to a private address', async () => {
  const { session } = await anOrganization(running)
  let registered = 0
  while (registered === 0) {
    const body = { url: `https://rebind.example:${p}/` }
    const reply = await callApi(running, 'POST', '/v1/webhooks', { key: session, body })
    if (reply.status === 201) registered += 1
    else assertProblems(reply, '/url invalid_value')
  }
  // Now each query returns a private address, or public and private ones together.
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1']]) {
    const rebound = openOutbound(async () => addresses)
    for (let i = 0; i < (isLong ? 3_000 : 60); i += 1) {
      const line = rebound.client(`http://rebind.example:${p}/`, publicOnly)
      const { status, error } = await line.post({}, '{}')
      assert.deepEqual(
        [status, error],
        [null, 'the name resolves to an address that is not public'],
      )
      line.close()
    }
  }
  assert.equal(privateHits, 0)
})
