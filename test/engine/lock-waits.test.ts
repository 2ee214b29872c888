/** Locks held elsewhere: who waits for them, how long, and whom that delays. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Outcome } from '../../src/engine/write-request.ts'
import { type Query, sql } from '../../src/database/sql.ts'
import { until } from '../support/service.ts'
import {
  type Toy,
  aDraft,
  assertWhole,
  count,
  creates,
  documentOf,
  edits,
  member,
  openConnection,
  openToy,
  said,
} from '../support/database/example-writes.ts'

// Each test has a database of its own, so that they may wait at the same time.
const toys = [await openToy(), await openToy(), await openToy(), await openToy()]

const isWaiting = (toy: Toy) => async () =>
  (await count(
    toy,
    sql`select from pg_stat_activity where datname = current_database()
      and application_name like 'docex lane%' and wait_event_type = 'Lock'`,
  )) > 0

/** A transaction of somebody else that took these rows; answers what ends it. */
const lock = async (toy: Toy, rows: Query): Promise<() => Promise<void>> => {
  const foreign = await openConnection(toy.url)
  await foreign.run(sql`begin`)
  assert((await foreign.run(rows)) > 0, 'there is something to lock')
  return async () => {
    await foreign.run(sql`rollback`)
  }
}

const lockDocument = (toy: Toy, id: string) =>
  lock(toy, sql`select from documents where id = ${id} for update`)

const lockHead = (toy: Toy) =>
  lock(toy, sql`select from organization_heads where organization_id = ${toy.issuer} for update`)

/** The outcome, and how long it took. */
const timed = async (outcome: Promise<Outcome>): Promise<[string, number]> => {
  const startedAt = performance.now()
  return [said(await outcome), performance.now() - startedAt]
}

describe('engine 1.4: a document locked elsewhere', { concurrency: true }, () => {
  test('its member is postponed: the others of the batch do not wait, and it succeeds after the release', async () => {
    const toy = toys.pop()!
    const [held, free] = [await aDraft(toy), await aDraft(toy)]
    const release = await lockDocument(toy, held)
    const [late, ...others] = [edits(toy, held), edits(toy, free), creates(toy)].map((one) =>
      toy.engine.perform(one),
    )
    assert.deepEqual((await Promise.all(others)).map(said), ['done', 'done'])
    await until('the postponed member waits for the lock', isWaiting(toy))
    await release()
    assert.equal(said(await late!), 'done')
    assert.equal((await documentOf(toy, held)).revision, 2)
    await assertWhole(toy)
  })

  test('after three times it waits alone for lockWaitMs, then answers 503 and leaves its key free', async () => {
    const toy = toys.pop()!
    const held = await aDraft(toy)
    const release = await lockDocument(toy, held)
    const key = 'waited-in-vain'
    const [answer, ms] = await timed(toy.engine.perform(edits(toy, held, { key })))
    assert.equal(answer, 'service_unavailable')
    assert(ms >= limits.lockWaitMs, `it waited for ${ms} ms`)
    assert(ms < limits.lockTimeoutMs, `it waited for ${ms} ms, and its lane with it`)
    await release()
    assert.equal(said(await toy.engine.perform(edits(toy, held, { key }))), 'done')
    await assertWhole(toy)
  })

  test('several members of one held document do not hold up the lane one after the other', async () => {
    const toy = toys.pop()!
    const held = await aDraft(toy)
    const release = await lockDocument(toy, held)
    const waiting = Array.from({ length: 20 }, () => timed(toy.engine.perform(edits(toy, held))))
    await until('they wait', isWaiting(toy))
    const [answer, ms] = await timed(toy.engine.perform(creates(toy)))
    assert.equal(answer, 'done')
    assert(ms < 2_000, `a member that needs no lock waited for ${ms} ms`)
    await release()
    const outcomes = await Promise.all(waiting)
    const done = outcomes.filter(([answer]) => answer === 'done').length
    assert.equal((await documentOf(toy, held)).revision, 1 + done)
  })

  test('an organization’s head held elsewhere: 503 after the lock timeout, other lanes go on, the next write works', async () => {
    const toy = toys.pop()!
    const id = await aDraft(toy)
    const release = await lockHead(toy)
    const members = Array.from({ length: 4 }, () => timed(toy.engine.perform(edits(toy, id))))
    await until('they wait', isWaiting(toy))
    const { counterparty } = toy
    const other = member({
      organization: counterparty,
      needs: { heads: [counterparty] },
      decide: (world) => {
        changeTime(world, [counterparty])
        return { status: 200, body: '{}' }
      },
    })
    const [answer, ms] = await timed(toy.engine.perform(other))
    assert.equal(answer, 'done')
    assert(ms < limits.lockTimeoutMs, `the other lane waited for ${ms} ms`)
    const outcomes = await Promise.all(members)
    assert.deepEqual(new Set(outcomes.map(([said]) => said)), new Set(['service_unavailable']))
    const longest = Math.max(...outcomes.map(([, ms]) => ms))
    // The batch waits once, then its members one by one, as long as the queue's patience lasts.
    const most = limits.queueMaxWaitMs + 2 * limits.lockTimeoutMs
    assert(longest < most, `the last answer came after ${longest} ms`)
    await release()
    assert.equal(said(await toy.engine.perform(edits(toy, id))), 'done')
    assert.equal((await documentOf(toy, id)).revision, 2)
    await assertWhole(toy)
  })
})
