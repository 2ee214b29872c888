/** The end of a transaction: responses follow COMMIT, and a lost COMMIT has no second effect. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refuse } from '../../src/contract/errors.ts'
import type { WriteRequest, WriteOutcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import { type CommitFault, startDatabaseProxy } from '../support/database/database-proxy.ts'
import { until } from '../support/until.ts'
import {
  startEngine,
  assertRowsConsistent,
  countRows,
  documentOf,
  loopbackUrl,
  openConnection,
  openEngineFixture,
} from '../support/engine/engine-fixture.ts'
import {
  insertDraft,
  bodyOf,
  createWrite,
  editWrite,
  exampleWrite,
  outcomeCode,
} from '../support/engine/example-writes.ts'

const fixture = await openEngineFixture()
const proxy = await startDatabaseProxy(await loopbackUrl(fixture.url))
/** Uses the database through the proxy; `fixture.engine` acts as another process. */
const engine = startEngine(proxy.url)
const documents = () => countRows(fixture, sql`select from documents`)
const perform = (writes: readonly WriteRequest[]): Promise<WriteOutcome[]> =>
  Promise.all(writes.map((one) => engine.perform(one)))

/** A write that is refused. */
const refusedWrite = (key: string) =>
  exampleWrite({
    organization: fixture.issuer,
    key,
    needs: {},
    decide: () => {
      throw refuse('conflict', 'No.')
    },
  })

/** Injects a fault into the next COMMIT only. */
const faultNextCommit = (fault: CommitFault): void => {
  proxy.onCommit = () => {
    proxy.onCommit = () => 'pass'
    return fault
  }
}

describe('engine 1.1: responses leave after COMMIT', () => {
  test('done, refused and replayed writes of one batch all wait for COMMIT', async () => {
    const key = 'stored-before'
    await engine.perform(createWrite(fixture, { key }))
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    proxy.onCommit = async (): Promise<CommitFault> => {
      arrived.resolve()
      await held.promise
      return 'pass'
    }
    let respondedCount = 0
    const writes = [
      createWrite(fixture),
      refusedWrite('refused-key'),
      createWrite(fixture, { key }),
    ]
    const outcomes = writes.map(async (one) => {
      const outcome = await engine.perform(one)
      respondedCount += 1
      return outcomeCode(outcome)
    })
    await arrived.promise
    // Another process is refused at once: it does not wait for the locks of the batch.
    const elsewhere = await Promise.all([
      fixture.engine.perform(refusedWrite('refused-key')),
      fixture.engine.perform(createWrite(fixture, { key })),
    ])
    assert.deepEqual(elsewhere.map(outcomeCode), ['conflict', 'conflict'])
    for (const outcome of elsewhere) {
      assert(outcome.kind === 'refused')
      assert.equal(outcome.refusal.details?.['reason'], 'request_in_progress')
    }
    assert.equal(respondedCount, 0)
    held.resolve()
    assert.deepEqual(await Promise.all(outcomes), ['done', 'conflict', 'replayed'])
    proxy.onCommit = () => 'pass'
  })

  test('an immediate retry in another process never waits for a lock of the finished attempt', async () => {
    for (let round = 0; round < 40; round += 1) {
      const key = `instant-${round}`
      const [first, , refused] = await perform([
        createWrite(fixture, { key }),
        createWrite(fixture),
        refusedWrite(`no-${round}`),
      ])
      const again = await fixture.engine.perform(createWrite(fixture, { key }))
      assert.equal(outcomeCode(again), 'replayed')
      assert.deepEqual(bodyOf(again), bodyOf(first!))
      assert.equal(outcomeCode(refused!), 'conflict')
      const afterRefusal = await fixture.engine.perform(
        createWrite(fixture, { key: `no-${round}` }),
      )
      assert.equal(outcomeCode(afterRefusal), 'done')
    }
    await assertRowsConsistent(fixture)
  })
})

describe('engine 1.4: the connection breaks', () => {
  test('a COMMIT of a failed transaction is an error, although PostgreSQL accepts it', async () => {
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

  test('when the response to COMMIT is lost, all writes get 503, and a retry replays the one effect', async () => {
    const id = await insertDraft(fixture)
    const before = await documents()
    const writes = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    faultNextCommit('lose the response')
    const outcomes = await perform(writes)
    assert.deepEqual(new Set(outcomes.map(outcomeCode)), new Set(['service_unavailable']))
    await until('the transaction is committed', async () => (await documents()) === before + 2)
    const again = await perform(writes)
    assert.deepEqual(new Set(again.map(outcomeCode)), new Set(['replayed']))
    assert.equal((await documentOf(fixture, id)).revision, 2)
    assert.equal(await documents(), before + 2)
    await assertRowsConsistent(fixture)
  })

  test('when COMMIT is lost, all writes get 503, nothing is stored, and a retry executes', async () => {
    const id = await insertDraft(fixture)
    const before = await documents()
    const writes = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    faultNextCommit('lose the request')
    const outcomes = await perform(writes)
    assert.deepEqual(new Set(outcomes.map(outcomeCode)), new Set(['service_unavailable']))
    assert.equal(await documents(), before)
    await performUntilFree(writes)
    assert.equal(await documents(), before + 2)
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
  })

  test('when it breaks during a decision, each write gets 503 or success, never half an effect', async () => {
    const id = await insertDraft(fixture)
    const before = await documents()
    const breaking = createWrite(fixture)
    const { write } = breaking
    assert(write.kind === 'batched')
    const decide: typeof write.decide = (unit) => {
      proxy.disconnectAll()
      return write.decide(unit)
    }
    const writes = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
    const outcomes = await perform([...writes, { ...breaking, write: { ...write, decide } }])
    await assertAllOrNothing(outcomes, before)
    await performUntilFree(writes)
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
    test(`when PostgreSQL terminates it in the ${moment} phase, no write has half an effect, and the next one works`, async () => {
      const id = await insertDraft(fixture)
      const before = await documents()
      const foreign = await openConnection(fixture.url)
      await foreign.run(sql`begin`)
      await foreign.run(held)
      const writes = [createWrite(fixture), editWrite(fixture, id), createWrite(fixture)]
      const performed = perform(writes)
      const waiters = sql`select pid from pg_stat_activity where datname = current_database()
        and application_name like 'docex lane%' and wait_event_type = 'Lock'`
      await until('the batch waits', async () => (await countRows(fixture, waiters)) > 0)
      await fixture.db.run(sql`select pg_terminate_backend(pid) from (${waiters}) v`)
      await foreign.run(sql`rollback`)
      await assertAllOrNothing(await performed, before)
      await performUntilFree(writes)
      assert.equal(await documents(), before + 2)
      assert.equal((await documentOf(fixture, id)).revision, 2)
      await assertRowsConsistent(fixture)
    })
  }

  test('when PostgreSQL terminates it before COMMIT, no write has half an effect, and the next one works', async () => {
    const before = await documents()
    const writes = [createWrite(fixture), createWrite(fixture)]
    proxy.onCommit = async (): Promise<CommitFault> => {
      proxy.onCommit = () => 'pass'
      await fixture.db.run(sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database()
          and application_name like 'docex lane%' and state = 'idle in transaction'`)
      return 'pass'
    }
    await assertAllOrNothing(await perform(writes), before)
    await performUntilFree(writes)
    assert.equal(await documents(), before + 2)
    await assertRowsConsistent(fixture)
  })

  test('when it breaks at many COMMITs, each key has one effect, and numbers have no gap', async () => {
    const before = await documents()
    const faults: CommitFault[] = ['lose the response', 'pass', 'lose the request', 'pass', 'pass']
    proxy.onCommit = () => faults[proxy.commitCount % faults.length]!
    const outcomeCounts: Record<string, number> = {}
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let round = 0; round < 8; round += 1) {
          const write = createWrite(fixture)
          await until('the key has its effect', async () => {
            const outcome = await engine.perform(write)
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

/** Each outcome is done or 503, and every done write is stored. */
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

/** Retries while locks of a broken connection remain, until PostgreSQL notices that it is gone. */
const performUntilFree = (writes: readonly WriteRequest[]): Promise<void> =>
  until('no key is locked and no write is refused', async () => {
    const outcomes = await perform(writes)
    return outcomes.every(({ kind }) => kind !== 'refused')
  })
