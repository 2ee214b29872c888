/**
 * Every interleaving of two processes, statement by statement: one stops before its 1st, 2nd, …
 * statement, the other runs until it is answered or waits, then the first goes on.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Member, Outcome } from '../../src/engine/write-request.ts'
import { sql } from '../../src/database/sql.ts'
import { startProxy } from '../support/database/proxy.ts'
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
  issues,
  loopbackUrl,
  openToy,
  said,
} from '../support/database/example-writes.ts'

const toy = await openToy()
const proxy = await startProxy(await loopbackUrl(toy.url))
const engine = anEngine(proxy.url)
await engine.perform(creates(toy))

const waiting = sql`select from pg_stat_activity where datname = current_database()
  and application_name like 'docex lane%' and wait_event_type = 'Lock'`

interface Pair {
  /** Behind the proxy. */
  first: Member
  second: Member
  check(first: Outcome, second: Outcome): Promise<void>
}

/** Answers at how many places the first was stopped. */
const interleave = async (make: () => Promise<Pair>): Promise<number> => {
  for (let nth = 1; ; nth += 1) {
    const { first, second, check } = await make()
    const arrived = Promise.withResolvers<boolean>()
    const released = Promise.withResolvers<void>()
    proxy.statements = 0
    proxy.onStatement = () => {
      if (proxy.statements !== nth) return
      arrived.resolve(true)
      return released.promise
    }
    const firstOutcome = engine.perform(first)
    const isStopped = await Promise.race([arrived.promise, firstOutcome.then(() => false)])
    let isAnswered = false
    const secondOutcome = toy.engine.perform(second).finally(() => (isAnswered = true))
    const isSecondAtRest = async () => isAnswered || (await count(toy, waiting)) > 0
    if (isStopped) await until('the second is answered or waits', isSecondAtRest)
    released.resolve()
    await check(await firstOutcome, await secondOutcome)
    await assertWhole(toy)
    if (!isStopped) return nth - 1
  }
}

test('contract 5: one key in two processes has one effect, wherever the other comes in between', async () => {
  const met = new Set<string>()
  const stops = await interleave(async () => {
    const key = randomUUID()
    const before = await count(toy, sql`select from documents`)
    return {
      first: creates(toy, { key }),
      second: creates(toy, { key }),
      check: async (first, second) => {
        const outcomes = [first, second]
        met.add(outcomes.map(said).join(' '))
        assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1)
        for (const outcome of outcomes) {
          if (outcome.kind === 'refused') {
            assert.equal(outcome.refusal.details?.['reason'], 'request_in_progress')
          } else
            assert.deepEqual(bodyOf(outcome), bodyOf(outcomes.find(({ kind }) => kind === 'done')!))
        }
        assert.equal(await count(toy, sql`select from documents`), before + 1)
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
  for (const pair of ['done conflict', 'done replayed', 'replayed done'])
    assert(met.has(pair), pair)
})

test('engine 1.1: two edits of one document in two processes both count, or one is refused', async () => {
  const stops = await interleave(async () => {
    const id = await aDraft(toy)
    return {
      first: edits(toy, id),
      second: edits(toy, id),
      check: async (...outcomes) => {
        const done = outcomes.filter(({ kind }) => kind === 'done').length
        for (const outcome of outcomes) {
          assert(['done', 'service_unavailable'].includes(said(outcome)), said(outcome))
        }
        const document = await documentOf(toy, id)
        assert.deepEqual([document.revision, Number(document.total)], [1 + done, done])
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
})

test('engine 1.1: an edit and the issue of one draft: the edit counts, or it finds no draft', async () => {
  const met = new Set<string>()
  await interleave(async () => {
    const id = await aDraft(toy)
    return {
      first: issues(toy, id),
      second: edits(toy, id),
      check: async (issued, edited) => {
        met.add(said(edited))
        assert.equal(said(issued), 'done')
        const document = await documentOf(toy, id)
        assert.equal(document.status, 'submitted')
        assert.equal(document.revision, edited.kind === 'done' ? 3 : 2)
      },
    }
  })
  assert(met.has('done') && met.has('conflict'), [...met].join())
})

test('domain 1: creates of one organization in two processes take numbers without a gap', async () => {
  const stops = await interleave(async () => {
    const before = await count(toy, sql`select from documents`)
    return {
      first: creates(toy),
      second: creates(toy),
      check: async (...outcomes) => {
        assert.deepEqual(outcomes.map(said), ['done', 'done'])
        assert.equal(await count(toy, sql`select from documents`), before + 2)
      },
    }
  })
  assert(stops > 8, `stopped at ${stops} places`)
})
