/** Loans in deployments that have switched off what payments or proofs are made with. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, callApi } from '../../support/api-client.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const withoutPayments = await running.startAnother({ FAMILIES: 'documents,finance,provenance' })
const withoutProvenance = await running.startAnother({ FAMILIES: 'documents,finance,payments' })
const loans = loansClient(running)
const parties = await loanParties(running)
const { borrower, lender } = parties
const { id, documents } = await loans.funded(parties)

const assertNotEnabled = ({ status, body, text }: Reply, family: string): void => {
  assert.equal(status, 403, text)
  assert.deepEqual([body.error.code, body.error.details.family], ['not_enabled', family])
}

test('domain 5.2: without the payments family a repayment is refused, by whatever call', async () => {
  const { key } = borrower
  for (const path of [
    `/v1/finance/agreements/${id}/repayment`,
    `/v1/documents/${documents.repayment_id}/pay`,
  ]) {
    assertNotEnabled(await callApi(withoutPayments, 'POST', path, { key, body: {} }), 'payments')
  }
  assert.equal((await loans.agreementOf(key, id)).amount_owed, 10_250)
})

test('domain 5.6: without the provenance family nobody exports the proof of a pledge', async () => {
  for (const { key } of [borrower, lender]) {
    for (const path of [
      `/v1/finance/agreements/${id}/export`,
      `/v1/documents/${documents.agreement_id}/export`,
    ]) {
      assertNotEnabled(await callApi(withoutProvenance, 'GET', path, { key }), 'provenance')
    }
  }
})
