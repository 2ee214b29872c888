/** A sandbox reset leaves no loan behind, nor with partners what can never end (domain 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { connectPair } from '../../support/fixtures.ts'
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
