/**
 * decisions/0058: a signed request that no verifier could compare with an event is kept in no
 * history. The documents that it makes are provable.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { aKey, aPair, anInvoice } from '../support/fixtures.ts'
import { withProfiles } from '../support/identity/profiles.ts'
import { aSigner, sendTo, signed, unsigned } from '../support/identity/request-signer.ts'
import { exportOf } from '../support/interop/import-client.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
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

test('a document that was imported by a signed request verifies, and is imported once', async () => {
  const pair = await withProfiles(running, await aPair(running))
  const signer = aSigner()
  const scopes = ['documents:read', 'documents:write'] as const
  const { secret } = await aKey(running, pair.issuer, scopes, { signingKey: signer.raw })
  const xml = await exportOf(running, pair, await anInvoice(running, pair), 'ubl')
  const body = new FormData()
  body.set('connection_id', pair.connection)
  body.set('file', new Blob([xml], { type: 'application/xml' }), 'invoice.xml')
  const form = new Request('http://x', { method: 'POST', body })
  const text = Buffer.from(await form.arrayBuffer()).toString()
  const request = signed(signer, unsigned('POST', '/v1/documents/import', text))
  request.headers['content-type'] = form.headers.get('content-type')!
  const send = sendTo(running, secret)
  const imported = await send(request)
  assert.equal(imported.status, 201, imported.text)
  const path = `/v1/documents/${imported.body.id}/history`
  const history = await callApi(running, 'GET', path, { key: pair.issuer.key })
  assert.equal(history.status, 200, history.text)
  await asSuperuser(running.database, 'delete from idempotency')
  assert.equal((await send(request)).body.error?.code, 'integrity_failure')
})
