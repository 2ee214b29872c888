/** clients 4: how long an approval lasts, how many there are, and that offers run as approved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalLimits } from '../../../src/contract/approval-limits.ts'
import { requestKeyOf } from '../../../src/core/approvals/approval-decisions.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { changeSealedRows, sealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { insertRows } from '../../../src/database/table-writes.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { runAndSealResponses } from '../../support/database/run-and-seal.ts'
import { aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const sent = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } })

const reasonOf = (reply: Reply): string => assertRefused(reply, 'conflict').reason

const aBillToAskFor = async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const { session } = await aMember(running, pair.counterparty, 'approver')
  return { pair, id, key, session }
}

const decide = (session: string, id: string, what: 'approve' | 'decline', body: object) =>
  callApi(running, 'POST', `/v1/approvals/${id}/${what}`, { key: session, body })

test('an approval lasts 24 hours, whether or not somebody has approved it', async () => {
  for (const isApproved of [false, true]) {
    const { id, key, session } = await aBillToAskFor()
    const idempotencyKey = freshIdempotencyKey()
    const asked = assertRefused(await pay(running, key, id, sent(idempotencyKey)), 'conflict')
    const { id: approval, digest } = asked.approval
    const read = () => callApi(running, 'GET', `/v1/approvals/${approval}`, { key })
    const { created_at, expires_at } = (await read()).body
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 86_400_000)
    if (isApproved) await decide(session, approval, 'approve', { digest })
    await changeSealedRows(
      running.database,
      'approvals',
      sql`t.id = ${decodeId('apr', approval)!}`,
      () => ({ expires_at: new Date(Date.now() - 1_000).toISOString() }),
    )
    assert.equal(reasonOf(await pay(running, key, id, sent(idempotencyKey))), 'approval_expired')
    assert.equal(
      reasonOf(await decide(session, approval, 'approve', { digest })),
      'approval_expired',
    )
    assert.equal(reasonOf(await decide(session, approval, 'decline', {})), 'approval_expired')
    assert.equal((await read()).body.status, 'expired')
    const lists = await callApi(running, 'GET', '/v1/approvals?status=expired', { key: session })
    assert.deepEqual(
      lists.body.data.map((one: { id: string }) => one.id),
      [approval],
    )
  }
})

test('an approval is used once, also when the response to its payment is kept no more', async () => {
  const { pair, id, key, session } = await aBillToAskFor()
  const idempotencyKey = freshIdempotencyKey()
  const send = () => pay(running, key, id, sent(idempotencyKey))
  const { approval } = assertRefused(await send(), 'conflict')
  await decide(session, approval.id, 'approve', { digest: approval.digest })
  assert.equal((await send()).status, 200)
  const { uuid } = pair.counterparty
  await runAndSealResponses(
    running.database,
    uuid,
    sql`update idempotency set created_at = created_at - interval '25 hours'
      where organization_id = ${uuid}`,
  )
  assert.equal(reasonOf(await send()), 'approval_expired')
  const { body } = await callApi(running, 'GET', `/v1/approvals/${approval.id}`, { key: session })
  assert.equal(body.status, 'executed')
})

test('an organization asks for a bounded number a day, and its partners for theirs', async () => {
  const { pair, id, key } = await aBillToAskFor()
  await pay(running, key, id)
  const { uuid } = pair.counterparty
  const ofOrganization = sql`where t.organization_id = ${uuid}`
  const [row] = await sealedRows(running.database, 'approvals', ofOrganization)
  const copies = Array.from({ length: approvalLimits.approvalsPerDayMax - 1 }, () => ({
    ...row!,
    id: newId(),
    request_key: requestKeyOf(uuid, freshIdempotencyKey()),
  }))
  await insertRows(running.database, 'approvals', copies)
  assert.equal(reasonOf(await pay(running, key, id)), 'too_many_approvals')
  assert.equal((await pay(running, pair.counterparty.key, id)).status, 200)
  const other = await aBillToAskFor()
  assert.equal(reasonOf(await pay(running, other.key, other.id)), 'approval_required')
})

test('an offer, and its acceptance, run once as they were approved', async () => {
  const parties = await loanParties(running)
  const loans = loansClient(running)
  const listing = await loans.listed(parties)
  const approved = async (party: typeof parties.lender, path: string, body: object) => {
    const key = await aKeyThatAsks(running, party)
    const { session } = await aMember(running, party, 'approver')
    const options = { key, body, ...sent(freshIdempotencyKey()) }
    const send = () => callApi(running, 'POST', path, options)
    const { id, digest } = assertRefused(await send(), 'conflict').approval
    await decide(session, id, 'approve', { digest })
    const done = await send()
    assert(done.status < 300, done.text)
    assert.equal((await send()).text, done.text)
    return done.body
  }
  const offers = `/v1/finance/listings/${listing.id}/offers`
  const offer = await approved(parties.lender, offers, { kind: 'at_ask' })
  const list = await loans.found(parties.lender.key, `/v1/finance/offers?listing=${listing.id}`)
  assert.deepEqual(
    list.data.map((one: { id: string }) => one.id),
    [offer.id],
  )
  const accept = `/v1/finance/offers/${offer.id}/accept`
  const seen = await loans.found(parties.borrower.key, `/v1/finance/offers/${offer.id}`)
  const { agreement } = await approved(parties.borrower, accept, loans.acceptanceOf(seen))
  assert.equal(agreement.status, 'accepted')
})
