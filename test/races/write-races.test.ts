/** Many concurrent callers of two services on one database. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SqlQuery, sql } from '../../src/database/sql.ts'
import { runAndSealWithin } from '../support/database/run-and-seal.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { type Reply, callApi, freshIdempotencyKey, postWhenFree } from '../support/api-client.ts'
import { type Pair, aDraft, exampleLine, aPair, anInvoice, move } from '../support/fixtures.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { together } from '../support/together.ts'

const one = await startTestService()
const two = await one.startAnother()
const services = [one, two] as const
const { database } = one
const assertAllConsistent = () => assertServiceConsistent(one)

const bodyFor = ({ connection }: Pair, more = {}) => ({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
  ...more,
})

const create = (running: TestService, pair: Pair, headers = {}, more = {}): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents', {
    key: pair.issuer.key,
    body: bodyFor(pair, more),
    headers,
  })

const count = async (query: SqlQuery): Promise<number> =>
  Number((await database.rows<{ n: bigint }>(sql`select count(*) as n from (${query}) q`))[0]!.n)

const documentsBy = (pair: Pair) => sql`select from documents where issuer_id = ${pair.issuer.uuid}`
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replay') === 'true'

/** All 2xx have the same bytes and all but one are replays; the others are 409 to retry. */
const assertOneEffect = (replies: readonly Reply[]): Reply => {
  const [done, refused] = [true, false].map((ok) => replies.filter((r) => r.status < 300 === ok))
  assert(done!.length > 0)
  assert.equal(new Set(done!.map(({ text, status }) => `${status} ${text}`)).size, 1)
  assert.equal(done!.filter((reply) => !isReplay(reply)).length, 1)
  for (const { status, body, headers } of refused!) {
    assert.deepEqual([status, body.error?.details?.reason], [409, 'request_in_progress'])
    assert.equal(headers.get('retry-after'), '1')
  }
  return done![0]!
}

describe('specification 4.2, contract 5: one Idempotency-Key, one effect', () => {
  test('the same key 100 times concurrently: one effect, all 2xx byte-equal, the rest 409 request_in_progress', async () => {
    for (const targets of [[one], services]) {
      const pair = await aPair(one)
      const headers = { 'idempotency-key': freshIdempotencyKey() }
      const replies = await together(100, (i) =>
        create(targets[i % targets.length]!, pair, headers),
      )
      const done = assertOneEffect(replies)
      assert.equal(await count(documentsBy(pair)), 1)
      // The key stays replayable on both services.
      for (const service of services) {
        const again = await create(service, pair, headers)
        assert.deepEqual([again.status, again.text, isReplay(again)], [201, done.text, true])
      }
    }
    await assertAllConsistent()
  })

  test('a retry that arrives just as the first commits never makes a second effect', async () => {
    const pair = await aPair(one)
    const rounds = 40
    for (let round = 0; round < rounds; round += 1) {
      const headers = { 'idempotency-key': freshIdempotencyKey() }
      const first = { isDone: false }
      const created = create(one, pair, headers).finally(() => (first.isDone = true))
      const replies: Reply[] = []
      // Three callers retry continuously until after the first call has its response.
      await together(3, async () => {
        let isLast = false
        while (!isLast) {
          isLast = first.isDone
          replies.push(await create(two, pair, headers))
        }
      })
      assertOneEffect([await created, ...replies])
    }
    assert.equal(await count(documentsBy(pair)), rounds)
    await assertAllConsistent()
  })

  test('another body with a key in progress has no effect', async () => {
    const pair = await aPair(one)
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const replies = await together(40, (i) =>
      create(services[i % 2]!, pair, headers, { notes: `body ${i % 4}` }),
    )
    const done = replies.filter(({ status }) => status === 201)
    assert.equal(new Set(done.map(({ text }) => text)).size, 1)
    for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
      assert.equal(status, 409)
      const isConflict = body.error.code === 'idempotency_conflict'
      assert(isConflict || body.error.details.reason === 'request_in_progress')
    }
    assert.equal(await count(documentsBy(pair)), 1)
  })
})

describe('domain 1: numbers and histories under load', () => {
  test('INV- numbers have no gap over two services, despite refusals, dry runs and rollbacks', async () => {
    const pair = await aPair(one)
    await database.script(`
      create function refuse_poison() returns trigger language plpgsql as
        $$ begin raise exception 'poisoned'; end $$;
      create trigger poison before insert on documents for each row
        when (new.metadata like '%poison%') execute function refuse_poison()`)
    const kinds: [number, object, object][] = [
      [201, {}, {}],
      [200, { 'svc-dry-run': 'true' }, {}],
      [404, {}, { connection_id: `con_${'0'.repeat(26)}` }],
      [201, {}, {}],
      [500, {}, { metadata: { is: 'poison' } }],
      [400, {}, { line_items: [] }],
    ]
    await together(180, async (i) => {
      const [status, headers, more] = kinds[i % kinds.length]!
      const reply = await postWhenFree(services[i % 2]!, '/v1/documents', {
        key: pair.issuer.key,
        body: bodyFor(pair, more),
        headers,
      })
      assert.equal(reply.status, status, reply.text)
    })
    await database.script('drop trigger poison on documents')
    const numbers = await database.rows<{ number: string }>(sql`
      select number from document_views where organization_id = ${pair.issuer.uuid} order by number`)
    assert.deepEqual(
      numbers.map(({ number }) => number),
      Array.from({ length: 60 }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`),
    )
    await assertAllConsistent()
  })

  test('when both sides move one document concurrently over two services, its history stays linear', async () => {
    const pair = await aPair(one)
    const moves = [
      [pair.counterparty.key, ['acknowledged', 'approved', 'disputed']],
      [pair.issuer.key, ['disputed', 'acknowledged', 'cancelled']],
    ] as const
    await together(6, async () => {
      const invoice = await anInvoice(one, pair)
      const moved = await together(24, async (i) => {
        const [key, targets] = moves[i % 2]!
        const service = services[(i >> 1) % 2]!
        return move(service, key, invoice.id, targets[(i >> 2) % 3]!)
      })
      const statuses = new Set(moved.map(({ status }) => status))
      assert(statuses.isSubsetOf(new Set([200, 409, 503])), [...statuses].join())
      const done = moved.filter(({ status }) => status === 200)
      // Each success is one revision, and no other revision is stored.
      const revisions = done.map(({ body }) => body.revision).toSorted((a, b) => a - b)
      assert.deepEqual(
        revisions,
        done.map((_, i) => invoice.revision + 1 + i),
      )
      const { body } = await callApi(two, 'GET', `/v1/documents/${invoice.id}`, {
        key: pair.issuer.key,
      })
      assert.equal(body.revision, invoice.revision + done.length)
    })
    await assertAllConsistent()
  })

  test('when edits race with the issue of a draft over two services, no edit is lost or applied after the issue', async () => {
    const pair = await aPair(one)
    const draft = await aDraft(one, pair)
    const path = `/v1/documents/${draft.id}`
    const replies = await together(30, (i) =>
      i === 15
        ? callApi(two, 'POST', `${path}/issue`, { key: pair.issuer.key })
        : callApi(services[i % 2]!, 'PATCH', path, {
            key: pair.issuer.key,
            body: { notes: `edit ${i}` },
          }),
    )
    const done = replies.filter(({ status }) => status === 200)
    const issued = replies[15]!
    assert.equal(issued.status, 200, issued.text)
    assert.equal(issued.body.revision, 1 + done.length)
    const { body } = await callApi(one, 'GET', path, { key: pair.counterparty.key })
    assert.equal(body.revision, issued.body.revision)
    const last = done.find((reply) => reply.body.revision === issued.body.revision - 1)
    assert.equal(body.notes, last?.body.notes ?? null)
    await assertAllConsistent()
  })
})

test('contract 4: no document is created after its connection has ended', async () => {
  const pair = await aPair(one)
  const { issuer, counterparty, connectionUuid } = pair
  let isEnded = false
  const statuses: number[] = []
  const creating = together(12, async (i) => {
    while (!isEnded) statuses.push((await create(services[i % 2]!, pair)).status)
  })
  await until('creates are under way', () => statuses.length > 30)
  // Ends the connection as the service does: locks both counters, then updates the connection.
  const parties = [issuer.uuid, counterparty.uuid].toSorted()
  const counters = await one.service.context.database.transaction(async (tx) => {
    const rows = await tx.rows<{ organization_id: string; feed: bigint }>(sql`
      select organization_id, feed from organization_counters
      where organization_id in (${parties[0]}, ${parties[1]}) order by organization_id for no key update`)
    await runAndSealWithin(
      tx,
      'connections',
      sql`update connections set status = 'ended' where id = ${connectionUuid}`,
    )
    return rows
  })
  const after = await create(two, pair)
  assert.deepEqual([after.status, after.body.error?.details.reason], [409, 'connection_not_active'])
  isEnded = true
  await creating
  assert(new Set(statuses).isSubsetOf(new Set([201, 409])), [...new Set(statuses)].join())
  for (const { organization_id, feed } of counters) {
    const later = sql`select from events where organization_id = ${organization_id} and feed > ${feed}`
    assert.equal(await count(later), 0)
  }
  assert.equal(await count(documentsBy(pair)), statuses.filter((status) => status === 201).length)
  await assertAllConsistent()
})
