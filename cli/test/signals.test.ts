/** How a run ends that a signal, or its reader, ends early. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startFaultServer } from '../../sdk/test/support/fault-server.ts'
import { aDraft, aPair } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService()
const pair = await aPair(running)
const settings = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
const cli = cliWith(settings)

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`a write that ${signal} interrupts says the key that repeats it`, async () => {
    const faulty = await startFaultServer(running.baseUrl)
    faulty.script.push('hangsAfter')
    const { id } = await aDraft(running, pair)
    const issue = ['documents', 'issue', id, '--json']
    const child = spawnCli(issue, { ...settings, DOCEX_BASE_URL: faulty.baseUrl })
    const [stdout, stderr] = [text(child.stdout!), text(child.stderr!)]
    await until('the write is sent', () => faulty.requests.length === 1)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [code, null])
    assert.equal(await stdout, '')
    const { error } = JSON.parse(await stderr)
    assert.equal(error.code, 'interrupted')
    const key = error.idempotency_key
    assert.equal(key, faulty.requests[0]!.headers['idempotency-key'])
    await until('it took effect', async () => {
      const again = await cli([...issue, '--idempotency-key', key])
      return again.code === 0
    })
  })
}

test('a write whose refusal arrived before the signal says the refusal', async (t) => {
  const { id } = await aDraft(running, pair)
  const argv = ['documents', 'issue', id, '--json']
  assert.equal((await cli(argv)).code, 0)
  const abort = new AbortController()
  const { fetch } = globalThis
  t.mock.method(globalThis, 'fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    const answer = new Response(await response.arrayBuffer(), response)
    abort.abort()
    return answer
  })
  const { code, stderr } = await cli(argv, { signal: abort.signal })
  assert.deepEqual([code, JSON.parse(stderr).error.code], [1, 'conflict'])
})

test('a read that is interrupted says nothing', async () => {
  const faulty = await startFaultServer(running.baseUrl)
  faulty.script.push('hangsBefore')
  const child = spawnCli(['me', 'get'], { ...settings, DOCEX_BASE_URL: faulty.baseUrl })
  const output = Promise.all([text(child.stdout!), text(child.stderr!)])
  await until('the call is sent', () => faulty.requests.length === 1)
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [130, null])
  assert.deepEqual(await output, ['', ''])
})

test('Ctrl-C at the prompt for a key ends the command as the signal does', async () => {
  const controlC = '\u0003'
  for (const typed of ['', 'rk_te']) {
    const options = { stdin: typed + controlC, isTTY: true, env: { DOCEX_API_KEY: '' } }
    const { code, stdout, stderr } = await cli(['login'], options)
    assert.deepEqual([code, stdout, stderr], [130, '', 'API key: \n'])
  }
})

test('a command that waits for input ends at the first signal', async () => {
  const env = { DOCEX_API_KEY: '', DOCEX_BASE_URL: running.baseUrl }
  const draft = ['documents', 'create', '--data', '@-']
  for (const [argv, more, signal, code] of [
    [['login'], {}, 'SIGTERM', 143],
    [draft, { DOCEX_API_KEY: pair.issuer.key }, 'SIGINT', 130],
  ] as const) {
    const child = spawnCli(argv, { ...env, ...more })
    // More than a pipe holds: once it is written, the command reads, and the line has no end yet.
    await new Promise((written) => child.stdin!.write('x'.repeat(1_000_000), written))
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [code, null], argv.join(' '))
  }
})

test('a reader that has enough ends the command quietly', async () => {
  const child = spawnCli(['specification', 'get'], settings)
  const stderr = text(child.stderr!)
  await once(child.stdout!, 'data')
  child.stdout!.destroy()
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal, await stderr], [0, null, ''])
})
