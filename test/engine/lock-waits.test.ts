/** Locks held elsewhere: who waits for them, how long, and whom that delays. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { limits } from '../../src/contract/limits.ts'
import type { WriteOutcome } from '../../src/engine/write-request.ts'
import { type SqlQuery, sql } from '../../src/database/sql.ts'
import { until } from '../support/service.ts'
import {
  type EngineFixture,
  insertDraft,
  assertRowsConsistent,
  countRows,
  createWrite,
  documentOf,
  editWrite,
  exampleWrite,
  openConnection,
  openEngineFixture,
  outcomeCode,
} from '../support/database/example-writes.ts'

// Each test has a database of its own, so that they may wait at the same time.
const fixtures = [
  await openEngineFixture(),
  await openEngineFixture(),
  await openEngineFixture(),
  await openEngineFixture(),
]

const isWaiting = (fixture: EngineFixture) => async () =>
  (await countRows(
    fixture,
    sql`select from pg_stat_activity where datname = current_database()
      and application_name like 'docex lane%' and wait_event_type = 'Lock'`,
  )) > 0

/** A transaction of somebody else that took these rows; answers what ends it. */
const lockRows = async (fixture: EngineFixture, rows: SqlQuery): Promise<() => Promise<void>> => {
  const foreign = await openConnection(fixture.url)
  await foreign.run(sql`begin`)
  assert((await foreign.run(rows)) > 0, 'there is something to lock')
  return async () => {
    await foreign.run(sql`rollback`)
  }
}

const lockDocument = (fixture: EngineFixture, id: string) =>
  lockRows(fixture, sql`select from documents where id = ${id} for update`)

const lockCounters = (fixture: EngineFixture) =>
  lockRows(
    fixture,
    sql`select from organization_counters where organization_id = ${fixture.issuer} for update`,
  )

/** The outcome, and how long it took. */
const timed = async (outcome: Promise<WriteOutcome>): Promise<[string, number]> => {
  const startedAt = performance.now()
  return [outcomeCode(await outcome), performance.now() - startedAt]
}

describe('engine 1.4: a document locked elsewhere', { concurrency: true }, () => {
  test('its member is postponed: the others of the batch do not wait, and it succeeds after the release', async () => {
    const fixture = fixtures.pop()!
    const [held, free] = [await insertDraft(fixture), await insertDraft(fixture)]
    const release = await lockDocument(fixture, held)
    const [late, ...others] = [
      editWrite(fixture, held),
      editWrite(fixture, free),
      createWrite(fixture),
    ].map((one) => fixture.engine.perform(one))
    assert.deepEqual((await Promise.all(others)).map(outcomeCode), ['done', 'done'])
    await until('the postponed member waits for the lock', isWaiting(fixture))
    await release()
    assert.equal(outcomeCode(await late!), 'done')
    assert.equal((await documentOf(fixture, held)).revision, 2)
    await assertRowsConsistent(fixture)
  })

  test('after three times it waits alone for lockWaitMs, then answers 503 and leaves its key free', async () => {
    const fixture = fixtures.pop()!
    const held = await insertDraft(fixture)
    const release = await lockDocument(fixture, held)
    const key = 'waited-in-vain'
    const [answer, ms] = await timed(fixture.engine.perform(editWrite(fixture, held, { key })))
    assert.equal(answer, 'service_unavailable')
    assert(ms >= limits.lockWaitMs, `it waited for ${ms} ms`)
    assert(ms < limits.lockTimeoutMs, `it waited for ${ms} ms, and its lane with it`)
    await release()
    assert.equal(
      outcomeCode(await fixture.engine.perform(editWrite(fixture, held, { key }))),
      'done',
    )
    await assertRowsConsistent(fixture)
  })

  test('several members of one held document do not hold up the lane one after the other', async () => {
    const fixture = fixtures.pop()!
    const held = await insertDraft(fixture)
    const release = await lockDocument(fixture, held)
    const waiting = Array.from({ length: 20 }, () =>
      timed(fixture.engine.perform(editWrite(fixture, held))),
    )
    await until('they wait', isWaiting(fixture))
    const [answer, ms] = await timed(fixture.engine.perform(createWrite(fixture)))
    assert.equal(answer, 'done')
    assert(ms < 2_000, `a member that needs no lock waited for ${ms} ms`)
    await release()
    const outcomes = await Promise.all(waiting)
    const done = outcomes.filter(([answer]) => answer === 'done').length
    assert.equal((await documentOf(fixture, held)).revision, 1 + done)
  })

  test('an organization’s head held elsewhere: 503 after the lock timeout, other lanes go on, the next write works', async () => {
    const fixture = fixtures.pop()!
    const id = await insertDraft(fixture)
    const release = await lockCounters(fixture)
    const members = Array.from({ length: 4 }, () =>
      timed(fixture.engine.perform(editWrite(fixture, id))),
    )
    await until('they wait', isWaiting(fixture))
    const { counterparty } = fixture
    const other = exampleWrite({
      organization: counterparty,
      needs: { counters: [counterparty] },
      decide: (unit) => {
        changeTime(unit, [counterparty])
        return { status: 200, body: '{}' }
      },
    })
    const [answer, ms] = await timed(fixture.engine.perform(other))
    assert.equal(answer, 'done')
    assert(ms < limits.lockTimeoutMs, `the other lane waited for ${ms} ms`)
    const outcomes = await Promise.all(members)
    assert.deepEqual(new Set(outcomes.map(([said]) => said)), new Set(['service_unavailable']))
    const longest = Math.max(...outcomes.map(([, ms]) => ms))
    // The batch waits once, then its members one by one, as long as the queue's patience lasts.
    const most = limits.queueMaxWaitMs + 2 * limits.lockTimeoutMs
    assert(longest < most, `the last answer came after ${longest} ms`)
    await release()
    assert.equal(outcomeCode(await fixture.engine.perform(editWrite(fixture, id))), 'done')
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
  })
})
