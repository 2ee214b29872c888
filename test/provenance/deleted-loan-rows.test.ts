/** Provenance 8: a row of a loan that was deleted in the database is missed before it matters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { move } from '../support/fixtures.ts'
import { askedTerms, loanParties, loansClient } from '../support/finance/loans.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, get } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

const withReference = (issuer_ref: string) => ({ external_refs: { issuer_ref } })

const assertWithheld = (reply: Reply, what: string): void => {
  assert.deepEqual([reply.status, reply.body.error?.code], [500, 'integrity_failure'], what)
  assert(running.logLines.some((line) => line.includes(reply.body.error.details.incident_id)))
}

const withoutRow = (table: string, condition: string, check: () => Promise<void>) =>
  whileTampered(running.database, table, `delete from ${table} where ${condition}`, check)

const verifiedReads = (key: string, id: string) =>
  ['history', 'lineage', 'export'].map((what) => () => get(key, `/v1/documents/${id}/${what}`))

const assertAllWithheld = async (calls: readonly (() => Promise<Reply>)[]): Promise<void> => {
  for (const [i, call] of calls.entries()) assertWithheld(await call(), `call ${i}`)
}

test('a loan whose pledge is gone is not funded, swept or withdrawn, and proves nothing', async () => {
  const { agreement } = await loans.accepted(parties)
  const { documents, pledged_document_id: invoice } = agreement
  const path = `/v1/finance/agreements/${agreement.id}`
  await withoutRow('finance_pledges', `agreement_id = '${decodeId('agr', agreement.id)}'`, () =>
    assertAllWithheld([
      () => post(lender.key, `/v1/documents/${documents.disbursement_id}/pay`),
      () => post(debtor.key, `/v1/documents/${invoice}/pay`),
      () => post(borrower.key, `${path}/withdraw`),
      () => move(running, debtor.key, invoice, 'disputed', { note: 'No' }),
      () => get(lender.key, `${path}/export`),
      ...verifiedReads(borrower.key, invoice),
    ]),
  )
  await posted(lender.key, `/v1/documents/${documents.disbursement_id}/pay`)
  await posted(debtor.key, `/v1/documents/${invoice}/pay`)
  assert.equal((await loans.agreementOf(lender.key, agreement.id)).closed_reason, 'repaid')
})

test('a receivable whose pledge is gone is not pledged again, under no other name', async () => {
  const { agreement } = await loans.accepted(parties, {}, withReference('Boat 7'))
  const offer = await loans.offered(parties, {}, withReference('Boat 8'))
  const twin = await loans.invoice(parties, withReference('boat 07'))
  const listing = { document_id: twin.id, terms: askedTerms }
  const listTwin = () => post(borrower.key, '/v1/finance/listings', listing)
  await withoutRow(
    'finance_pledges',
    `agreement_id = '${decodeId('agr', agreement.id)}'`,
    async () => {
      assertWithheld(await listTwin(), 'the twin')
      const own = { document_id: agreement.pledged_document_id, terms: askedTerms }
      const again = await post(borrower.key, '/v1/finance/listings', own)
      assert.equal(again.status === 201, false, 'the invoice itself')
      const path = `/v1/finance/offers/${offer.id}/accept`
      await posted(borrower.key, path, loans.acceptanceOf(offer))
    },
  )
  assert.equal((await listTwin()).body.error.details.reason, 'already_pledged')
})

test('a loan whose agreement is gone changes in none of its documents', async () => {
  const loan = await loans.funded(parties)
  const { documents, pledged_document_id: invoice } = loan
  await withoutRow('finance_agreements', `id = '${decodeId('agr', loan.id)}'`, () =>
    assertAllWithheld([
      () => post(debtor.key, `/v1/documents/${invoice}/pay`),
      () => post(borrower.key, `/v1/documents/${documents.repayment_id}/pay`),
      ...Object.values(documents).flatMap((id) => verifiedReads(lender.key, id as string)),
      ...verifiedReads(debtor.key, invoice),
    ]),
  )
})

test('an invoice whose listing is gone does not change', async () => {
  const offer = await loans.offered(parties)
  const { body } = await get(borrower.key, `/v1/finance/listings/${offer.listing_id}`)
  const invoice = body.document_id
  await withoutRow('finance_listings', `id = '${decodeId('lst', offer.listing_id)}'`, () =>
    assertAllWithheld([
      () => post(debtor.key, `/v1/documents/${invoice}/pay`),
      () =>
        callApi(running, 'POST', `/v1/finance/offers/${offer.id}/accept`, {
          key: borrower.key,
          body: loans.acceptanceOf(offer),
        }),
      ...verifiedReads(debtor.key, invoice),
    ]),
  )
})
