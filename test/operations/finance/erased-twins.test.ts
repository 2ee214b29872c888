/** What was erased of an invoice makes no other receivable of it (domain 5.6, provenance 8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { assertServiceConsistent } from '../../support/database/consistency-auditor.ts'
import { tablesContaining } from '../../support/database/plaintext-search.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

const withReference = (issuer_ref: string) => ({ external_refs: { issuer_ref } })

const refersTo = (issuer_ref: string, document_id: string) => ({
  ...withReference(issuer_ref),
  references: [{ rel: 'supersedes', document_id }],
})

const erase = async (id: string): Promise<void> => {
  const { context } = running.service
  await context.database.transaction((tx) => eraseContent(tx, decodeId('doc', id)!, context))
  assert.deepEqual((await loans.documentOf(borrower.key, id)).external_refs, {})
}

const creditInFull = async (invoice: string): Promise<void> => {
  const body = { document_type: 'credit_note' }
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
}

const accept = (offer: { id: string }) =>
  post(borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))

const assertPledged = async (invoiceFields: object): Promise<void> => {
  const { id } = await loans.invoice(parties, invoiceFields)
  const body = { document_id: id, terms: askedTerms }
  const reply = await post(borrower.key, '/v1/finance/listings', body)
  const details = assertRefused(reply, 'conflict')
  assert.deepEqual(details, { reason: 'already_pledged', document_id: id })
}

test('domain 5.6: an invoice that is credited and issued again stays pledged once its text is erased', async () => {
  const loan = await loans.funded(parties, {}, withReference('Barn 1'))
  const pledged = loan.pledged_document_id
  await erase(pledged)
  await assertPledged(withReference('barn 01'))
  await creditInFull(pledged)
  await assertPledged(refersTo('Barn 2', pledged))
  await posted(borrower.key, `/v1/finance/agreements/${loan.id}/repayment`)
  await loans.listed(parties, {}, refersTo('Barn 3', pledged))
})

test('domain 5.6: an invoice whose text is erased while it is listed is pledged as what it was', async () => {
  const offer = await loans.offered(parties, {}, withReference('Shed 1'))
  const { document_id: invoice } = await loans.found(
    borrower.key,
    `/v1/finance/listings/${offer.listing_id}`,
  )
  await erase(invoice)
  const { status, body } = await accept(offer)
  assert.equal(status, 201)
  await assertPledged(withReference('SHED 01'))
  await posted(lender.key, `/v1/documents/${body.agreement.documents.disbursement_id}/pay`)
  await creditInFull(invoice)
  await assertPledged(refersTo('Shed 2', invoice))
})

test('provenance 8: no listing keeps the reference of an invoice whose text is erased', async () => {
  const { agreement } = await loans.accepted(parties, {}, withReference('Canary 77'))
  await erase(agreement.pledged_document_id)
  for (const text of ['Canary 77', 'CANARY77']) {
    assert.deepEqual(await tablesContaining(running.database, text), [], text)
  }
  const { status, duplicate_warning } = await loans.listed(parties)
  assert.deepEqual([status, duplicate_warning.matches > 0], ['open', true])
})

test('domain 5.6: of two listed twins the second is refused, though the text of one is erased', async () => {
  const [first, second] = [
    await loans.offered(parties, {}, withReference('Loft 1')),
    await loans.offered(parties, {}, withReference('Loft 1')),
  ]
  const listing = await loans.found(borrower.key, `/v1/finance/listings/${second.listing_id}`)
  await erase(listing.document_id)
  assert.equal((await accept(first)).status, 201)
  assertRefused(await accept(second), 'conflict', 'already_pledged')
  await assertServiceConsistent(running)
})
