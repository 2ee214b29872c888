/**
 * decisions/0058: a signed request that is not about a document leaves its signature in no history,
 * since no verifier could say what it asks for. The documents that it makes are provable.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { aKey } from '../support/fixtures.ts'
import { aSigner, sendTo, signed, unsigned } from '../support/identity/request-signer.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()

test('the documents of a loan that was accepted by a signed request verify', async () => {
  const parties = await loanParties(running)
  const { borrower } = parties
  const signer = aSigner()
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  const { secret } = await aKey(running, borrower, scopes, { signingKey: signer.raw })
  const { id, standing_authorization } = await loansClient(running).offered(parties)
  const consent = JSON.stringify({ authorization_digest: standing_authorization.digest })
  const accept = unsigned('POST', `/v1/finance/offers/${id}/accept`, consent)
  const accepted = await sendTo(running, secret)(signed(signer, accept))
  assert.equal(accepted.status, 201, accepted.text)
  const documents = new Set(accepted.text.match(/doc_[0-9a-z]{26}/g))
  assert(documents.size >= 4, 'the invoice, the agreement, the disbursement and the repayment')
  for (const document of documents) {
    for (const read of ['history', 'export']) {
      const path = `/v1/documents/${document}/${read}`
      const { status, text } = await callApi(running, 'GET', path, { key: borrower.key })
      assert.equal(status, 200, `${read}: ${text}`)
    }
  }
})
