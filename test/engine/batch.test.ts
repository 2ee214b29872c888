/** Many writes in one transaction: what each write sees, and how a failure affects the others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeTime } from '../../src/changes/organization-counters.ts'
import { refuse } from '../../src/contract/errors.ts'
import type { WriteRequest, WriteOutcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import {
  type EngineFixture,
  startEngine,
  assertRowsConsistent,
  countRows,
  documentOf,
  openEngineFixture,
} from '../support/engine/engine-fixture.ts'
import {
  insertDraft,
  bodyOf,
  cancelWrite,
  createWrite,
  editWrite,
  issueWrite,
  exampleWrite,
  outcomeCode,
} from '../support/engine/example-writes.ts'

const fixture = await openEngineFixture()
const { engine } = fixture

/** Writes submitted in the same turn of the event loop share a batch. */
const performInOneBatch = (
  writes: readonly WriteRequest[],
  at: EngineFixture = fixture,
): Promise<WriteOutcome[]> => Promise.all(writes.map((one) => at.engine.perform(one)))

const transactionsOf = (id: string) =>
  countRows(
    fixture,
    sql`select distinct xmin::text from prov_event where document_id = ${id} and seq > 1`,
  )

describe('engine 1.1: several writes of one document', () => {
  test('edits in one batch build on each other: the final revision is 1 + their number', async () => {
    const id = await insertDraft(fixture)
    const outcomes = await performInOneBatch(
      Array.from({ length: 40 }, () => editWrite(fixture, id)),
    )
    assert.deepEqual(new Set(outcomes.map(outcomeCode)), new Set(['done']))
    assert.deepEqual(
      outcomes.map((outcome) => bodyOf(outcome).revision),
      Array.from({ length: 40 }, (_, i) => i + 2),
    )
    const document = await documentOf(fixture, id)
    assert.deepEqual([document.revision, document.total], [41, 40n])
    assert.equal(await transactionsOf(id), 1)
    await assertRowsConsistent(fixture)
  })

  test('edits, issue and cancel race: what follows the issue or cancel is refused, and nothing is lost', async () => {
    for (const ending of [issueWrite, cancelWrite]) {
      const id = await insertDraft(fixture)
      const outcomes = await performInOneBatch([
        editWrite(fixture, id),
        editWrite(fixture, id),
        ending(fixture, id),
        cancelWrite(fixture, id),
        editWrite(fixture, id),
        issueWrite(fixture, id),
      ])
      assert.deepEqual(outcomes.map(outcomeCode), [
        'done',
        'done',
        'done',
        'conflict',
        'conflict',
        'conflict',
      ])
      const document = await documentOf(fixture, id)
      assert.deepEqual([document.revision, document.total], [4, 2n])
      assert.equal(document.status, ending === issueWrite ? 'submitted' : 'cancelled')
      assert.equal(await transactionsOf(id), 1)
    }
    await assertRowsConsistent(fixture)
  })

  test('with two processes on one document, the final revision is still 1 + the number of successes', async () => {
    const other = { ...fixture, engine: startEngine(fixture.url) }
    const id = await insertDraft(fixture)
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        // The writes start in different turns, so there are many batches.
        for (let turn = 0; turn < i % 12; turn += 1) await new Promise(setImmediate)
        return (i % 2 === 0 ? fixture : other).engine.perform(editWrite(fixture, id))
      }),
    )
    const done = outcomes.filter((outcome) => outcomeCode(outcome) === 'done')
    const rest = outcomes.filter((outcome) => outcomeCode(outcome) !== 'done').map(outcomeCode)
    assert.deepEqual(new Set([...rest, 'service_unavailable']), new Set(['service_unavailable']))
    const document = await documentOf(fixture, id)
    assert.deepEqual([document.revision, Number(document.total)], [1 + done.length, done.length])
    const revisions = done.map((outcome) => bodyOf(outcome).revision)
    assert.equal(new Set(revisions).size, done.length)
    await assertRowsConsistent(fixture)
  })
})

describe('engine 1.2: a write that fails does not affect the others', () => {
  test('a refused write leaves no change, number or key; the other writes are done', async () => {
    const before = await countRows(fixture, sql`select from documents`)
    const original = createWrite(fixture)
    const refused = {
      ...original,
      write: { ...original.write, decide: decideThenRefuse(original) },
    } as WriteRequest
    const outcomes = await performInOneBatch([createWrite(fixture), refused, createWrite(fixture)])
    assert.deepEqual(outcomes.map(outcomeCode), ['done', 'conflict', 'done'])
    assert.equal(await countRows(fixture, sql`select from documents`), before + 2)
    await assertRowsConsistent(fixture)
    // The key is free: the same write runs without the refusal.
    assert.equal(outcomeCode(await engine.perform(original)), 'done')
  })

  test('a dry run shows its result, and leaves nothing for later writes or in the database', async () => {
    const id = await insertDraft(fixture)
    const dry = editWrite(fixture, id, { dryRun: true, key: 'dry-edit' })
    const outcomes = await performInOneBatch([
      dry,
      editWrite(fixture, id),
      createWrite(fixture, { dryRun: true }),
    ])
    assert.deepEqual(outcomes.map(outcomeCode), ['done', 'done', 'done'])
    assert.deepEqual([bodyOf(outcomes[0]!).revision, bodyOf(outcomes[1]!).revision], [2, 2])
    assert.equal((await documentOf(fixture, id)).revision, 2)
    assert.equal(
      await countRows(fixture, sql`select from documents where id = ${bodyOf(outcomes[2]!).id}`),
      0,
    )
    assert.equal(
      outcomeCode(await engine.perform(editWrite(fixture, id, { key: 'dry-edit' }))),
      'done',
    )
    await assertRowsConsistent(fixture)
  })

  test('a write that violates a constraint fails alone; the others succeed', async () => {
    const id = await insertDraft(fixture)
    const before = await countRows(fixture, sql`select from documents`)
    const key = 'invalid-then-valid'
    const settled = await Promise.allSettled([
      engine.perform(createWrite(fixture)),
      engine.perform(createWrite(fixture, { key, change: { total: -1n } })),
      engine.perform(editWrite(fixture, id)),
      engine.perform(createWrite(fixture)),
    ])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.match(String((settled[1] as PromiseRejectedResult).reason), /balance_is_never_negative/)
    assert.equal(await countRows(fixture, sql`select from documents`), before + 2)
    assert.equal((await documentOf(fixture, id)).revision, 2)
    await assertRowsConsistent(fixture)
    assert.equal(outcomeCode(await engine.perform(createWrite(fixture, { key }))), 'done')
  })

  test('a decision that throws fails only its own write', async () => {
    const bug = (): never => {
      throw new Error('a bug')
    }
    const broken = exampleWrite({ organization: fixture.issuer, needs: {}, decide: bug })
    const settled = await Promise.allSettled([
      engine.perform(createWrite(fixture)),
      engine.perform(broken),
      engine.perform(createWrite(fixture)),
    ])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await assertRowsConsistent(fixture)
  })
})

describe('contract 5: one key, one effect', () => {
  test('5.4 of two equal keys in one batch, one runs and the other is refused as in progress', async () => {
    const key = 'twice-in-one-batch'
    const before = await countRows(fixture, sql`select from documents`)
    const outcomes = await performInOneBatch([
      createWrite(fixture, { key }),
      createWrite(fixture, { key }),
    ])
    assert.deepEqual(outcomes.map(outcomeCode), ['done', 'conflict'])
    const [first] = outcomes
    const again = await engine.perform(createWrite(fixture, { key }))
    assert.equal(outcomeCode(again), 'replayed')
    assert.deepEqual(bodyOf(again), bodyOf(first!))
    assert.equal(await countRows(fixture, sql`select from documents`), before + 1)
  })

  test('5.1 the same key used by two organizations is two keys', async () => {
    const key = 'the-same-for-both'
    const both = [fixture.issuer, fixture.counterparty].map((organization) =>
      exampleWrite({
        organization,
        key,
        needs: { counters: [organization] },
        decide: stampChange(organization),
      }),
    )
    assert.deepEqual((await performInOneBatch(both)).map(outcomeCode), ['done', 'done'])
  })

  test('5.3 a write that only saves a row is written like any other', async () => {
    const id = await insertDraft(fixture)
    const saveOnly = exampleWrite({
      organization: fixture.issuer,
      key: null,
      needs: { documents: [id] },
      decide: (unit) => {
        unit.save('documents', { ...unit.get('documents', id)!, metadata: '{"a":"b"}' })
        return { status: 200, body: '{}' }
      },
    })
    assert.equal(outcomeCode(await engine.perform(saveOnly)), 'done')
    assert.equal((await documentOf(fixture, id)).metadata, '{"a":"b"}')
  })
})

const stampChange = (organization: string) => (unit: Parameters<typeof changeTime>[0]) => {
  changeTime(unit, [organization])
  return { status: 200 as const, body: '{}' }
}

/** Decides like the write, then refuses. */
const decideThenRefuse = (request: WriteRequest) => (unit: Parameters<typeof changeTime>[0]) => {
  if (request.write.kind === 'batched') request.write.decide(unit)
  throw refuse('conflict', 'Refused after the decision.')
}
