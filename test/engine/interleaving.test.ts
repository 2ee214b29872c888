/**
 * Interleaves two processes, statement by statement: the first stops before its 1st, 2nd, …
 * statement, the second runs until it finishes or waits for a lock, then the first continues.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { WriteRequest, WriteOutcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { until } from '../support/until.ts'
import {
  startEngine,
  assertRowsConsistent,
  countRows,
  documentOf,
  loopbackUrl,
  openEngineFixture,
} from '../support/engine/engine-fixture.ts'
import {
  insertDraft,
  bodyOf,
  createWrite,
  editWrite,
  issueWrite,
  outcomeCode,
} from '../support/engine/example-writes.ts'

const fixture = await openEngineFixture()
const proxy = await startDatabaseProxy(await loopbackUrl(fixture.url))
const engine = startEngine(proxy.url)
await engine.perform(createWrite(fixture))

const lockWaiters = sql`select from pg_stat_activity where datname = current_database()
  and application_name like 'docex lane%' and wait_event_type = 'Lock'`

interface RacingWrites {
  /** Runs through the proxy, which can stop it. */
  first: WriteRequest
  second: WriteRequest
  check(first: WriteOutcome, second: WriteOutcome): Promise<void>
}

/** Returns the number of statements before which the first write was stopped. */
const interleave = async (newRace: () => Promise<RacingWrites>): Promise<number> => {
  for (let nth = 1; ; nth += 1) {
    const { first, second, check } = await newRace()
    const arrived = Promise.withResolvers<boolean>()
    const released = Promise.withResolvers<void>()
    proxy.statementCount = 0
    proxy.onStatement = () => {
      if (proxy.statementCount !== nth) return
      arrived.resolve(true)
      return released.promise
    }
    const firstOutcome = engine.perform(first)
    const isStopped = await Promise.race([arrived.promise, firstOutcome.then(() => false)])
    let isSecondDone = false
    const secondOutcome = fixture.engine.perform(second).finally(() => (isSecondDone = true))
    const hasSecondStopped = async () => isSecondDone || (await countRows(fixture, lockWaiters)) > 0
    if (isStopped) await until('the second write is done or waits', hasSecondStopped)
    released.resolve()
    await check(await firstOutcome, await secondOutcome)
    await assertRowsConsistent(fixture)
    if (!isStopped) return nth - 1
  }
}

test('contract 5: one key in two processes has one effect in every interleaving', async () => {
  const seen = new Set<string>()
  const stops = await interleave(async () => {
    const key = randomUUID()
    const before = await countRows(fixture, sql`select from documents`)
    return {
      first: createWrite(fixture, { key }),
      second: createWrite(fixture, { key }),
      check: async (first, second) => {
        const outcomes = [first, second]
        seen.add(outcomes.map(outcomeCode).join(' '))
        assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1)
        for (const outcome of outcomes) {
          if (outcome.kind === 'refused') {
            assert.equal(outcome.refusal.details?.['reason'], 'request_in_progress')
          } else
            assert.deepEqual(bodyOf(outcome), bodyOf(outcomes.find(({ kind }) => kind === 'done')!))
        }
        assert.equal(await countRows(fixture, sql`select from documents`), before + 1)
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
  for (const pair of ['done conflict', 'done replayed', 'replayed done'])
    assert(seen.has(pair), pair)
})

test('engine 1.1: two edits of one document in two processes are both applied, or one gets 503', async () => {
  const stops = await interleave(async () => {
    const id = await insertDraft(fixture)
    return {
      first: editWrite(fixture, id),
      second: editWrite(fixture, id),
      check: async (...outcomes) => {
        const done = outcomes.filter(({ kind }) => kind === 'done').length
        for (const outcome of outcomes) {
          assert(
            ['done', 'service_unavailable'].includes(outcomeCode(outcome)),
            outcomeCode(outcome),
          )
        }
        const document = await documentOf(fixture, id)
        assert.deepEqual([document.revision, Number(document.total)], [1 + done, done])
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
})

test('engine 1.1: an edit that races with the issue of its draft is applied or refused', async () => {
  const seen = new Set<string>()
  await interleave(async () => {
    const id = await insertDraft(fixture)
    return {
      first: issueWrite(fixture, id),
      second: editWrite(fixture, id),
      check: async (issued, edited) => {
        seen.add(outcomeCode(edited))
        assert.equal(outcomeCode(issued), 'done')
        const document = await documentOf(fixture, id)
        assert.equal(document.status, 'submitted')
        assert.equal(document.revision, edited.kind === 'done' ? 3 : 2)
      },
    }
  })
  assert(seen.has('done') && seen.has('conflict'), [...seen].join())
})

test('domain 1: two processes that create documents of one organization leave no gap in its numbers', async () => {
  const stops = await interleave(async () => {
    const before = await countRows(fixture, sql`select from documents`)
    return {
      first: createWrite(fixture),
      second: createWrite(fixture),
      check: async (...outcomes) => {
        assert.deepEqual(outcomes.map(outcomeCode), ['done', 'done'])
        assert.equal(await countRows(fixture, sql`select from documents`), before + 2)
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
})
