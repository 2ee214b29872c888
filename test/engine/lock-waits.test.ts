/** Locks held by others: which writes wait, how long, and which other writes that delays. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { limits } from '../../src/contract/limits.ts'
import type { WriteOutcome } from '../../src/engine/write-request.ts'
import { type SqlQuery, sql } from '../../src/database/sql.ts'
import { stuckAfterMs, until } from '../support/until.ts'
import {
  type EngineFixture,
  assertRowsConsistent,
  countRows,
  documentOf,
  openConnection,
  openEngineFixture,
} from '../support/engine/engine-fixture.ts'
import {
  insertDraft,
  createWrite,
  editWrite,
  exampleWrite,
  outcomeCode,
} from '../support/engine/example-writes.ts'

// Each test has its own database, so the tests can wait concurrently.
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

/** Locks these rows in another transaction, and returns a function that ends it. */
const lockRows = async (fixture: EngineFixture, rows: SqlQuery): Promise<() => Promise<void>> => {
  const foreign = await openConnection(fixture.url)
  await foreign.run(sql`begin`)
  assert((await foreign.run(rows)) > 0, 'a row is locked')
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

/** The code of the outcome, and how long it took. */
const timed = async (outcome: Promise<WriteOutcome>): Promise<[string, number]> => {
  const startedAt = performance.now()
  return [outcomeCode(await outcome), performance.now() - startedAt]
}

/** A wait of lockTimeoutMs for a document that is locked, or until it is released. */
const waitForLock = async (fixture: EngineFixture, id: string): Promise<[string, number]> => {
  const other = await openConnection(fixture.url)
  await other.script(`set lock_timeout = ${limits.lockTimeoutMs}`)
  await other.run(sql`select from documents where id = ${id} for update`).catch(() => {})
  return ['lock_timeout', 0]
}

test('a write of a locked document is postponed; the rest of its batch does not wait', async (t) => {
  // As long as a busy machine needs to see that it waits, and to release the lock.
  t.mock.property(limits, 'lockWaitMs', stuckAfterMs as never)
  const fixture = fixtures.pop()!
  const [held, free] = [await insertDraft(fixture), await insertDraft(fixture)]
  const release = await lockDocument(fixture, held)
  const [late, ...others] = [
    editWrite(fixture, held),
    editWrite(fixture, free),
    createWrite(fixture),
  ].map((one) => fixture.engine.perform(one))
  assert.deepEqual((await Promise.all(others)).map(outcomeCode), ['done', 'done'])
  await until('the postponed write waits for the lock', isWaiting(fixture))
  await release()
  assert.equal(outcomeCode(await late!), 'done')
  assert.equal((await documentOf(fixture, held)).revision, 2)
  await assertRowsConsistent(fixture)
})

describe('engine 1.4: rows locked by another transaction', { concurrency: true }, () => {
  test('after three attempts it waits alone for lockWaitMs, then gets 503, and its key is free', async () => {
    const fixture = fixtures.pop()!
    const held = await insertDraft(fixture)
    const release = await lockDocument(fixture, held)
    const key = 'waited-in-vain'
    let isOver = false
    const late = timed(fixture.engine.perform(editWrite(fixture, held, { key })))
    void late.finally(() => (isOver = true))
    // A busy machine may look only after its wait.
    await until('it waits alone', async () => isOver || (await isWaiting(fixture)()))
    const longer = waitForLock(fixture, held)
    const [code, ms] = await Promise.race([late, longer])
    assert.equal(code, 'service_unavailable', 'its lane waits for less than lockTimeoutMs')
    assert(ms >= limits.lockWaitMs, `it waited for ${ms} ms`)
    await release()
    await longer
    assert.equal(
      outcomeCode(await fixture.engine.perform(editWrite(fixture, held, { key }))),
      'done',
    )
    await assertRowsConsistent(fixture)
  })

  test('several writes of one locked document do not block the lane one after the other', async () => {
    const fixture = fixtures.pop()!
    const held = await insertDraft(fixture)
    const release = await lockDocument(fixture, held)
    let answered = 0
    const waiting = Array.from({ length: 20 }, async () => {
      const outcome = await fixture.engine.perform(editWrite(fixture, held))
      answered += 1
      return outcomeCode(outcome)
    })
    await until('they wait', isWaiting(fixture))
    assert.equal(outcomeCode(await fixture.engine.perform(createWrite(fixture))), 'done')
    assert(answered < waiting.length, 'a write that needs no lock is not the last one')
    await release()
    const done = (await Promise.all(waiting)).filter((code) => code === 'done').length
    assert.equal((await documentOf(fixture, held)).revision, 1 + done)
  })

  test('while an organization’s counters are locked, its writes get 503 after the lock timeout, and other lanes continue', async () => {
    const fixture = fixtures.pop()!
    const id = await insertDraft(fixture)
    const release = await lockCounters(fixture)
    let answered = 0
    const writes = Array.from({ length: 4 }, async () => {
      const outcome = await fixture.engine.perform(editWrite(fixture, id))
      answered += 1
      return outcomeCode(outcome)
    })
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
    assert.equal(outcomeCode(await fixture.engine.perform(other)), 'done')
    assert(answered < writes.length, 'the other lane does not wait for this one')
    const outcomes = await Promise.all(writes)
    assert.deepEqual(new Set(outcomes), new Set(['service_unavailable']))
    await release()
    assert.equal(outcomeCode(await fixture.engine.perform(editWrite(fixture, id))), 'done')
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
  })
})
