/** Where a transaction ends: answers leave after COMMIT, and a lost one has no second effect. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refuse } from '../../src/contract/errors.ts'
import type { Member, Outcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import { type CommitFault, startProxy } from '../support/database/proxy.ts'
import { until } from '../support/service.ts'
import {
  aDraft,
  anEngine,
  assertWhole,
  bodyOf,
  count,
  creates,
  documentOf,
  edits,
  loopbackUrl,
  member,
  openConnection,
  openToy,
  said,
} from '../support/database/example-writes.ts'

const toy = await openToy()
const proxy = await startProxy(await loopbackUrl(toy.url))
/** Its database is behind the proxy; `toy.engine` is another process on the same database. */
const engine = anEngine(proxy.url)
const documents = () => count(toy, sql`select from documents`)
const perform = (members: readonly Member[]): Promise<Outcome[]> =>
  Promise.all(members.map((one) => engine.perform(one)))

/** A member that says no, in a batch of its own or of others. */
const refusing = (key: string) =>
  member({
    organization: toy.issuer,
    key,
    needs: {},
    decide: () => {
      throw refuse('conflict', 'No.')
    },
  })

/** What the next COMMIT meets; those after it pass. */
const nextCommit = (fault: CommitFault): void => {
  proxy.onCommit = () => {
    proxy.onCommit = () => 'pass'
    return fault
  }
}

describe('engine 1.1: answers leave after COMMIT', () => {
  test('done, refused and replayed members of one batch all wait for it', async () => {
    const key = 'kept-before'
    await engine.perform(creates(toy, { key }))
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    proxy.onCommit = async (): Promise<CommitFault> => {
      arrived.resolve()
      await held.promise
      return 'pass'
    }
    let answered = 0
    const members = [creates(toy), refusing('refused-key'), creates(toy, { key })]
    const outcomes = members.map(async (one) => {
      const outcome = await engine.perform(one)
      answered += 1
      return said(outcome)
    })
    await arrived.promise
    // Another process is told so at once: it does not wait for the rows that the batch holds.
    const elsewhere = await Promise.all([
      toy.engine.perform(refusing('refused-key')),
      toy.engine.perform(creates(toy, { key })),
    ])
    assert.deepEqual(elsewhere.map(said), ['conflict', 'conflict'])
    for (const outcome of elsewhere) {
      assert(outcome.kind === 'refused')
      assert.equal(outcome.refusal.details?.['reason'], 'request_in_progress')
    }
    assert.equal(answered, 0)
    held.resolve()
    assert.deepEqual(await Promise.all(outcomes), ['done', 'conflict', 'replayed'])
    proxy.onCommit = () => 'pass'
  })

  test('an instant retry in another process never meets the lock of the answered attempt', async () => {
    for (let round = 0; round < 40; round += 1) {
      const key = `instant-${round}`
      const [first, , no] = await perform([
        creates(toy, { key }),
        creates(toy),
        refusing(`no-${round}`),
      ])
      const again = await toy.engine.perform(creates(toy, { key }))
      assert.equal(said(again), 'replayed')
      assert.deepEqual(bodyOf(again), bodyOf(first!))
      assert.equal(said(no!), 'conflict')
      const afterRefusal = await toy.engine.perform(creates(toy, { key: `no-${round}` }))
      assert.equal(said(afterRefusal), 'done')
    }
    await assertWhole(toy)
  })
})

describe('engine 1.4: the connection breaks', () => {
  test('a COMMIT of a transaction that has failed is no success, though PostgreSQL fulfils it', async () => {
    const connection = await openConnection(toy.url)
    const [begun, failed, committed] = await Promise.allSettled([
      connection.run(sql`begin`),
      connection.run(sql`select 1 / 0`),
      connection.commit(),
    ])
    assert.deepEqual(
      [begun.status, failed.status, committed.status],
      ['fulfilled', 'rejected', 'rejected'],
    )
  })

  test('in COMMIT, its answer lost: 503 to all, and the retry replays the one effect', async () => {
    const id = await aDraft(toy)
    const before = await documents()
    const members = [creates(toy), edits(toy, id), creates(toy)]
    nextCommit('lose the answer')
    const outcomes = await perform(members)
    assert.deepEqual(new Set(outcomes.map(said)), new Set(['service_unavailable']))
    await until('the transaction stands', async () => (await documents()) === before + 2)
    const again = await perform(members)
    assert.deepEqual(new Set(again.map(said)), new Set(['replayed']))
    assert.equal((await documentOf(toy, id)).revision, 2)
    assert.equal(await documents(), before + 2)
    await assertWhole(toy)
  })

  test('before COMMIT arrived: 503 to all, nothing is kept, and the retry executes', async () => {
    const id = await aDraft(toy)
    const before = await documents()
    const members = [creates(toy), edits(toy, id), creates(toy)]
    nextCommit('lose the request')
    const outcomes = await perform(members)
    assert.deepEqual(new Set(outcomes.map(said)), new Set(['service_unavailable']))
    assert.equal(await documents(), before)
    await performUntilFree(members)
    assert.equal(await documents(), before + 2)
    assert.equal((await documentOf(toy, id)).revision, 2)
    await assertWhole(toy)
  })

  test('in a decision: 503 or success for each, never half, and the next write works', async () => {
    const id = await aDraft(toy)
    const before = await documents()
    const killer = creates(toy)
    const { write } = killer
    assert(write.kind === 'decided')
    const decide: typeof write.decide = (world) => {
      proxy.cut()
      return write.decide(world)
    }
    const members = [creates(toy), edits(toy, id), creates(toy)]
    const outcomes = await perform([...members, { ...killer, write: { ...write, decide } }])
    await assertAllOrNothing(outcomes, before)
    await performUntilFree(members)
    assert.equal((await documentOf(toy, id)).revision, 2)
    await assertWhole(toy)
  })

  for (const [moment, held] of [
    ['load', sql`select from organization_heads where organization_id = ${toy.issuer} for update`],
    ['write', sql`lock table prov_event in share mode`],
  ] as const) {
    test(`by pg_terminate_backend while the batch is in its ${moment}: never half, and the next write works`, async () => {
      const id = await aDraft(toy)
      const before = await documents()
      const foreign = await openConnection(toy.url)
      await foreign.run(sql`begin`)
      await foreign.run(held)
      const members = [creates(toy), edits(toy, id), creates(toy)]
      const performed = perform(members)
      const victims = sql`select pid from pg_stat_activity where datname = current_database()
        and application_name like 'docex lane%' and wait_event_type = 'Lock'`
      await until('the batch waits', async () => (await count(toy, victims)) > 0)
      await toy.db.run(sql`select pg_terminate_backend(pid) from (${victims}) v`)
      await foreign.run(sql`rollback`)
      await assertAllOrNothing(await performed, before)
      await performUntilFree(members)
      assert.equal(await documents(), before + 2)
      assert.equal((await documentOf(toy, id)).revision, 2)
      await assertWhole(toy)
    })
  }

  test('by pg_terminate_backend when COMMIT is on its way: never half, and the next write works', async () => {
    const before = await documents()
    const members = [creates(toy), creates(toy)]
    proxy.onCommit = async (): Promise<CommitFault> => {
      proxy.onCommit = () => 'pass'
      await toy.db.run(sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database()
          and application_name like 'docex lane%' and state = 'idle in transaction'`)
      return 'pass'
    }
    await assertAllOrNothing(await perform(members), before)
    await performUntilFree(members)
    assert.equal(await documents(), before + 2)
    await assertWhole(toy)
  })

  test('again and again, at every COMMIT by chance: one effect per key, numbers without a gap', async () => {
    const before = await documents()
    const faults: CommitFault[] = ['lose the answer', 'pass', 'lose the request', 'pass', 'pass']
    proxy.onCommit = () => faults[proxy.commits % faults.length]!
    const met: Record<string, number> = {}
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let round = 0; round < 8; round += 1) {
          const one = creates(toy)
          await until('the key has its effect', async () => {
            const outcome = await engine.perform(one)
            met[said(outcome)] = (met[said(outcome)] ?? 0) + 1
            return outcome.kind !== 'refused'
          })
        }
      }),
    )
    proxy.onCommit = () => 'pass'
    assert.equal(await documents(), before + 96)
    assert.equal(met['done']! + met['replayed']!, 96)
    for (const kind of ['done', 'replayed', 'service_unavailable']) assert(met[kind]! > 0, kind)
    await assertWhole(toy)
  })
})

/** Each answer is done or 503, and every done one stands. */
const assertAllOrNothing = async (outcomes: Outcome[], before: number): Promise<void> => {
  const kinds = new Set(outcomes.map(said))
  for (const kind of kinds) assert(['done', 'replayed', 'service_unavailable'].includes(kind), kind)
  const created = outcomes.filter((outcome) => outcome.kind !== 'refused').map((one) => bodyOf(one))
  for (const { id } of created) {
    assert.equal(await count(toy, sql`select from documents where id = ${id}`), 1)
  }
  assert((await documents()) >= before)
  await assertWhole(toy)
}

/** A lock of the broken connection may outlive it for a moment: 409 until PostgreSQL noticed. */
const performUntilFree = (members: readonly Member[]): Promise<void> =>
  until('the keys are free, and none is refused', async () => {
    const outcomes = await perform(members)
    return outcomes.every(({ kind }) => kind !== 'refused')
  })
