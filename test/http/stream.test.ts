/** GET /v1/stream: server-sent events that name what has changed (contract 12). */
import assert from 'node:assert/strict'
import { type Socket, connect } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aKey, aPair, anInvoice, anOrganization } from '../support/fixtures.ts'
import { openStream } from '../support/http/change-stream.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const { baseUrl } = running

test('contract 1: a parameter of the stream is refused, as it has none', async () => {
  const { key } = await anOrganization(running)
  const reply = await callApi(running, 'GET', '/v1/stream?after=evt_x', { key })
  assertProblems(reply, 'after unknown_field')
})

test('both sides are told of a change, by name alone, and nobody else is', async () => {
  const pair = await aPair(running)
  const stranger = await anOrganization(running)
  const [issuer, counterparty, other] = [
    await openStream(running, pair.issuer.key),
    await openStream(running, pair.counterparty.session),
    await openStream(running, stranger.key),
  ]
  assert.equal(issuer.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(issuer.response.headers.get('cache-control'), 'no-store')
  const draft = await aDraft(running, pair)
  await until('the stream', async () => issuer.changes().some(({ record }) => record === draft.id))
  const invoice = await anInvoice(running, pair)
  await until('the stream', async () =>
    counterparty.changes().some(({ record }) => record === invoice.id),
  )
  const seen = counterparty.changes()
  assert(
    seen.every(({ record }) => record !== draft.id),
    'a draft is its issuer’s alone',
  )
  assert.deepEqual([...new Set(seen.map(({ object }) => object))], ['document'])
  assert.deepEqual(other.changes(), [])
  for (const each of [issuer, counterparty, other]) each.close()
})

test('contract 10: what one process writes, another one streams and finds at once', async () => {
  const writing = await running.startAnother()
  const pair = await aPair(running)
  const { key } = pair.issuer
  const stream = await openStream(running, key)
  const draft = await aDraft(writing, pair, { notes: 'sycamore' })
  const found = await callApi(running, 'GET', '/v1/search?q=sycamore', { key })
  assert.deepEqual(
    found.body.data.map(({ id }: { id: string }) => id),
    [draft.id],
  )
  await until('the stream', () => stream.changes().some(({ record }) => record === draft.id))
  stream.close()
})

test('Last-Event-ID resumes after it, without gaps and without repeats', async () => {
  const pair = await aPair(running)
  const first = await openStream(running, pair.issuer.key)
  await anInvoice(running, pair)
  const ofDocuments = () => first.changes().filter(({ object }) => object === 'document')
  await until('the stream', async () => ofDocuments().length >= 2)
  first.close()
  const [start] = ofDocuments()
  await anInvoice(running, pair)
  const second = await openStream(running, pair.issuer.key, start!.id)
  const all = async () => {
    const reply = await callApi(running, 'GET', '/v1/events?limit=100', { key: pair.issuer.key })
    return reply.body.data.length
  }
  const missed = (await all()) - 1
  await until('the stream', async () => second.changes().length >= missed)
  const ids = second.changes().map(({ id }) => Number(id))
  assert.deepEqual(
    ids,
    Array.from({ length: missed }, (_, i) => Number(start!.id) + 1 + i),
  )
  second.close()
})

test('whoever was away for long, or names a position that never was, loads everything again', async () => {
  const pair = await aPair(running)
  const stream = await openStream(running, pair.issuer.key, '999999999')
  await until('the stream', async () => stream.changes().length === 1)
  assert.equal(stream.changes()[0]!.type, 'resync')
  stream.close()
})

test('whoever follows an organization that is reset loads everything again, also later', async () => {
  const pair = await aPair(running)
  const open = await openStream(running, pair.issuer.key)
  await aDraft(running, pair)
  await until('the draft', () => open.changes().length > 0)
  const { id: last } = open.changes().at(-1)!
  const path = '/v1/sandbox/reset'
  const reset = await callApi(running, 'POST', path, { key: pair.issuer.key, body: {} })
  assert.equal(reset.status, 200, reset.text)
  const resumed = await openStream(running, pair.issuer.key, last)
  for (const stream of [open, resumed]) {
    await until('a resync', () => stream.changes().some(({ type }) => type === 'resync'))
    stream.close()
  }
})

test('whoever resumes after changes that have expired loads everything again, once', async () => {
  const pair = await aPair(running)
  const first = await openStream(running, pair.issuer.key)
  const expired = await aDraft(running, pair)
  const changeOfDraft = () => first.changes().find(({ record }) => record === expired.id)
  // The pair's connection may be told of first, at the position before the draft.
  await until('the draft', () => changeOfDraft() !== undefined)
  const change = changeOfDraft()
  first.close()
  const before = `${Number(change!.id) - 1}`
  await running.database.run(sql`
    delete from events where document_id = ${decodeId('doc', expired.id)}`)
  const resumed = await openStream(running, pair.issuer.key, before)
  await until('a resync', () => resumed.changes().some(({ type }) => type === 'resync'))
  const later = await aDraft(running, pair)
  await until('the later draft', () => resumed.changes().at(-1)!.record === later.id)
  assert.deepEqual(
    resumed.changes().map(({ type }) => type),
    ['resync', 'document.created'],
  )
  resumed.close()
})

test('the revocation of its credential ends a stream', async () => {
  const pair = await aPair(running)
  const { secret, keyId } = await aKey(running, pair.issuer, ['documents:read'])
  const byKey = await openStream(running, secret)
  const path = `/v1/keys/${keyId}/revoke`
  const revoked = await callApi(running, 'POST', path, { key: pair.issuer.session, body: {} })
  assert.equal(revoked.status, 200, revoked.text)
  await until('the stream', async () => byKey.received.hasEnded)
  const bySession = await openStream(running, pair.counterparty.session)
  await callApi(running, 'DELETE', '/auth/session', { key: pair.counterparty.session })
  await until('the stream', async () => bySession.received.hasEnded)
})

test('what has just ended gets no ping, which would end the process', async (t) => {
  // Every round that ends streams pings as well, so that the end and the ping are in one round; and
  // no other stream is open, whose check the round would wait for while the ended one closes.
  const rounds = limits as { streamPollsPerPing: number }
  const { streamPollsPerPing } = rounds
  const errors: Error[] = []
  const note = (error: Error) => void errors.push(error)
  process.on('uncaughtExceptionMonitor', note)
  t.after(() => {
    rounds.streamPollsPerPing = streamPollsPerPing
    process.removeListener('uncaughtExceptionMonitor', note)
  })
  rounds.streamPollsPerPing = limits.streamPollsPerCheck
  const { issuer } = await aPair(running)
  const stream = await openStream(running, issuer.session)
  await until('the stream is pinged', () => stream.received.text.includes(': ping'))
  await callApi(running, 'DELETE', '/auth/session', { key: issuer.session })
  await until('the stream ends', () => stream.received.hasEnded)
  assert.deepEqual(errors, [])
})

test('it needs documents:read, a valid credential and a number to resume from', async () => {
  const { issuer } = await aPair(running)
  const { secret } = await aKey(running, issuer, ['payments:read'])
  const refused = await openStream(running, secret)
  assert.equal(refused.response.status, 403)
  assert.equal((await openStream(running, 'nonsense')).response.status, 401)
  assert.equal((await openStream(running, issuer.key, 'evt_1')).response.status, 400)
})

test(`an organization has at most ${limits.streamsPerOrganizationMax} streams, and others still get theirs`, async () => {
  const { issuer, counterparty } = await aPair(running)
  const streams = []
  for (let count = 0; count < limits.streamsPerOrganizationMax; count += 1) {
    streams.push(await openStream(running, issuer.key))
  }
  const refused = await openStream(running, issuer.key)
  assert.equal(refused.response.status, 429)
  assert.equal(refused.response.headers.get('retry-after'), `${limits.streamRetrySeconds}`)
  streams.push(await openStream(running, counterparty.key))
  assert.equal(streams.at(-1)!.response.status, 200)
  for (const each of streams) each.close()
  await until('the stream', async () => {
    const next = await openStream(running, issuer.key)
    next.close()
    return next.response.status === 200
  })
})

test(`a person has at most ${limits.streamsPerPersonMax} streams, of however many organizations`, async () => {
  const others = limits.streamsPerPersonMax / limits.streamsPerOrganizationMax
  const owners = await Promise.all(Array.from({ length: others }, () => anOrganization(running)))
  const { userId: maker } = owners[0]!
  const made = await Promise.all(
    owners.map((owner) => aKey(running, { ...owner, userId: maker }, ['documents:read'])),
  )
  const streams = []
  for (const { secret } of made)
    for (let count = 0; count < limits.streamsPerOrganizationMax; count += 1)
      streams.push(await openStream(running, secret))
  assert(streams.every(({ response }) => response.status === 200))
  const another = await anOrganization(running)
  const ofSame = await aKey(running, { ...another, userId: maker }, ['documents:read'])
  assert.equal((await openStream(running, ofSame.secret)).response.status, 429)
  streams.push(await openStream(running, another.key))
  assert.equal(streams.at(-1)!.response.status, 200)
  for (const each of streams) each.close()
})

test('whoever hangs up before the stream is open leaves none behind', async () => {
  const { issuer } = await aPair(running)
  const { port } = new URL(baseUrl)
  const head = `GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${issuer.key}\r\n\r\n`
  const hangUp = (how: (socket: Socket) => unknown) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
      socket.on('connect', () => socket.write(head, () => how(socket)))
      socket.on('error', () => undefined).on('close', () => resolve())
      socket.on('end', () => socket.destroy()).resume()
    })
  const ways = [
    (socket: Socket) => socket.destroy(),
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.end(),
    (socket: Socket) => setImmediate(() => socket.destroy()),
    (socket: Socket) => setTimeout(() => socket.destroy(), 2),
  ]
  for (const way of ways)
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: limits.streamsPerOrganizationMax }, () => hangUp(way)))
  const all = async () => {
    const opened = await Promise.all(
      Array.from({ length: limits.streamsPerOrganizationMax }, () =>
        openStream(running, issuer.key),
      ),
    )
    for (const each of opened) each.close()
    return opened.every(({ response }) => response.status === 200)
  }
  await until('all streams can be opened', all)
})

test('a client that hangs up leaves no stream behind', async () => {
  const { issuer } = await aPair(running)
  for (let count = 0; count < 2 * limits.streamsPerOrganizationMax; count += 1) {
    const { port } = new URL(baseUrl)
    const socket = connect(Number(port), '127.0.0.1')
    const head = `GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${issuer.key}\r\n\r\n`
    socket.write(head)
    const [reply] = await new Promise<[string]>((resolve) =>
      socket.once('data', (data) => resolve([String(data)])),
    )
    const [status] = reply.split('\r\n')
    socket.destroy()
    assert.match(status!, /200|429/)
  }
  await until('the stream', async () => {
    const next = await openStream(running, issuer.key)
    next.close()
    return next.response.status === 200
  })
})
