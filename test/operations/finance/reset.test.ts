/** A sandbox reset leaves no loan behind (domain 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
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
