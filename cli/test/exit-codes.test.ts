/** How a command ends, by its exit code. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFaultServer } from '../../sdk/test/support/fault-server.ts'
import { aPair, exampleLine } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { cliWith } from './support/run-cli.ts'

const running = await startTestService()
const pair = await aPair(running)
const settings = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
const cli = cliWith(settings)

const created = ['documents', 'create', '--connection-id', pair.connection, '--json']
const lines = JSON.stringify([exampleLine])

describe('exit codes', () => {
  const envelope = (stderr: string): { code: string; message: string; idempotency_key?: string } =>
    JSON.parse(stderr).error

  test('2 for what is not understood', async () => {
    const wrong = [
      ['documents', 'lst'],
      ['documents'],
      ['documents', 'get'],
      ['documents', 'get', ''],
      ['documents', 'get', '..'],
      ['documents', 'list', '--stauts', 'approved'],
      ['documents', 'create', '--data', '{'],
      ['documents', 'create', '--data', '[]'],
      ['documents', 'create', '--data', '@/nowhere.json'],
      ['documents', 'transition', 'doc_1'],
      ['sandbox', 'topup', '--currency', 'USD', '--amount', 'much'],
      ['log', 'consistency', '--from', '0'],
      ['sandbox', 'use', '/nowhere.json'],
    ]
    for (const argv of wrong) {
      const { code, stdout, stderr } = await cli([...argv, '--json'])
      assert.deepEqual([code, stdout, envelope(stderr).code], [2, '', 'usage'], argv.join(' '))
    }
    assert.match((await cli(['documents', 'lst'])).stderr, /Did you mean list/)
    for (const [path, reason] of [
      ['/nowhere.json', 'there is no such file'],
      [import.meta.dirname, 'it is a folder'],
    ]) {
      const { stderr } = await cli(['documents', 'create', '--data', `@${path}`])
      assert.equal(stderr, `error usage: ${path} cannot be read: ${reason}.\n`)
    }
  })

  test('3 without a credential, and with one that the service does not know', async () => {
    const none = await cliWith()(['me', 'get', '--json'])
    assert.deepEqual([none.code, envelope(none.stderr).code], [3, 'no_credentials'])
    const blank = await cli(['me', 'get', '--json'], { env: { DOCEX_API_KEY: '\n' } })
    assert.deepEqual([blank.code, envelope(blank.stderr).code], [3, 'no_credentials'])
    const unknown = await cli(['me', 'get', '--json'], { env: { DOCEX_API_KEY: 'rk_test_x' } })
    assert.deepEqual([unknown.code, envelope(unknown.stderr).code], [3, 'unauthorized'])
  })

  test('4 when no answer arrives, with the key that repeats the write, as 1 has if it may', async () => {
    const faulty = await startFaultServer(running.baseUrl)
    faulty.script.push('resetsAfter', 'resetsAfter', 'resetsAfter')
    const env = { DOCEX_BASE_URL: faulty.baseUrl }
    const argv = [...created, '--document-type', 'invoice', '--line-items', lines]
    const lost = await cli(argv, { env })
    assert.equal(lost.code, 4)
    const { idempotency_key: key } = envelope(lost.stderr)
    const again = await cli([...argv, '--idempotency-key', key!], { env })
    assert.equal(again.code, 0)
    assert.match(again.stderr, /Replayed/)
    faulty.script.push('resetsAfter', 'isUnavailable', 'isUnavailable')
    const refused = await cli(argv, { env })
    assert.equal(refused.code, 1)
    const { idempotency_key: same } = envelope(refused.stderr)
    assert.match((await cli([...argv, '--idempotency-key', same!], { env })).stderr, /Replayed/)
  })

  test('a refusal names the key only if an attempt before it may have taken effect', async () => {
    const faulty = await startFaultServer(running.baseUrl)
    const env = { DOCEX_BASE_URL: faulty.baseUrl }
    const argv = [...created, '--document-type', 'invoice', '--line-items', lines]
    for (const [refusal, exit] of [
      ['isUnauthorized', 3],
      ['isForbidden', 1],
      ['isDamaged', 1],
    ] as const) {
      faulty.script.push(refusal)
      const first = await cli(argv, { env })
      assert.deepEqual([first.code, envelope(first.stderr).idempotency_key], [exit, undefined])
      faulty.script.push('resetsAfter', refusal)
      const refused = await cli(argv, { env })
      assert.equal(refused.code, exit)
      const { idempotency_key: key } = envelope(refused.stderr)
      assert.match((await cli([...argv, '--idempotency-key', key!], { env })).stderr, /Replayed/)
    }
    faulty.script.push('resetsAfter', 'resetsAfter', 'resetsAfter')
    const tried = await cli([...argv, '--dry-run'], { env })
    assert.deepEqual([tried.code, envelope(tried.stderr).idempotency_key], [4, undefined])
  })
})
