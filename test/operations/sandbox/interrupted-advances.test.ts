/**
 * What happens to a clock that is on its way when something else comes between: the caller hangs
 * up, the sandbox is reset, another advance begins, or a row that cannot be believed falls due.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { completeAdvances } from '../../../src/tasks/clock-advances.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { inDays } from '../../support/dates.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type Pair, anInvoice, anOrganization, connectPair, move } from '../../support/fixtures.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'
import { until } from '../../support/until.ts'

const { running, post, read } = await startSandboxService()
const { sandboxWork } = running.service.context

const aPracticePair = async (): Promise<Pair> => {
  const me = await anOrganization(running)
  return connectPair(running, me, await anOrganization(running, { isDemo: true }))
}

const offsetOf = async ({ issuer: { key } }: Pair): Promise<number> =>
  (await callApi(running, 'GET', '/v1/sandbox/clock', { key })).body.offset_seconds

const daySeconds = 86_400

describe('domain 6: a clock on its way', () => {
  /** The next advance stops before it carries out what falls due first, until it is let go. */
  const stoppedAdvance = async () => {
    const stop = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const { next } = sandboxWork
    sandboxWork.next = async (...of) => {
      const work = await next(...of)
      if (work === undefined) return undefined
      const run = async () => {
        sandboxWork.next = next
        arrival.resolve()
        await stop.promise
        return work.run()
      }
      return { ...work, run }
    }
    return { arrived: arrival.promise, letGo: stop.resolve }
  }

  test('the clock reaches its time although the caller hangs up', async () => {
    const pair = await aPracticePair()
    const { id } = await anInvoice(running, pair, {
      external_refs: { sandbox_scenario: 'approve_and_pay' },
    })
    const { arrived, letGo } = await stoppedAdvance()
    const caller = new AbortController()
    const called = fetch(`${running.baseUrl}/v1/sandbox/clock`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${pair.issuer.key}`,
        'content-type': 'application/json',
        'idempotency-key': freshIdempotencyKey(),
      },
      body: JSON.stringify({ advance_by: 'P1D' }),
      signal: caller.signal,
    })
    await arrived
    assert((await offsetOf(pair)) < daySeconds)
    caller.abort()
    await assert.rejects(called)
    // Until the service has seen it.
    await wait(300)
    letGo()
    await until('the clock has arrived', async () => (await offsetOf(pair)) === daySeconds)
    assert.equal((await read(id, pair.issuer)).status, 'paid')
  })

  test('a reset ends it', async () => {
    const pair = await aPracticePair()
    await anInvoice(running, pair, { external_refs: { sandbox_scenario: 'approve_and_pay' } })
    const { arrived, letGo } = await stoppedAdvance()
    const advanced = post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    await arrived
    assert.notEqual(await offsetOf(pair), 0)
    const { status, text } = await post(pair.issuer.key, '/reset', {})
    assert.equal(status, 200, text)
    letGo()
    await advanced
    assert.equal(await offsetOf(pair), 0)
  })

  test('another advance passes nothing that is still to be carried out', async () => {
    const pair = await aPracticePair()
    const refs = { external_refs: { sandbox_scenario: 'approve_and_pay' } }
    const { id } = await anInvoice(running, pair, refs)
    const advance = () => post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    const first = await stoppedAdvance()
    const firstReply = advance()
    await first.arrived
    const reached = await offsetOf(pair)
    const second = await stoppedAdvance()
    const secondReply = advance()
    await second.arrived
    // The step that is due has its time still; the next one falls due in an hour.
    assert((await offsetOf(pair)) < reached + 60)
    first.letGo()
    second.letGo()
    assert.equal((await firstReply).status, 200)
    const { status, text, body } = await secondReply
    assert.equal(status, 200, text)
    assert.equal(await offsetOf(pair), body.offset_seconds)
    assert.equal((await read(id, pair.issuer)).status, 'paid')
  })

  test('another advance adds to it, whatever falls due in between', async () => {
    const pair = await aPracticePair()
    await anInvoice(running, pair, { external_refs: { sandbox_scenario: 'approve_and_pay' } })
    const first = await stoppedAdvance()
    const firstReply = post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    await first.arrived
    const tooEarly = { advance_to: new Date(Date.now() + 3_600_000).toISOString() }
    const refused = assertRefused(
      await post(pair.issuer.key, '/clock', tooEarly),
      'invalid_request',
    )
    assert.match(refused.errors[0].message, /The clock is on its way to .* and only moves forward/)
    const second = post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    first.letGo()
    const replies = [await firstReply, await second]
    for (const { status, text } of replies) assert.equal(status, 200, text)
    const reached = replies.map(({ body }) => body.offset_seconds)
    assert.deepEqual(reached, [daySeconds, 2 * daySeconds])
    assert.equal(await offsetOf(pair), 2 * daySeconds)
  })

  /** The process of an advance dies once the clock has made its first step; an invoice is on it. */
  const abandonedAdvance = async (pair: Pair): Promise<string> => {
    const refs = { external_refs: { sandbox_scenario: 'approve_and_pay' } }
    const { id } = await anInvoice(running, pair, refs)
    const { next } = sandboxWork
    let asked = 0
    sandboxWork.next = async (...of) => {
      asked += 1
      if (asked > 1) throw new Error('the process dies')
      return next(...of)
    }
    const { status } = await post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    sandboxWork.next = next
    assert.equal(status, 500)
    assert((await offsetOf(pair)) < daySeconds)
    return id
  }

  const completeAfterAMinute = async (): Promise<void> => {
    await runAndSeal(
      running.database,
      'clock_advances',
      sql`update clock_advances set advanced_at = advanced_at - interval '1 minute'`,
    )
    await completeAdvances.run(running.service.context)
  }

  test('one whose process has died is completed in the background, and a reset forgets it', async () => {
    const [pair, reset] = [await aPracticePair(), await aPracticePair()]
    const id = await abandonedAdvance(pair)
    await abandonedAdvance(reset)
    await completeAdvances.run(running.service.context)
    assert((await offsetOf(pair)) < daySeconds, 'a request may be on it still')
    await post(reset.issuer.key, '/reset', {})
    await completeAfterAMinute()
    assert.equal(await offsetOf(pair), daySeconds)
    assert.equal((await read(id, pair.issuer)).status, 'paid')
    assert.equal(await offsetOf(reset), 0)
  })

  test('what is left is completed once, although both sides of a pair have the clock', async () => {
    const pair = await aPracticePair()
    await abandonedAdvance(pair)
    const { next } = sandboxWork
    let [atOnce, most] = [0, 0]
    sandboxWork.next = async (...of) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      return next(...of).finally(() => void (atOnce -= 1))
    }
    await completeAfterAMinute()
    sandboxWork.next = next
    assert.equal(await offsetOf(pair), daySeconds)
    assert.equal(most, 1)
  })

  test('what a reset has ended meanwhile is not completed', async () => {
    const [first, second] = [await aPracticePair(), await aPracticePair()]
    await abandonedAdvance(first)
    await abandonedAdvance(second)
    const { next } = sandboxWork
    sandboxWork.next = async (...of) => {
      sandboxWork.next = next
      assert.equal((await post(second.issuer.key, '/reset', {})).status, 200)
      return next(...of)
    }
    await completeAfterAMinute()
    assert.equal(await offsetOf(first), daySeconds)
    assert.equal(await offsetOf(second), 0)
  })

  test('only a step of a clock on its way names a target, which an older process cannot read', async () => {
    const pair = await aPracticePair()
    await post(pair.issuer.key, '/clock', { advance_by: 'P1D' })
    const targets = await running.database.rows(sql`
      select target_seconds from clock_advances
      where organization_id = ${pair.issuer.uuid}`)
    assert.deepEqual(targets, [{ target_seconds: null }])
  })

  test('it passes what cannot be believed, which the response says', async () => {
    const pair = await aPracticePair()
    const scheduled = async (days: number): Promise<string> => {
      const more = { external_refs: { sandbox_scenario: 'manual' } }
      const { id } = await anApprovedInvoice(running, pair, more)
      const { key } = pair.counterparty
      const scheduled_for = inDays(days)
      const reply = await move(running, key, id, 'payment_scheduled', { scheduled_for })
      assert.equal(reply.status, 200, reply.text)
      return id
    }
    const broken = await scheduled(2)
    const later = await scheduled(4)
    await running.database.run(sql`
      update payments set attempts = attempts + 1 where document_id = ${decodeId('doc', broken)!}`)
    const reply = await post(pair.issuer.key, '/clock', { advance_by: 'P20D' })
    assertRefused(reply, 'integrity_failure')
    assert.equal(await offsetOf(pair), 20 * daySeconds)
    assert.equal((await read(later, pair.issuer)).status, 'paid')
  })
})
