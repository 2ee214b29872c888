/** Who waits, and how long the queue may get. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Member, Outcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import {
  anOrganization,
  assertWhole,
  count,
  creates,
  member,
  openToy,
  said,
} from '../support/database/example-writes.ts'

const toy = await openToy()
const { engine } = toy
const many = (length: number, make: (i: number) => Member): Member[] =>
  Array.from({ length }, (_, i) => make(i))
const perform = (members: readonly Member[]): Promise<Outcome[]> =>
  Promise.all(members.map((one) => engine.perform(one)))

/** A write that costs next to nothing. */
const touches = (organization: string, bytes?: number): Member =>
  member({
    organization,
    key: null,
    needs: { heads: [organization] },
    ...(bytes === undefined ? {} : { bytes }),
    decide: (world) => {
      changeTime(world, [organization])
      return { status: 200, body: '{}' }
    },
  })

describe('engine 1.4: the queue of a lane', () => {
  test('beyond its cap a member is refused at once with 503, and its key is free', async () => {
    const extra = 100
    const members = many(limits.queueMaxMembers + extra, (i) =>
      creates(toy, { key: `cap-${i}-key` }),
    )
    const performed = members.map((one) => engine.perform(one))
    // Refused without a round trip: before any of those that are taken.
    assert.equal(said(await Promise.race(performed)), 'service_unavailable')
    const refused = await Promise.all(performed.slice(-extra))
    assert.deepEqual(new Set(refused.map(said)), new Set(['service_unavailable']))
    const accepted = await Promise.all(performed.slice(0, -extra))
    assert.deepEqual(new Set(accepted.map(said)), new Set(['done']))
    const [one] = refused
    assert(one?.kind === 'refused')
    assert.equal(one.refusal.retryAfterSeconds, 1)
    const again = await perform(members.slice(-extra))
    assert.deepEqual(new Set(again.map(said)), new Set(['done']))
    await assertWhole(toy)
  })

  test('the cap counts bytes as well, and each lane for itself', async () => {
    const size = limits.queueMaxBytes / 8
    const performed = perform(many(10, () => touches(toy.issuer, size)))
    const other = engine.perform(touches(toy.counterparty, size))
    assert.deepEqual((await performed).map(said), [
      ...Array.from({ length: 8 }, () => 'done'),
      'service_unavailable',
      'service_unavailable',
    ])
    assert.equal(said(await other), 'done')
  })

  test('an organization with 500 waiting members does not delay another’s single one by more than a batch', async () => {
    const other = await anOrganization(toy.db, 0)
    let answered = 0
    const hog = many(500, () => creates(toy)).map(async (one) => {
      await engine.perform(one)
      answered += 1
    })
    await Promise.race(hog)
    const before = answered
    assert(before <= 2 * limits.batchMaxMembers)
    const outcome = await engine.perform(touches(other))
    assert.equal(said(outcome), 'done')
    // The batch that ran, and the one that it is part of.
    const between = answered - before
    assert(between <= 2 * limits.batchMaxMembers, `${between} others were answered first`)
    await Promise.all(hog)
  })

  test('a batch takes 48 members, or 1 MiB of them', async () => {
    const transactions = () => count(toy, sql`select distinct xmin::text from prov_event`)
    const before = await transactions()
    await perform(many(2 * limits.batchMaxMembers, () => creates(toy)))
    assert.equal((await transactions()) - before, 2)
    await perform(many(4, () => creates(toy, { bytes: limits.batchMaxBytes / 2 })))
    assert.equal((await transactions()) - before, 4)
  })

  test('drained: resolves when nothing is waiting or running any more', async () => {
    let answered = 0
    const performed = many(200, () => creates(toy)).map(async (one) => {
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
