/** A sandbox reset leaves no loan behind, nor with partners what can never end (domain 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { connectPair } from '../../support/fixtures.ts'
import { whileTampered } from '../../support/provenance/row-tampering.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const loans = loansClient(running)

test('domain 6: after a reset of the borrower nothing of its loans is listed or changes', async () => {
  const parties = await loanParties(running)
  const { borrower, debtor, lender } = parties
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  const listing = await loans.listed(parties)
  await loans.posted(borrower.key, '/v1/sandbox/reset')
  for (const list of ['listings', 'offers', 'agreements']) {
    const { data } = await loans.found(borrower.key, `/v1/finance/${list}`)
    assert.deepEqual(data, [], list)
  }
  assert.equal((await loans.get(borrower.key, `/v1/finance/agreements/${id}`)).status, 404)
  assert.equal((await loans.get(borrower.key, `/v1/finance/listings/${listing.id}`)).status, 404)
  assert.equal((await loans.agreementOf(lender.key, id)).amount_owed, 10_250)
  const refused = await loans.post(debtor.key, `/v1/documents/${invoice}/pay`)
  assert.equal(refused.body.error.details.reason, 'connection_not_active')
})

const reset = ({ key }: { key: string }) => loans.posted(key, '/v1/sandbox/reset')

const loansOf = ({ key }: { key: string }) => loans.found(key, '/v1/finance/agreements')

/** The debtor is paying the invoice when it resets its sandbox. */
const payingInvoice = async () => {
  const parties = await loanParties(running)
  const agreement = await loans.funded(parties)
  const path = `/v1/documents/${agreement.pledged_document_id}/pay`
  await loans.posted(parties.debtor.key, path, { source_account_id: 'acct_test_stuck' })
  return { ...parties, agreement }
}

const assertPaymentEnded = async (key: string, { pledged_document_id: id }: Reply['body']) =>
  assert.equal((await loans.documentOf(key, id)).payment.status, 'failed')

describe('domain 6: after a reset of the debtor, a loan goes on without its invoice', () => {
  test('it is funded, repaid and closed', async () => {
    const parties = await loanParties(running)
    const { borrower, debtor, lender } = parties
    const { agreement, documents } = await loans.accepted(parties)
    await reset(debtor)
    await loans.posted(lender.key, `/v1/documents/${documents.disbursement.id}/pay`)
    assert.equal((await loans.agreementOf(borrower.key, agreement.id)).status, 'funded')
    await loans.posted(borrower.key, `/v1/finance/agreements/${agreement.id}/repayment`)
    for (const party of [borrower, lender]) {
      const { data } = await loansOf(party)
      assert.deepEqual(
        data.map((one: Record<string, unknown>) => [one['status'], one['closed_reason']]),
        [['closed', 'repaid']],
      )
    }
    const invoice = await loans.documentOf(borrower.key, agreement.pledged_document_id)
    assert.equal(invoice.pledge.status, 'released')
    assert.equal((await loans.get(debtor.key, `/v1/documents/${invoice.id}`)).status, 404)
  })

  test('both parties read that the payment of the invoice has ended', async () => {
    const { borrower, debtor, lender, agreement } = await payingInvoice()
    const statuses = () =>
      Promise.all(
        [borrower, lender].map(
          async ({ key }) => (await loans.agreementOf(key, agreement.id)).pledge.status,
        ),
      )
    assert.deepEqual(await statuses(), ['payment_scheduled', 'payment_scheduled'])
    await reset(debtor)
    await assertPaymentEnded(borrower.key, agreement)
    assert.deepEqual(await statuses(), ['approved', 'approved'])
  })

  test('a listing of its invoice is invalidated, and offers lapse', async () => {
    const parties = await loanParties(running)
    const { borrower, debtor, lender } = parties
    const offer = await loans.offered(parties)
    await reset(debtor)
    const listing = await loans.found(borrower.key, `/v1/finance/listings/${offer.listing_id}`)
    assert.equal(listing.status, 'invalidated')
    const { status } = await loans.found(lender.key, `/v1/finance/offers/${offer.id}`)
    assert.equal(status, 'lapsed')
  })
})

test('domain 6: lender and borrowers reset at the same time, and nobody is alarmed', async () => {
  const parties = await loanParties(running)
  const { lender } = parties
  await loans.accepted(parties)
  const borrowers = [parties.borrower]
  for (let i = 0; i < 3; i += 1) {
    const others = await loanParties(running)
    await connectPair(running, lender, others.borrower)
    await loans.accepted({ ...others, lender })
    borrowers.push(others.borrower)
  }
  await Promise.all([lender, ...borrowers].map(reset))
  assert.deepEqual(
    running.logLines.filter((line) => line.includes('"integrity_failure"')),
    [],
  )
})

test('domain 6: after a reset of the lender, the invoice and the account are free', async () => {
  const parties = await loanParties(running)
  const { borrower, debtor, lender } = parties
  const { id, pledged_document_id: invoice } = await loans.funded(parties)
  await reset(lender)
  assert.equal((await loans.documentOf(borrower.key, invoice)).pledge.status, 'released')
  assert.equal((await loans.agreementOf(borrower.key, id)).amount_owed, 10_250)
  const counted = await loans.found(borrower.key, '/v1/statistics?metric=loans')
  assert.deepEqual(counted.points, [])
  await loans.posted(borrower.key, '/v1/finance/listings', {
    document_id: invoice,
    terms: askedTerms,
  })
  await loans.posted(debtor.key, `/v1/documents/${invoice}/pay`)
  const { data } = await loans.found(borrower.key, '/v1/treasury/accounts?limit=100')
  const other = data.find(
    (one: Record<string, unknown>) => one['purpose'] === 'settlement' && one['currency'] === 'EUR',
  )
  const body = { borrower: { enabled: true, settlement_account_id: other.id } }
  const { key } = borrower
  const { status } = await callApi(running, 'PUT', '/v1/finance/setup', { key, body })
  assert.equal(status, 200)
})

test('domain 6: a loan of others that was changed in the database holds up no reset', async () => {
  const { borrower, debtor, agreement } = await payingInvoice()
  const id = decodeId('agr', agreement.id)!
  const change = `update finance_agreements set amount_owed = 1 where id = '${id}'`
  await whileTampered(running.database, 'finance_agreements', change, async () => {
    await reset(debtor)
  })
  await assertPaymentEnded(borrower.key, agreement)
})
