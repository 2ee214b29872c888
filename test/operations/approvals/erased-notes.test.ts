/** Decision 0029: an erasure reaches what people wrote about a payment that had to be approved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { inDays } from '../../support/dates.ts'
import { aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { context } = running.service
const note = 'For Ada, phone 555 0117'

/** A payment with a note that waits for a person. */
const aWaitingPayment = async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const { session } = await aMember(running, pair.counterparty, 'approver')
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const body = { to: 'payment_scheduled', scheduled_for: inDays(3), note }
  const send = () =>
    callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body, headers })
  const asked = assertRefused(await send(), 'conflict').approval
  const decide = async (path: 'approve' | 'decline', decision: object) => {
    const own = { 'idempotency-key': freshIdempotencyKey() }
    const request = { key: session, body: decision, headers: own }
    const decideOnce = () => callApi(running, 'POST', `/v1/approvals/${asked.id}/${path}`, request)
    const reply = await decideOnce()
    assert.equal(reply.status, 200, reply.text)
    return decideOnce
  }
  const erase = () =>
    context.database.transaction((tx) => eraseContent(tx, decodeId('doc', id)!, context))
  const approval = () => callApi(running, 'GET', `/v1/approvals/${asked.id}`, { key: session })
  return { send, asked, decide, erase, approval }
}

test('the note of a payment that waits goes, and the payment is asked for anew', async () => {
  const { send, asked, decide, erase, approval } = await aWaitingPayment()
  assert.equal((await approval()).body.statement.body.note, note)
  await decide('approve', { digest: asked.digest })
  await erase()
  const { body } = await approval()
  assert.equal(body.statement.body.note, null)
  assert.deepEqual([body.digest, body.status], [asked.digest, 'approved'])
  assert.equal(assertRefused(await send(), 'conflict').reason, 'approval_stale')
})

test('the note of a payment that was made goes, with who approved it left', async () => {
  const { send, asked, decide, erase, approval } = await aWaitingPayment()
  await decide('approve', { digest: asked.digest })
  assert.equal((await send()).status, 200)
  const before = (await approval()).body
  await erase()
  const { statement, ...rest } = (await approval()).body
  const { statement: stated, ...others } = before
  assert.deepEqual(rest, others)
  assert.deepEqual(statement, { ...stated, body: { ...stated.body, note: null } })
})

test('the reason of who declined goes, also where the history was erased before', async () => {
  const { decide, erase, approval } = await aWaitingPayment()
  await erase()
  await decide('decline', { reason: 'Ada has left' })
  assert.equal(await erase(), 0, 'the history has nothing left to erase')
  const { body, text } = await approval()
  assert.deepEqual([body.status, body.decisions[0].reason], ['declined', null], text)
})

test('the stored response of a decision goes too, so that no repetition shows the texts', async () => {
  const { asked, decide, erase } = await aWaitingPayment()
  const again = await decide('approve', { digest: asked.digest })
  assert.equal((await again()).body.statement.body.note, note)
  await erase()
  assert.doesNotMatch((await again()).text, /Ada/)
})
