/** listen: what it delivers, through outages, restarts and resets. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { constructEvent } from '../../sdk/src/webhooks.ts'
import { callApi } from '../../test/support/api-client.ts'
import { aDraft, aPair, anOrganization, connectPair } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { until } from '../../test/support/until.ts'
import { eventIdsOf } from './support/event-ids.ts'
import { cliWith } from './support/run-cli.ts'

const running = await startTestService()

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
  const [started, attempted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const outcome = cli(argv, {
    signal: abort.signal,
    onStderr: (text) => text.startsWith('Forwarding') && started.resolve(),
    onStdout: () => attempted.resolve(),
  })
  const isStarted = Promise.race([started.promise, outcome])
  return {
    outcome,
    isStarted,
    isAttempted: attempted.promise,
    end: async () => (abort.abort(), outcome),
  }
}

const eventIds = (key: string): Promise<string[]> => eventIdsOf(running, key)

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
  for (const more of [
    [],
    ['--forward-to', 'localhost:3000'],
    ['--forward-to', 'file:///x'],
    ['--forward-to', 'http://a:b@127.0.0.1:1'],
  ]) {
    assert.equal((await cli(['listen', ...more])).code, 2)
  }
})

for (const [name, before] of [
  ['an empty feed', 0],
  ['a feed with events', 2],
] as const) {
  test(`clients.md 3: listen of ${name} goes on where its first run began, which delivered nothing`, async () => {
    const { pair, cli } = await settings()
    for (let i = 0; i < before; i += 1) await aDraft(running, pair)
    const absent = await aReceiver()
    await absent.stop()
    const silent = listening(cli, absent.url)
    await silent.isStarted
    assert.equal((await silent.end()).stdout, '')
    await aDraft(running, pair)
    const vain = listening(cli, absent.url)
    await vain.isAttempted
    await vain.end()
    await aDraft(running, pair)
    const receiver = await aReceiver(absent.port)
    const third = listening(cli, receiver.url)
    await until('both events arrive', () => receiver.received.length === 2)
    await third.end()
    await receiver.stop()
    const ids = await eventIds(pair.issuer.key)
    assert.deepEqual(
      receiver.received.map(({ id }) => id),
      ids.slice(before),
    )
  })
}

test('listen goes on after --since, also in a later run, and with one that is unknown it does not', async () => {
  const { pair, cli } = await settings()
  for (let i = 0; i < 3; i += 1) await aDraft(running, pair)
  const [first, ...later] = await eventIds(pair.issuer.key)
  const absent = await aReceiver()
  await absent.stop()
  const known = listening(cli, absent.url, ['--since', first!])
  await known.isAttempted
  await known.end()
  const unknown = 'evt_00000000000000000000000000'
  const { code, stderr } = await listening(cli, absent.url, ['--since', unknown]).outcome
  assert.equal(code, 1, stderr)
  const receiver = await aReceiver(absent.port)
  const second = listening(cli, receiver.url)
  await until('the events arrive', () => receiver.received.length === later.length)
  await second.end()
  await receiver.stop()
  assert.deepEqual(
    receiver.received.map(({ id }) => id),
    later,
  )
})

test('listen goes on with the first event after a reset of the sandbox, running or not', async () => {
  const { pair, cli } = await settings()
  const { issuer } = pair
  await aDraft(running, pair)
  const receiver = await aReceiver()
  const reset = async () => {
    const call = { key: issuer.key, body: {} }
    assert.equal((await callApi(running, 'POST', '/v1/sandbox/reset', call)).status, 200)
    const connected = await connectPair(running, issuer, await anOrganization(running))
    await aDraft(running, connected)
    await aDraft(running, connected)
    return eventIds(issuer.key)
  }
  const first = listening(cli, receiver.url)
  await first.isStarted
  const expected = await reset()
  await until('its events arrive', () => receiver.received.length >= expected.length)
  const { stderr } = await first.end()
  assert.match(stderr, /has left the feed: a reset of the sandbox/)
  expected.push(...(await reset()))
  const second = listening(cli, receiver.url)
  await until('those of the second, too', () => receiver.received.length >= expected.length)
  await second.end()
  await receiver.stop()
  assert.deepEqual(
    receiver.received.map(({ id }) => id),
    expected,
  )
})
