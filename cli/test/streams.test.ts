/** listen through outages, logs tail, events resend. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { constructEvent } from '../../sdk/src/webhooks.ts'
import { callApi } from '../../test/support/api-client.ts'
import { aDraft, aPair, anInvoice } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'
import {
  localReceiverSettings,
  startReceiver,
  subscribe,
} from '../../test/support/webhooks/receiver.ts'
import { cliWith, spawnCli } from './support/run-cli.ts'

const running = await startTestService(localReceiverSettings)

const settings = async () => {
  const pair = await aPair(running)
  const env = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
  return { pair, cli: cliWith(env), env }
}

/** A receiver that keeps what it got, on a port that it takes again after a stop. */
const aReceiver = async (port = 0) => {
  const received: { id: string; headers: Record<string, string>; body: string }[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const status = statuses.shift() ?? 200
      const body = String(Buffer.concat(chunks))
      const headers = request.headers as Record<string, string>
      if (status === 200) received.push({ id: headers['svc-webhook-id']!, headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { received, statuses, stop, port: address.port, url: `http://127.0.0.1:${address.port}/` }
}

/** Nobody answers on the port, until somebody has tried to send an event there. */
const whileAway = async (port: number): Promise<void> => {
  let attempts = 0
  const server = createTcpServer((socket) => {
    attempts += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await until('an event was sent in vain', () => attempts > 0)
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

const listening = (cli: ReturnType<typeof cliWith>, url: string, more: string[] = []) => {
  const abort = new AbortController()
  const argv = ['listen', '--forward-to', url, '--interval', '100', '--json', ...more]
  const outcome = cli(argv, { signal: abort.signal })
  return { end: async () => (abort.abort(), outcome) }
}

const eventIds = async (key: string): Promise<string[]> => {
  const { data } = (await callApi(running, 'GET', '/v1/events?limit=100', { key })).body
  return data.map(({ id }: { id: string }) => id).toReversed()
}

test('listen misses nothing while the receiver or itself is away, and signs like a delivery', async () => {
  const { pair, cli } = await settings()
  const secret = (await cli(['listen', '--print-secret'])).stdout.trim()
  assert.match(secret, /^whsec_[\w+/=]{44}$/)
  await aDraft(running, pair)
  const [before] = await eventIds(pair.issuer.key)
  let receiver = await aReceiver()
  const { url, port } = receiver
  const first = listening(cli, url, ['--since', before!])
  await aDraft(running, pair)
  const last = async () => (await eventIds(pair.issuer.key)).at(-1)!
  const arrives = async (id: string) =>
    until('the event arrives', () => receiver.received.some((one) => one.id === id))
  await arrives(await last())
  const got = [...receiver.received]
  await receiver.stop()
  await aDraft(running, pair)
  await aDraft(running, pair)
  await whileAway(port)
  receiver = await aReceiver(port)
  await arrives(await last())
  const { code, stdout } = await first.end()
  assert.equal(code, 0)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert(lines.some(({ status }) => status === null) && lines.some(({ status }) => status === 200))

  await aDraft(running, pair)
  const second = listening(cli, url)
  await arrives(await last())
  got.push(...receiver.received)
  await second.end()
  await receiver.stop()

  // One whose answer was lost with the connection comes again.
  const all = await eventIds(pair.issuer.key)
  assert.deepEqual([...new Set(got.map(({ id }) => id))], all.slice(all.indexOf(before!) + 1))
  for (const { headers, body } of got) {
    const { id } = await constructEvent(body, headers['svc-signature']!, secret)
    assert.equal(id, headers['svc-webhook-id'])
    const standard = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('webhook-')),
    )
    assert.equal((await constructEvent(body, standard, secret)).id, id)
  }
})

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

test('listen tries an event that is refused again, and asks only for the types that it is told', async () => {
  const { pair, cli } = await settings()
  await aDraft(running, pair)
  const [since] = await eventIds(pair.issuer.key)
  const receiver = await aReceiver()
  receiver.statuses.push(500)
  const types = ['--events', 'document.edited', '--since', since!]
  const listener = listening(cli, receiver.url, types)
  const { id } = await aDraft(running, pair)
  const body = { notes: 'Other' }
  await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: pair.issuer.key, body })
  await until('the event arrives', () => receiver.received.length === 1)
  assert.equal(JSON.parse(receiver.received[0]!.body).type, 'document.edited')
  assert.equal(receiver.received[0]!.headers['svc-delivery-attempt'], '2')
  await listener.end()
  await receiver.stop()
})

test('listen refuses what it cannot forward to', async () => {
  const { cli } = await settings()
  for (const more of [[], ['--forward-to', 'localhost:3000'], ['--forward-to', 'file:///x']]) {
    assert.equal((await cli(['listen', ...more])).code, 2)
  }
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

test('events resend sends the delivery of an event again, and the first one where there was none', async () => {
  const { pair, cli, env } = await settings()
  await aDraft(running, pair)
  const receiver = await startReceiver()
  await subscribe(running, pair.issuer, receiver.url)
  await aDraft(running, pair)
  await until('the second event is delivered', () => receiver.received.length === 1)
  const [first, second] = await eventIds(pair.issuer.key)
  const admin = { env: { ...env, DOCEX_API_KEY: pair.issuer.session } }
  for (const [index, id] of [second, first].entries()) {
    const { code, stdout, stderr } = await cli(['events', 'resend', id!, '--json'], admin)
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).sent[0].scheduled, 1)
    await until('it arrives', () => receiver.received.length === index + 2)
    assert.equal(receiver.received.at(-1)!.headers['svc-webhook-id'], id)
  }
})
