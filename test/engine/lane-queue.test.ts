/** Who waits, and how long the queue may get. */
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
  createWrite,
  exampleWrite,
  openEngineFixture,
  outcomeCode,
} from '../support/database/example-writes.ts'

const fixture = await openEngineFixture()
const { engine } = fixture
const many = (length: number, make: (i: number) => WriteRequest): WriteRequest[] =>
  Array.from({ length }, (_, i) => make(i))
const perform = (members: readonly WriteRequest[]): Promise<WriteOutcome[]> =>
  Promise.all(members.map((one) => engine.perform(one)))

/** A write that costs next to nothing. */
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
  test('beyond its cap a member is refused at once with 503, and its key is free', async () => {
    const extra = 100
    const members = many(limits.queueMaxWrites + extra, (i) =>
      createWrite(fixture, { key: `cap-${i}-key` }),
    )
    const performed = members.map((one) => engine.perform(one))
    // Refused without a round trip: before any of those that are taken.
    assert.equal(outcomeCode(await Promise.race(performed)), 'service_unavailable')
    const refused = await Promise.all(performed.slice(-extra))
    assert.deepEqual(new Set(refused.map(outcomeCode)), new Set(['service_unavailable']))
    const accepted = await Promise.all(performed.slice(0, -extra))
    assert.deepEqual(new Set(accepted.map(outcomeCode)), new Set(['done']))
    const [one] = refused
    assert(one?.kind === 'refused')
    assert.equal(one.refusal.retryAfterSeconds, 1)
    const again = await perform(members.slice(-extra))
    assert.deepEqual(new Set(again.map(outcomeCode)), new Set(['done']))
    await assertRowsConsistent(fixture)
  })

  test('the cap counts bytes as well, and each lane for itself', async () => {
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

  test('an organization with 500 waiting members does not delay another’s single one by more than a batch', async () => {
    const other = await insertOrganization(fixture.db, 0)
    let answered = 0
    const hog = many(500, () => createWrite(fixture)).map(async (one) => {
      await engine.perform(one)
      answered += 1
    })
    await Promise.race(hog)
    const before = answered
    assert(before <= 2 * limits.batchMaxWrites)
    const outcome = await engine.perform(stampWrite(other))
    assert.equal(outcomeCode(outcome), 'done')
    // The batch that ran, and the one that it is part of.
    const between = answered - before
    assert(between <= 2 * limits.batchMaxWrites, `${between} others were answered first`)
    await Promise.all(hog)
  })

  test('a batch takes 48 members, or 1 MiB of them', async () => {
    const transactions = () => countRows(fixture, sql`select distinct xmin::text from prov_event`)
    const before = await transactions()
    await perform(many(2 * limits.batchMaxWrites, () => createWrite(fixture)))
    assert.equal((await transactions()) - before, 2)
    await perform(many(4, () => createWrite(fixture, { bytes: limits.batchMaxBytes / 2 })))
    assert.equal((await transactions()) - before, 4)
  })

  test('drained: resolves when nothing is waiting or running any more', async () => {
    let answered = 0
    const performed = many(200, () => createWrite(fixture)).map(async (one) => {
      await engine.perform(one)
      answered += 1
    })
    await engine.drained()
    await new Promise(setImmediate)
    assert.equal(answered, 200)
    await Promise.all(performed)
    await engine.drained()
  })
})
