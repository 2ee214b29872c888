/**
 * What happens to a clock that is on its way when something else comes between: the caller hangs
 * up, the sandbox is reset, another advance begins, or a row that cannot be believed falls due.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
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
    await until('the clock has arrived', async () => (await offsetOf(pair)) === daySeconds, 5_000)
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
