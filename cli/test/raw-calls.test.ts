/** clients.md 3: `docex get|post|patch|put|delete PATH`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { aDraft, aPair } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { startFaultServer } from '../../sdk/test/support/fault-server.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService()
const pair = await aPair(running)
const settings = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
const cli = cliWith(settings)

test('a path is taken with and without the version, and an address of a host is not', async () => {
  for (const path of ['me', '/me', '/v1/me']) {
    const me = await cli(['get', path, '--json'])
    assert.equal(JSON.parse(me.stdout).organization.id, pair.issuer.id)
  }
  for (const url of ['https://elsewhere.example/v1/me', '//elsewhere.example/v1/me']) {
    assert.equal((await cli(['get', url])).code, 2)
  }
})

test('what is not JSON is printed as it is', async () => {
  const page = await cli(['get', '/v1/docs/quickstart.md'])
  assert.equal(page.code, 0, page.stderr)
  assert.match(page.stdout, /^# Quickstart/)
})

test('a value that no header can carry is a usage error', async () => {
  const post = ['post', '/v1/sandbox/clock', '--json', '--idempotency-key', 'a\r\nX-Other: 1']
  const { code, stderr } = await cli(post)
  assert.deepEqual([code, JSON.parse(stderr).error.code], [2, 'usage'])
})

test('post --dry-run changes nothing', async () => {
  const body = '{"advance_by":"P1D"}'
  const clock = await cli(['post', '/v1/sandbox/clock', '--data', body, '--dry-run', '--json'])
  assert.equal(JSON.parse(clock.stdout).offset_seconds, 86_400, clock.stderr)
  const { stdout } = await cli(['get', '/v1/sandbox/clock', '--json'])
  assert.equal(JSON.parse(stdout).offset_seconds, 0)
})

test('patch sends its body, and --if-match holds against changes', async () => {
  const { id } = await aDraft(running, pair)
  const patch = ['patch', `/v1/documents/${id}`, '--if-match', '1', '--json', '--data']
  const patched = await cli([...patch, '{"notes":"Changed."}'])
  assert.equal(JSON.parse(patched.stdout).notes, 'Changed.', patched.stderr)
  const { code, stderr } = await cli([...patch, '{"notes":"Lost."}'])
  assert.deepEqual([code, JSON.parse(stderr).error.code], [1, 'precondition_failed'])
})

test('put sends its body from stdin, once for an Idempotency-Key', async () => {
  const put = [
    'put',
    '/v1/finance/setup',
    '--idempotency-key',
    'put-once',
    '--json',
    '--data',
    '@-',
  ]
  const lends = JSON.stringify({ lender: { enabled: true, max_principal: 5_000 } })
  for (const { code, stdout, stderr } of [
    await cli(put, { stdin: lends }),
    await cli(put, { stdin: lends }),
    await cli(['get', '/v1/finance/setup', '--json']),
  ]) {
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).lender.max_principal, 5_000)
  }
  const others = await cli(put, { stdin: '{"lender":{"enabled":false}}' })
  assert.equal(JSON.parse(others.stderr).error.code, 'idempotency_conflict')
})

test('delete deletes, and then is refused', async () => {
  const admin = cliWith({ DOCEX_API_KEY: pair.issuer.session, DOCEX_BASE_URL: running.baseUrl })
  const view = JSON.stringify({ list: 'documents', name: 'Drafts', query: 'status=draft' })
  const { stdout } = await admin(['post', '/v1/saved_views', '--data', view, '--json'])
  const remove = ['delete', `/v1/saved_views/${JSON.parse(stdout).id}`, '--json']
  const deleted = await admin(remove)
  assert.equal(deleted.code, 0, deleted.stderr)
  const { code, stderr } = await admin(remove)
  assert.deepEqual([code, JSON.parse(stderr).error.code], [1, 'not_found'])
})

test('an answer that ends early, or is empty, is none: 4, with the key that repeats the write', async () => {
  const faulty = await startFaultServer(running.baseUrl)
  const clock = ['post', '/v1/sandbox/clock', '--data', '{"advance_by":"PT1S"}']
  for (const fault of ['truncatesSilently', 'isEmpty'] as const) {
    for (const shape of [[], ['--json']]) {
      // As often as it is sent.
      faulty.script.push(fault, fault, fault)
      const { code, stdout, stderr } = await cli([...clock, ...shape], {
        env: { DOCEX_BASE_URL: faulty.baseUrl },
      })
      assert.deepEqual([code, stdout], [4, ''], stderr)
      assert.match(stderr, /idempotency.key/)
    }
  }
})

const fullDisk = '/dev/full'

test('output that cannot be written is an error', { skip: !existsSync(fullDisk) }, async () => {
  const child = spawnCli(['get', '/v1/openapi.json'], settings, openSync(fullDisk, 'w'))
  const stderr = text(child.stderr!)
  const [code] = await once(child, 'exit')
  assert.equal(code, 2)
  assert.match(await stderr, /^error output: it cannot be written: ENOSPC.*\n$/)
})

test('a folder is no file', async () => {
  const { id } = await aDraft(running, pair)
  const { code, stderr } = await cli(['attachments', 'create', id, '--file', '/tmp', '--json'])
  assert.deepEqual([code, JSON.parse(stderr).error.code], [2, 'usage'])
})

test('a number that would be rounded is refused, and one that is written otherwise is not', async () => {
  const bodyOf = (amount: string) => `{"currency":"USD","amount":${amount}}`
  const ways = (amount: string) => [
    ['post', '/v1/sandbox/topup', '--data', bodyOf(amount)],
    ['sandbox', 'topup', '--currency', 'USD', '--amount', amount],
  ]
  for (const amount of ['0.100000000000000001', '12345678901234567891', '1e400']) {
    for (const argv of ways(amount)) {
      const { code, stderr } = await cli([...argv, '--json'])
      assert.deepEqual([code, JSON.parse(stderr).error.code], [2, 'usage'], stderr)
    }
  }
  assert.equal((await cli([...ways('+10')[1]!, '--dry-run'])).code, 0)
  for (const amount of ['10', '10.50', '1.05e1', '1000E-2', '0.30']) {
    for (const argv of ways(amount)) {
      const { code, stderr } = await cli([...argv, '--dry-run'])
      assert.equal(code, 0, stderr)
    }
  }
})
