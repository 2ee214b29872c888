/** What the command line says of a connection that fails. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { lostConnection } from '../../sdk/src/attempt.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { reportFailure } from '../src/failures.ts'
import { cliWith } from './support/run-cli.ts'

const running = await startTestService()
const key = 'rk_test_x'
const cli = cliWith({ DOCEX_CONFIG_DIR: temporaryFolder() })

test('where nothing answers, the refusal says how to name another service', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const env = { DOCEX_API_KEY: key, DOCEX_BASE_URL: `http://127.0.0.1:${port}` }
  for (const command of ['whoami', 'status']) {
    const { code, stderr } = await cli([command], { env })
    assert.equal(code, 4)
    assert.match(stderr, /nothing answers there\. .* docex login --base-url, or DOCEX_BASE_URL\.$/m)
  }
  const behind = { ...env, HTTPS_PROXY: 'http://127.0.0.1:1' }
  const refused = await cli(['whoami'], { env: behind })
  assert.match(refused.stderr, /goes through HTTPS_PROXY only with NODE_USE_ENV_PROXY=1\.$/m)
})

test('what is in the way of a connection is said, and how to go on', async () => {
  const pem = readFileSync(
    new URL('../../test/support/webhooks/receiver.example.pem', import.meta.url),
  )
  const server = createHttps({ key: pem, cert: pem }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const plain = running.baseUrl.replace('http:', 'https:')
  for (const [url, said] of [
    [`https://127.0.0.1:${port}`, /_CERT\w*\): NODE_EXTRA_CA_CERTS=FILE makes/],
    [plain, /ERR_SSL_\w+\): no TLS is spoken there/],
  ] as const) {
    const env = { DOCEX_API_KEY: key, DOCEX_BASE_URL: url }
    const { code, stderr } = await cli(['me', 'get'], { env })
    assert.equal(code, 4)
    assert.match(stderr, said)
  }
})

test('what a trusted certificate or another address would not mend gets no such advice', async () => {
  for (const [code, advice] of [
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', true],
    ['CERT_HAS_EXPIRED', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', false],
  ] as const) {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) })
    let said = ''
    const stderr = { isTTY: false, columns: 100, write: (text: string) => void (said += text) }
    reportFailure({ env: {}, stderr } as never, lostConnection('https://one.example', cause), false)
    assert.equal(said.includes('NODE_EXTRA_CA_CERTS'), advice, said)
    assert(!said.includes('no TLS'), said)
  }
})
