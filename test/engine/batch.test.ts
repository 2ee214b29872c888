/** One transaction for many members: what each of them sees, and what it leaves to the others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { refuse } from '../../src/contract/errors.ts'
import type { Member, Outcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import {
  type Toy,
  aDraft,
  anEngine,
  assertWhole,
  bodyOf,
  cancels,
  count,
  creates,
  documentOf,
  edits,
  issues,
  member,
  openToy,
  said,
} from '../support/database/example-writes.ts'

const toy = await openToy()
const { engine } = toy

/** Members handed over in one turn of the event loop share a batch. */
const together = (members: readonly Member[], at: Toy = toy): Promise<Outcome[]> =>
  Promise.all(members.map((one) => at.engine.perform(one)))

const transactionsOf = (id: string) =>
  count(toy, sql`select distinct xmin::text from prov_event where document_id = ${id} and seq > 1`)

describe('engine 1.1: several members on one document', () => {
  test('edits of one batch build on each other: the final revision is 1 + their number', async () => {
    const id = await aDraft(toy)
    const outcomes = await together(Array.from({ length: 40 }, () => edits(toy, id)))
    assert.deepEqual(new Set(outcomes.map(said)), new Set(['done']))
    assert.deepEqual(
      outcomes.map((outcome) => bodyOf(outcome).revision),
      Array.from({ length: 40 }, (_, i) => i + 2),
    )
    const document = await documentOf(toy, id)
    assert.deepEqual([document.revision, document.total], [41, 40n])
    assert.equal(await transactionsOf(id), 1)
    await assertWhole(toy)
  })

  test('edits, issue and cancel race: what comes behind the issue is refused, nothing is lost', async () => {
    for (const ending of [issues, cancels]) {
      const id = await aDraft(toy)
      const outcomes = await together([
        edits(toy, id),
        edits(toy, id),
        ending(toy, id),
        cancels(toy, id),
        edits(toy, id),
        issues(toy, id),
      ])
      assert.deepEqual(outcomes.map(said), [
        'done',
        'done',
        'done',
        'conflict',
        'conflict',
        'conflict',
      ])
      const document = await documentOf(toy, id)
      assert.deepEqual([document.revision, document.total], [4, 2n])
      assert.equal(document.status, ending === issues ? 'submitted' : 'cancelled')
      assert.equal(await transactionsOf(id), 1)
    }
    await assertWhole(toy)
  })

  test('two processes on one document: the final revision is still 1 + the number of successes', async () => {
    const other = { ...toy, engine: anEngine(toy.url) }
    const id = await aDraft(toy)
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        // Not all in one turn, so that there are many batches.
        for (let turn = 0; turn < i % 12; turn += 1) await new Promise(setImmediate)
        return (i % 2 === 0 ? toy : other).engine.perform(edits(toy, id))
      }),
    )
    const done = outcomes.filter((outcome) => said(outcome) === 'done')
    const rest = outcomes.filter((outcome) => said(outcome) !== 'done').map(said)
    assert.deepEqual(new Set([...rest, 'service_unavailable']), new Set(['service_unavailable']))
    const document = await documentOf(toy, id)
    assert.deepEqual([document.revision, Number(document.total)], [1 + done.length, done.length])
    const revisions = done.map((outcome) => bodyOf(outcome).revision)
    assert.equal(new Set(revisions).size, done.length)
    await assertWhole(toy)
  })
})

describe('engine 1.2: a member that fails leaves the others alone', () => {
  test('a refused member keeps no change, no number and no key; the others are written', async () => {
    const before = await count(toy, sql`select from documents`)
    const spoilt = creates(toy)
    const refused = { ...spoilt, write: { ...spoilt.write, decide: refusing(spoilt) } } as Member
    const outcomes = await together([creates(toy), refused, creates(toy)])
    assert.deepEqual(outcomes.map(said), ['done', 'conflict', 'done'])
    assert.equal(await count(toy, sql`select from documents`), before + 2)
    await assertWhole(toy)
    // The key is free: the same member, without the refusal, runs.
    assert.equal(said(await engine.perform(spoilt)), 'done')
  })

  test('a dry member answers what would be, and leaves nothing for later members or the database', async () => {
    const id = await aDraft(toy)
    const dry = edits(toy, id, { dryRun: true, key: 'dry-edit' })
    const outcomes = await together([dry, edits(toy, id), creates(toy, { dryRun: true })])
    assert.deepEqual(outcomes.map(said), ['done', 'done', 'done'])
    assert.deepEqual([bodyOf(outcomes[0]!).revision, bodyOf(outcomes[1]!).revision], [2, 2])
    assert.equal((await documentOf(toy, id)).revision, 2)
    assert.equal(
      await count(toy, sql`select from documents where id = ${bodyOf(outcomes[2]!).id}`),
      0,
    )
    assert.equal(said(await engine.perform(edits(toy, id, { key: 'dry-edit' }))), 'done')
    await assertWhole(toy)
  })

  test('a member that breaks a constraint gets its own error, the others their answers', async () => {
    const id = await aDraft(toy)
    const before = await count(toy, sql`select from documents`)
    const key = 'poisoned-then-well'
    const settled = await Promise.allSettled([
      engine.perform(creates(toy)),
      engine.perform(creates(toy, { key, change: { total: -1n } })),
      engine.perform(edits(toy, id)),
      engine.perform(creates(toy)),
    ])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.match(String((settled[1] as PromiseRejectedResult).reason), /balance_is_never_negative/)
    assert.equal(await count(toy, sql`select from documents`), before + 2)
    assert.equal((await documentOf(toy, id)).revision, 2)
    await assertWhole(toy)
    assert.equal(said(await engine.perform(creates(toy, { key }))), 'done')
  })

  test('a decision that throws is that member’s error alone', async () => {
    const bug = (): never => {
      throw new Error('a bug')
    }
    const broken = member({ organization: toy.issuer, needs: {}, decide: bug })
    const settled = await Promise.allSettled([
      engine.perform(creates(toy)),
      engine.perform(broken),
      engine.perform(creates(toy)),
    ])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await assertWhole(toy)
  })
})

describe('contract 5: one key, one effect', () => {
  test('5.4 two equal keys in one batch: one runs, the other is told that it is running', async () => {
    const key = 'twice-in-one-batch'
    const before = await count(toy, sql`select from documents`)
    const outcomes = await together([creates(toy, { key }), creates(toy, { key })])
    assert.deepEqual(outcomes.map(said), ['done', 'conflict'])
    const [first] = outcomes
    const again = await engine.perform(creates(toy, { key }))
    assert.equal(said(again), 'replayed')
    assert.deepEqual(bodyOf(again), bodyOf(first!))
    assert.equal(await count(toy, sql`select from documents`), before + 1)
  })

  test('5.1 the same key of two organizations is two keys', async () => {
    const key = 'the-same-for-both'
    const both = [toy.issuer, toy.counterparty].map((organization) =>
      member({
        organization,
        key,
        needs: { heads: [organization] },
        decide: touches(organization),
      }),
    )
    assert.deepEqual((await together(both)).map(said), ['done', 'done'])
  })

  test('5.3 a member that only saves a row is written like any other', async () => {
    const id = await aDraft(toy)
    const quiet = member({
      organization: toy.issuer,
      key: null,
      needs: { documents: [id] },
      decide: (world) => {
        world.save('documents', { ...world.get('documents', id)!, metadata: '{"a":"b"}' })
        return { status: 200, body: '{}' }
      },
    })
    assert.equal(said(await engine.perform(quiet)), 'done')
    assert.equal((await documentOf(toy, id)).metadata, '{"a":"b"}')
  })
})

const touches = (organization: string) => (world: Parameters<typeof changeTime>[0]) => {
  changeTime(world, [organization])
  return { status: 200 as const, body: '{}' }
}

/** Decides like the member, then says no. */
const refusing = (one: Member) => (world: Parameters<typeof changeTime>[0]) => {
  if (one.write.kind === 'decided') one.write.decide(world)
  throw refuse('conflict', 'No, after all.')
}
