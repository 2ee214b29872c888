/** The feed of events, followed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPair, anInvoice } from '../../test/support/fixtures.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { Docex } from '../src/index.ts'
import { startFaultServer } from './support/fault-server.ts'

const running = await startTestService()

const clientOf = (apiKey: string, baseUrl = running.baseUrl): Docex =>
  new Docex({ apiKey, baseUrl, maxRetries: 0 })

test('events.follow tells every event once and in order, through outages and restarts', async () => {
  const own = await aPair(running)
  const faulty = await startFaultServer(running.baseUrl)
  const reader = clientOf(own.issuer.key, faulty.baseUrl)
  await anInvoice(running, own)
  const feed = await clientOf(own.issuer.key).events.list().toArray()
  const expected = 10 * feed.length
  const writing = (async () => {
    for (let i = 0; i < 10; i += 1) await anInvoice(running, own)
  })()
  const ids: string[] = []
  const types = new Set<string>()
  let after = feed[0]!.id
  while (ids.length < expected) {
    const signal = new AbortController()
    faulty.script.push('none', 'isUnavailable', 'resetsAfter', 'truncates')
    for await (const event of reader.events.follow({
      after,
      signal: signal.signal,
      intervalMs: 10,
    })) {
      ids.push(event.id)
      types.add(event.type)
      after = event.id
      if (ids.length % 7 === 0 || ids.length >= expected) signal.abort()
    }
  }
  await writing
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
  assert(types.has('document.created'))
})

test('events.follow after null begins with the oldest event, of those that are asked for', async () => {
  const own = await aPair(running)
  const docex = clientOf(own.issuer.key)
  await anInvoice(running, own)
  await anInvoice(running, own)
  const feed = (await docex.events.list().toArray()).toReversed()
  for (const type of [undefined, 'document.status_changed'] as const) {
    const expected = feed.filter((event) => type === undefined || event.type === type)
    const stopped = new AbortController()
    const { signal } = stopped
    const ids: string[] = []
    for await (const event of docex.events.follow({ after: null, type, signal, intervalMs: 10 })) {
      ids.push(event.id)
      if (ids.length === expected.length) stopped.abort()
    }
    assert.deepEqual(
      ids,
      expected.map(({ id }) => id),
    )
  }
})

test('events.follow with a filter goes on from the newest event where none matches', async () => {
  const own = await aPair(running)
  await anInvoice(running, own)
  const { key } = own.issuer
  const [newest, ...older] = await clientOf(key).events.list().toArray()
  const stopped = new AbortController()
  const asked: string[] = []
  const docex = new Docex({
    apiKey: key,
    baseUrl: running.baseUrl,
    fetch: async (url, init) => {
      const after = new URL(String(url)).searchParams.get('after')
      if (after !== null) asked.push(after)
      if (asked.length === 2) stopped.abort()
      return fetch(url, init)
    },
  })
  const { signal } = stopped
  const filter = { type: 'payment.settled', after: older.at(-1)!.id } as const
  for await (const _ of docex.events.follow({ ...filter, signal, intervalMs: 10 })) assert.fail()
  assert.deepEqual(asked, [older.at(-1)!.id, newest!.id])
})
