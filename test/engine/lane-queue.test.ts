/** The queue of a lane: its limits, its fairness, and the size of its batches. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { limits } from '../../src/contract/limits.ts'
import type { WriteRequest, WriteOutcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import {
  insertOrganization,
  assertRowsConsistent,
  countRows,
  openEngineFixture,
} from '../support/engine/engine-fixture.ts'
import { createWrite, exampleWrite, outcomeCode } from '../support/engine/example-writes.ts'

const fixture = await openEngineFixture()
const { engine } = fixture
const many = (length: number, make: (i: number) => WriteRequest): WriteRequest[] =>
  Array.from({ length }, (_, i) => make(i))
const perform = (writes: readonly WriteRequest[]): Promise<WriteOutcome[]> =>
  Promise.all(writes.map((one) => engine.perform(one)))

/** A write that costs very little. */
const stampWrite = (organization: string, bytes?: number): WriteRequest =>
  exampleWrite({
    organization,
    key: null,
    needs: { counters: [organization] },
    ...(bytes === undefined ? {} : { bytes }),
    decide: (unit) => {
      changeTime(unit, [organization])
      return { status: 200, body: '{}' }
    },
  })

describe('engine 1.4: the queue of a lane', () => {
  test('a write beyond the limit is refused at once with 503, and its key is free', async (t) => {
    // On a busy machine, the last ones would wait too long, and be refused for that.
    t.mock.method(performance, 'now', () => 0)
    const extra = 100
    const writes = many(limits.queueMaxWrites + extra, (i) =>
      createWrite(fixture, { key: `limit-${i}-key` }),
    )
    const performed = writes.map((one) => engine.perform(one))
    // The refusal needs no round trip, so it comes before any accepted write is done.
    assert.equal(outcomeCode(await Promise.race(performed)), 'service_unavailable')
    const refused = await Promise.all(performed.slice(-extra))
    assert.deepEqual(new Set(refused.map(outcomeCode)), new Set(['service_unavailable']))
    const accepted = await Promise.all(performed.slice(0, -extra))
    assert.deepEqual(new Set(accepted.map(outcomeCode)), new Set(['done']))
    const [one] = refused
    assert(one?.kind === 'refused')
    assert.equal(one.refusal.retryAfterSeconds, 1)
    const again = await perform(writes.slice(-extra))
    assert.deepEqual(new Set(again.map(outcomeCode)), new Set(['done']))
    await assertRowsConsistent(fixture)
  })

  test('the limit also counts bytes, separately for each lane', async () => {
    const size = limits.queueMaxBytes / 8
    const performed = perform(many(10, () => stampWrite(fixture.issuer, size)))
    const other = engine.perform(stampWrite(fixture.counterparty, size))
    assert.deepEqual((await performed).map(outcomeCode), [
      ...Array.from({ length: 8 }, () => 'done'),
      'service_unavailable',
      'service_unavailable',
    ])
    assert.equal(outcomeCode(await other), 'done')
  })

  test('a full lane takes a newcomer, and refuses the last write of whoever has most waiting', async () => {
    const [most, few, newcomer] = [
      await insertOrganization(fixture.db, 0),
      await insertOrganization(fixture.db, 0),
      await insertOrganization(fixture.db, 0),
    ] as const
    const size = limits.queueMaxBytes / 8
    const outcomesOf = async (...organizations: string[]) =>
      (await perform(organizations.map((one) => stampWrite(one, size)))).map(outcomeCode)
    const [done, refused] = ['done', 'service_unavailable']
    const fewFirst = await outcomesOf(few, few, few, most, most, most, most, most, newcomer)
    assert.deepEqual(fewFirst, [done, done, done, done, done, done, done, refused, done])
    const mostFirst = await outcomesOf(most, most, most, most, most, few, few, few, newcomer)
    assert.deepEqual(mostFirst, [done, done, done, done, refused, done, done, done, done])
    // Nobody takes the place of whoever would then have fewer writes waiting.
    const kept = await outcomesOf(most, most, most, most, few, few, few, newcomer, few)
    assert.deepEqual(kept, [done, done, done, done, done, done, done, done, refused])
  })

  test('an organization with 500 waiting writes delays another’s single write by one batch at most', async () => {
    const other = await insertOrganization(fixture.db, 0)
    let doneCount = 0
    const backlog = many(500, () => createWrite(fixture)).map(async (one) => {
      await engine.perform(one)
      doneCount += 1
    })
    await Promise.race(backlog)
    const before = doneCount
    assert(before <= 2 * limits.batchMaxWrites)
    const outcome = await engine.perform(stampWrite(other))
    assert.equal(outcomeCode(outcome), 'done')
    // At most the running batch and the batch of the single write.
    const between = doneCount - before
    assert(between <= 2 * limits.batchMaxWrites, `${between} other writes were done first`)
    await Promise.all(backlog)
  })

  test('a batch holds at most 48 writes, and at most 1 MiB', async () => {
    const transactions = () => countRows(fixture, sql`select distinct xmin::text from prov_event`)
    const before = await transactions()
    await perform(many(2 * limits.batchMaxWrites, () => createWrite(fixture)))
    assert.equal((await transactions()) - before, 2)
    await perform(many(4, () => createWrite(fixture, { bytes: limits.batchMaxBytes / 2 })))
    assert.equal((await transactions()) - before, 4)
  })

  test('drained() resolves when no write waits or runs', async () => {
    let doneCount = 0
    const performed = many(200, () => createWrite(fixture)).map(async (one) => {
      await engine.perform(one)
      doneCount += 1
    })
    await engine.drained()
    await new Promise(setImmediate)
    assert.equal(doneCount, 200)
    await Promise.all(performed)
    await engine.drained()
  })
})
