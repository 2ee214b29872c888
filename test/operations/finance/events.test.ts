/** What the events of a loan carry for each of its parties (domain 5.5). */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import type { TestOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../../support/webhooks/receiver.ts'

const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found, documentOf } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

/** The event as the feed has it; exactly one of the type, about the document. */
const eventOf = async ({ key }: TestOrganization, type: string, document: string) => {
  const { data } = await found(key, `/v1/events?type=${type}&document=${document}`)
  assert.equal(data.length, 1, type)
  return data[0]
}

test('domain 5.5: an offer that is received: the invoice as the borrower reads it, offer and listing', async () => {
  const receiver = await startReceiver()
  const events = ['finance.offer.received']
  const { secret } = await subscribe(running, borrower, receiver.url, { events })
  const listing = await loans.listed(parties)
  const path = `/v1/finance/listings/${listing.id}/offers`
  const { id } = await posted(lender.key, path, { kind: 'at_ask' })
  const event = await eventOf(borrower, events[0]!, listing.document_id)
  assert.deepEqual(event.data, {
    document: await documentOf(borrower.key, listing.document_id),
    offer: await found(borrower.key, `/v1/finance/offers/${id}`),
    listing: await found(borrower.key, `/v1/finance/listings/${listing.id}`),
  })
  assert.deepEqual([event.data.offer.role, event.data.listing.role], ['borrower', 'borrower'])
  // Neither who made the offer is told, nor who owes the invoice.
  for (const { key } of [lender, debtor]) {
    assert.deepEqual((await found(key, `/v1/events?type=${events[0]}`)).data, [])
  }
  await until('it is delivered', () => receiver.received.length > 0)
  const [{ headers, rawBody }] = receiver.received as [(typeof receiver.received)[0]]
  assert.deepEqual(JSON.parse(rawBody), event)
  const timestamp = headers['svc-webhook-timestamp']!
  const signature = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')
  assert.equal(headers['svc-signature'], `t=${timestamp},v1=${signature}`)
})

test('domain 5.5: an agreement: its document as the receiver reads it, the agreement, and what happened', async () => {
  const { agreement } = await loans.accepted(parties)
  const { id, documents, pledged_document_id: invoice } = agreement
  const FIN = documents.agreement_id
  const both = [borrower, lender] as const
  const current = async ({ key }: TestOrganization) => ({
    document: await documentOf(key, FIN),
    agreement: await loans.agreementOf(key, id),
  })
  const dataOf = async (who: TestOrganization, type: string) =>
    (await eventOf(who, `finance.agreement.${type}`, FIN)).data
  for (const who of both) assert.deepEqual(await dataOf(who, 'accepted'), await current(who))

  const { payment: out } = await posted(
    lender.key,
    `/v1/documents/${documents.disbursement_id}/pay`,
  )
  for (const who of both) {
    assert.deepEqual(await dataOf(who, 'funded'), {
      ...(await current(who)),
      payment: await found(who.key, `/v1/payments/${out.id}`),
    })
  }

  await posted(debtor.key, `/v1/documents/${invoice}/transition`, { to: 'disputed' })
  for (const who of both) {
    const flagged = await dataOf(who, 'flagged')
    const now = await current(who)
    assert.deepEqual(flagged, { ...now, flag: now.agreement.flag })
    assert.deepEqual(Object.keys(flagged.flag), ['code', 'since', 'cured_at'])
  }

  await posted(debtor.key, `/v1/documents/${invoice}/transition`, { to: 'approved' })
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  for (const who of both) {
    const { sweeps } = await found(who.key, `/v1/finance/agreements/${id}/repayment`)
    const { document, agreement: repaid, payment, swept } = await dataOf(who, 'repaid')
    assert.deepEqual([document.id, document.status, repaid.status], [FIN, 'repaid', 'repaid'])
    assert.deepEqual(payment, await found(who.key, `/v1/payments/${sweeps[0].payment_id}`))
    assert.deepEqual([payment.kind, swept], ['sweep', true])
    const closed = await dataOf(who, 'closed')
    assert.deepEqual(closed, { ...(await current(who)), closed_reason: 'repaid' })
  }
  const told = await found(debtor.key, '/v1/events?limit=100')
  const types: string[] = told.data.map(({ type }: { type: string }) => type)
  assert(!types.some((type) => type.startsWith('finance')), types.join())
})

test('domain 5.5: what the borrower has repaid itself was not swept', async () => {
  const { id, documents } = await loans.funded(parties)
  const { payments } = await posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)
  for (const who of [borrower, lender]) {
    const type = 'finance.agreement.repaid'
    const { data } = await eventOf(who, type, documents.agreement_id)
    assert.deepEqual([data.payment.id, data.payment.kind], [payments[0].id, 'repayment'])
    assert.equal(data.swept, false)
  }
})

test('domain 5.5: an agreement that is withdrawn says so when it is closed', async () => {
  const { agreement } = await loans.accepted(parties)
  await posted(lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
  const FIN = agreement.documents.agreement_id
  const { data } = await eventOf(borrower, 'finance.agreement.closed', FIN)
  assert.deepEqual(
    [data.closed_reason, data.agreement.closed_reason, data.agreement.status],
    ['withdrawn', 'withdrawn', 'closed'],
  )
})
