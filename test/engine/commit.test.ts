/** Where a transaction ends: answers leave after COMMIT, and a lost one has no second effect. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refuse } from '../../src/contract/errors.ts'
import type { WriteRequest, WriteOutcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import { type CommitFault, startDatabaseProxy } from '../support/database/database-proxy.ts'
import { until } from '../support/service.ts'
import {
  insertDraft,
  startEngine,
  assertRowsConsistent,
  bodyOf,
  countRows,
  createWrite,
  documentOf,
  editWrite,
  loopbackUrl,
  exampleWrite,
  openConnection,
  openEngineFixture,
  outcomeCode,
} from '../support/database/example-writes.ts'

const fixture = await openEngineFixture()
const proxy = await startDatabaseProxy(await loopbackUrl(fixture.url))
/** Its database is behind the proxy; `toy.engine` is another process on the same database. */
const engine = startEngine(proxy.url)
const documents = () => countRows(fixture, sql`select from documents`)
const perform = (members: readonly WriteRequest[]): Promise<WriteOutcome[]> =>
  Promise.all(members.map((one) => engine.perform(one)))

/** A member that says no, in a batch of its own or of others. */
const refusedWrite = (key: string) =>
  exampleWrite({
    organization: fixture.issuer,
    key,
    needs: {},
    decide: () => {
      throw refuse('conflict', 'No.')
    },
  })

/** What the next COMMIT meets; those after it pass. */
const faultNextCommit = (fault: CommitFault): void => {
  proxy.onCommit = () => {
    proxy.onCommit = () => 'pass'
    return fault
  }
}

describe('engine 1.1: answers leave after COMMIT', () => {
  test('done, refused and replayed members of one batch all wait for it', async () => {
    const key = 'kept-before'
    await engine.perform(createWrite(fixture, { key }))
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    proxy.onCommit = async (): Promise<CommitFault> => {
      arrived.resolve()
      await held.promise
      return 'pass'
    }
    let answered = 0
    const members = [
      createWrite(fixture),
      refusedWrite('refused-key'),
      createWrite(fixture, { key }),
    ]
    const outcomes = members.map(async (one) => {
      const outcome = await engine.perform(one)
      answered += 1
      return outcomeCode(outcome)
    })
    await arrived.promise
    // Another process is told so at once: it does not wait for the rows that the batch holds.
    const elsewhere = await Promise.all([
      fixture.engine.perform(refusedWrite('refused-key')),
      fixture.engine.perform(createWrite(fixture, { key })),
    ])
    assert.deepEqual(elsewhere.map(outcomeCode), ['conflict', 'conflict'])
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
        createWrite(fixture, { key }),
        createWrite(fixture),
        refusedWrite(`no-${round}`),
      ])
      const again = await fixture.engine.perform(createWrite(fixture, { key }))
      assert.equal(outcomeCode(again), 'replayed')
      assert.deepEqual(bodyOf(again), bodyOf(first!))
      assert.equal(outcomeCode(no!), 'conflict')
      const afterRefusal = await fixture.engine.perform(
        createWrite(fixture, { key: `no-${round}` }),
      )
      assert.equal(outcomeCode(afterRefusal), 'done')
    }
    await assertRowsConsistent(fixture)
  })
})

describe('engine 1.4: the connection breaks', () => {
  test('a COMMIT of a transaction that has failed is no success, though PostgreSQL fulfils it', async () => {
    const connection = await openConnection(fixture.url)
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
    const id = await insertDraft(fixture)
    const before = await documents()
    const members = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    faultNextCommit('lose the answer')
    const outcomes = await perform(members)
    assert.deepEqual(new Set(outcomes.map(outcomeCode)), new Set(['service_unavailable']))
    await until('the transaction stands', async () => (await documents()) === before + 2)
    const again = await perform(members)
    assert.deepEqual(new Set(again.map(outcomeCode)), new Set(['replayed']))
    assert.equal((await documentOf(fixture, id)).revision, 2)
    assert.equal(await documents(), before + 2)
    await assertRowsConsistent(fixture)
  })

  test('before COMMIT arrived: 503 to all, nothing is kept, and the retry executes', async () => {
    const id = await insertDraft(fixture)
    const before = await documents()
    const members = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    faultNextCommit('lose the request')
    const outcomes = await perform(members)
    assert.deepEqual(new Set(outcomes.map(outcomeCode)), new Set(['service_unavailable']))
    assert.equal(await documents(), before)
    await performUntilFree(members)
    assert.equal(await documents(), before + 2)
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
  })

  test('in a decision: 503 or success for each, never half, and the next write works', async () => {
    const id = await insertDraft(fixture)
    const before = await documents()
    const killer = createWrite(fixture)
    const { write } = killer
    assert(write.kind === 'batched')
    const decide: typeof write.decide = (unit) => {
      proxy.disconnectAll()
      return write.decide(unit)
    }
    const members = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    const outcomes = await perform([...members, { ...killer, write: { ...write, decide } }])
    await assertAllOrNothing(outcomes, before)
    await performUntilFree(members)
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
  })

  for (const [moment, held] of [
    [
      'load',
      sql`select from organization_counters where organization_id = ${fixture.issuer} for update`,
    ],
    ['write', sql`lock table prov_event in share mode`],
  ] as const) {
    test(`by pg_terminate_backend while the batch is in its ${moment}: never half, and the next write works`, async () => {
      const id = await insertDraft(fixture)
      const before = await documents()
      const foreign = await openConnection(fixture.url)
      await foreign.run(sql`begin`)
      await foreign.run(held)
      const members = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
      const performed = perform(members)
      const victims = sql`select pid from pg_stat_activity where datname = current_database()
        and application_name like 'docex lane%' and wait_event_type = 'Lock'`
      await until('the batch waits', async () => (await countRows(fixture, victims)) > 0)
      await fixture.db.run(sql`select pg_terminate_backend(pid) from (${victims}) v`)
      await foreign.run(sql`rollback`)
      await assertAllOrNothing(await performed, before)
      await performUntilFree(members)
      assert.equal(await documents(), before + 2)
      assert.equal((await documentOf(fixture, id)).revision, 2)
      await assertRowsConsistent(fixture)
    })
  }

  test('by pg_terminate_backend when COMMIT is on its way: never half, and the next write works', async () => {
    const before = await documents()
    const members = [createWrite(fixture), createWrite(fixture)]
    proxy.onCommit = async (): Promise<CommitFault> => {
      proxy.onCommit = () => 'pass'
      await fixture.db.run(sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database()
          and application_name like 'docex lane%' and state = 'idle in transaction'`)
      return 'pass'
    }
    await assertAllOrNothing(await perform(members), before)
    await performUntilFree(members)
    assert.equal(await documents(), before + 2)
    await assertRowsConsistent(fixture)
  })

  test('again and again, at every COMMIT by chance: one effect per key, numbers without a gap', async () => {
    const before = await documents()
    const faults: CommitFault[] = ['lose the answer', 'pass', 'lose the request', 'pass', 'pass']
    proxy.onCommit = () => faults[proxy.commitCount % faults.length]!
    const outcomeCounts: Record<string, number> = {}
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let round = 0; round < 8; round += 1) {
          const one = createWrite(fixture)
          await until('the key has its effect', async () => {
            const outcome = await engine.perform(one)
            outcomeCounts[outcomeCode(outcome)] = (outcomeCounts[outcomeCode(outcome)] ?? 0) + 1
            return outcome.kind !== 'refused'
          })
        }
      }),
    )
    proxy.onCommit = () => 'pass'
    assert.equal(await documents(), before + 96)
    assert.equal(outcomeCounts['done']! + outcomeCounts['replayed']!, 96)
    for (const kind of ['done', 'replayed', 'service_unavailable'])
      assert(outcomeCounts[kind]! > 0, kind)
    await assertRowsConsistent(fixture)
  })
})

/** Each answer is done or 503, and every done one stands. */
const assertAllOrNothing = async (outcomes: WriteOutcome[], before: number): Promise<void> => {
  const kinds = new Set(outcomes.map(outcomeCode))
  for (const kind of kinds) assert(['done', 'replayed', 'service_unavailable'].includes(kind), kind)
  const created = outcomes.filter((outcome) => outcome.kind !== 'refused').map((one) => bodyOf(one))
  for (const { id } of created) {
    assert.equal(await countRows(fixture, sql`select from documents where id = ${id}`), 1)
  }
  assert((await documents()) >= before)
  await assertRowsConsistent(fixture)
}

/** A lock of the broken connection may outlive it for a moment: 409 until PostgreSQL noticed. */
const performUntilFree = (members: readonly WriteRequest[]): Promise<void> =>
  until('the keys are free, and none is refused', async () => {
    const outcomes = await perform(members)
    return outcomes.every(({ kind }) => kind !== 'refused')
  })
