/** stream, logs tail, events resend. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultServer } from '../../sdk/test/support/fault-server.ts'
import { callApi } from '../../test/support/api-client.ts'
import { aDraft, aPair, anInvoice } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'
import {
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../../test/support/webhooks/receiver.ts'
import { eventIdsOf } from './support/event-ids.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService(localReceiverSettings)

const settings = async () => {
  const pair = await aPair(running)
  const env = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
  return { pair, cli: cliWith(env), env }
}

test('stream prints a line of JSON for each change, until it is interrupted', async () => {
  const { pair, env } = await settings()
  const draft = await aDraft(running, pair)
  const child = spawnCli(['stream', '--json', '--last-event-id', '0'], env)
  const changes: { object: string; id: string; last_event_id: string }[] = []
  createInterface(child.stdout!).on('line', (line) => changes.push(JSON.parse(line)))
  await until('the change is printed', () => changes.some(({ id }) => id === draft.id))
  const later = await aDraft(running, pair)
  await until('the next is printed', () => changes.some(({ id }) => id === later.id))
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.equal(code, 130)
  const ids = changes.map((change) => Number(change.last_event_id))
  assert.deepEqual(
    ids,
    ids.map((_, i) => i + 1),
  )
})

test('stream prints the time, number and new status of a changed document for a person', async () => {
  const { pair, cli } = await settings()
  const { id, number } = await anInvoice(running, pair)
  const abort = new AbortController()
  const printed = Promise.withResolvers<string>()
  const onStdout = (text: string) => printed.resolve(text)
  const stream = cli(['stream', '--last-event-id', '0'], { signal: abort.signal, onStdout })
  const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key: pair.issuer.key })
  const [time, ...words] = (await printed.promise).trimEnd().split('  ')
  assert(!Number.isNaN(Date.parse(time!)))
  assert.deepEqual(words.slice(0, 2), [number, body.status])
  abort.abort()
  assert.equal((await stream).code, 0)
})

test('stream prints the time, id and new status of a changed connection', async () => {
  const { pair, cli } = await settings()
  await aDraft(running, pair)
  const abort = new AbortController()
  const lines: string[] = []
  const onStdout = (text: string) => void lines.push(...text.trimEnd().split('\n'))
  const stream = cli(['stream', '--last-event-id', '0'], { signal: abort.signal, onStdout })
  await until('the stream is open', () => lines.length > 0)
  const { connection, issuer } = pair
  const body = {}
  await callApi(running, 'POST', `/v1/connections/${connection}/end`, { key: issuer.session, body })
  await until('the change is printed', () => lines.some((line) => line.includes(connection)))
  const [time, ...words] = lines.at(-1)!.split('  ')
  assert(!Number.isNaN(Date.parse(time!)))
  assert.deepEqual(words, [connection, 'ended', 'connection.ended'])
  abort.abort()
  assert.equal((await stream).code, 0)
})

test('logs tail prints calls as they arrive, a line each, and not its own', async () => {
  const { pair, cli, env } = await settings()
  const abort = new AbortController()
  const options = { env: { ...env, DOCEX_API_KEY: pair.issuer.session }, signal: abort.signal }
  const tail = cli(['logs', 'tail', '--path', '/v1/*', '--interval', '100', '--json'], options)
  let isOver = false
  const calls = (async () => {
    while (!isOver) {
      await callApi(running, 'GET', '/v1/me', { key: pair.issuer.key })
      await sleep(100)
    }
  })()
  const path = '/v1/requests?path=/v1/me&limit=100'
  await until('the log has several', async () => {
    const { body } = await callApi(running, 'GET', path, { key: pair.issuer.session })
    return body.data.length > 25
  })
  isOver = true
  await calls
  abort.abort()
  const { stdout, code } = await tail
  assert.equal(code, 0)
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert(entries.length > 1, stdout)
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length)
  assert(entries.every(({ path: called }) => called === '/v1/me'))
})

test('logs tail goes by the time of the service, whatever that of this machine', async () => {
  const { pair, env } = await settings()
  for (const ahead of ['+60_000', '-60_000']) {
    const clock = `const now=Date.now;Date.now=()=>now()${encodeURIComponent(ahead)}`
    const child = spawnCli(['logs', 'tail', '--path', '/v1/me', '--json'], {
      ...env,
      DOCEX_API_KEY: pair.issuer.session,
      NODE_OPTIONS: `--import=data:text/javascript,${clock.replaceAll(' ', '%20')}`,
    })
    const [notes, entries]: string[][] = [[], []]
    createInterface(child.stderr!).on('line', (line) => notes!.push(line))
    createInterface(child.stdout!).on('line', (line) => entries!.push(line))
    await until('it waits', () => notes!.some((line) => line.startsWith('Waiting')))
    await callApi(running, 'GET', '/v1/me', { key: pair.issuer.key })
    await until('the call is printed', () => entries!.length > 0)
    child.kill('SIGINT')
    await once(child, 'exit')
  }
})

test('logs tail goes on after an outage of the service, and misses nothing', async () => {
  const { pair, cli, env } = await settings()
  const faulty = await startFaultServer(running.baseUrl)
  const abort = new AbortController()
  const options = {
    env: { ...env, DOCEX_API_KEY: pair.issuer.session, DOCEX_BASE_URL: faulty.baseUrl },
    signal: abort.signal,
  }
  const started = Promise.withResolvers<void>()
  let printed = ''
  const tail = cli(['logs', 'tail', '--path', '/v1/documents/*', '--interval', '100', '--json'], {
    ...options,
    onStderr: (text) => text.startsWith('Waiting') && started.resolve(),
    onStdout: (text) => (printed += text),
  })
  await started.promise
  const outage = Array.from({ length: 6 }, () => 'isUnavailable' as const)
  faulty.script.push('resetsBefore', 'resetsBefore', 'resetsBefore', ...outage)
  const path = '/v1/documents/doc_00000000000000000000000000'
  await callApi(running, 'GET', path, { key: pair.issuer.key })
  await until('the call is printed', () => printed.includes(path))
  assert.equal(faulty.script.length, 0)
  abort.abort()
  assert.equal((await tail).code, 0)
})

test('events resend sends the delivery of an event again, and the first one where there was none', async () => {
  const { pair, cli, env } = await settings()
  await aDraft(running, pair)
  const receiver = await startReceiver()
  await subscribe(running, pair.issuer, receiver.url)
  await aDraft(running, pair)
  await until('the second event is delivered', () => receiver.received.length === 1)
  const [first, second] = await eventIdsOf(running, pair.issuer.key)
  const admin = { env: { ...env, DOCEX_API_KEY: pair.issuer.session } }
  for (const [index, id] of [second, first].entries()) {
    const { code, stdout, stderr } = await cli(['events', 'resend', id!, '--json'], admin)
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).sent[0].scheduled, 1)
    await until('it arrives', () => receiver.received.length === index + 2)
    assert.equal(receiver.received.at(-1)!.headers['svc-webhook-id'], id)
  }
  const faulty = await startFaultServer(running.baseUrl)
  faulty.script.push('none', 'none', 'none', 'resetsAfter', 'resetsAfter', 'resetsAfter')
  const lost = await cli(['events', 'resend', second!], {
    env: { ...admin.env, DOCEX_BASE_URL: faulty.baseUrl },
  })
  assert.equal(lost.code, 4)
  assert(!lost.stderr.includes('--idempotency-key'), lost.stderr)
})
