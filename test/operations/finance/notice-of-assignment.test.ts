/** What the debtor is told of pledges, one after the other, of the same invoice (domain 5.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import type { Reply } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

type Notice = 'disclosed' | 'undisclosed'

/** Another loan against an invoice that is not pledged any more. */
const pledgedAgain = async (document_id: string, notice: Notice): Promise<Reply['body']> => {
  const listing = { document_id, terms: askedTerms, notice }
  const { id } = await posted(borrower.key, '/v1/finance/listings', listing)
  const path = `/v1/finance/listings/${id}/offers`
  const offer = await posted(lender.key, path, { kind: 'at_ask' })
  const acceptance = loans.acceptanceOf(offer)
  const accepted = await posted(borrower.key, `/v1/finance/offers/${offer.id}/accept`, acceptance)
  return accepted.agreement
}

const withdraw = ({ id }: { id: string }) =>
  posted(borrower.key, `/v1/finance/agreements/${id}/withdraw`)

const fund = ({ documents }: { documents: Record<string, string> }) =>
  posted(lender.key, `/v1/documents/${documents['disbursement_id']}/pay`)

const repay = ({ id }: { id: string }) =>
  posted(borrower.key, `/v1/finance/agreements/${id}/repayment`)

/** What the debtor reads: the bill's pledge, and how many events told of it. */
const toldOf = async (invoice: string) => {
  const { pledge } = await loans.documentOf(debtor.key, invoice)
  const path = `/v1/events?document=${invoice}&type=document.edited&fields=data.changes`
  const { data: events } = await found(debtor.key, path)
  for (const { data } of events) assert.deepEqual(data.changes, ['pledge'])
  return { pledge, events: events.length }
}

const assertProven = async (invoice: string): Promise<void> => {
  for (const { key } of [borrower, debtor]) await found(key, `/v1/documents/${invoice}/history`)
  await assertBundlesHold(running, invoice, [borrower.key, debtor.key])
}

test('domain 5.6: a disclosed pledge that was never assigned is released without a word', async () => {
  const { agreement } = await loans.accepted(parties, { notice: 'disclosed' })
  const { pledged_document_id: invoice } = agreement
  await withdraw(agreement)
  assert.equal((await loans.documentOf(borrower.key, invoice)).pledge.status, 'released')
  assert.deepEqual(await toldOf(invoice), { pledge: undefined, events: 0 })
  await assertProven(invoice)
})

test('both sides are told of an assignment with the moves that the document has from then on', async () => {
  const { agreement } = await loans.accepted(parties, { notice: 'disclosed' })
  const { pledged_document_id: invoice } = agreement
  await runAndSeal(
    running.database,
    'documents',
    sql`update documents set counterparty_events = ${limits.changesPerDocumentMax - 1}
      where id = ${decodeId('doc', invoice)!}`,
  )
  await fund(agreement)
  for (const { key } of [borrower, debtor]) {
    const { data } = await found(key, `/v1/events?document=${invoice}&limit=1`)
    const { allowed_transitions: told } = data[0].data.document
    const { allowed_transitions: shown } = await loans.documentOf(key, invoice)
    assert.deepEqual([data[0].data.changes, told], [['pledge'], shown])
  }
})

for (const notice of ['undisclosed', 'disclosed'] as const) {
  test(`domain 5.6: a debtor keeps the release it was told of when the next pledge is ${notice}`, async () => {
    const first = await loans.funded(parties, { notice: 'disclosed' })
    const { pledged_document_id: invoice } = first
    await repay(first)
    const released = await toldOf(invoice)
    assert.deepEqual([released.pledge.status, released.events], ['released', 2])

    const second = await pledgedAgain(invoice, notice)
    assert.deepEqual(await toldOf(invoice), released)
    await assertProven(invoice)
    await withdraw(second)
    assert.deepEqual(await toldOf(invoice), released)

    const third = await pledgedAgain(invoice, notice)
    await fund(third)
    const assigned = await toldOf(invoice)
    if (notice === 'undisclosed') assert.deepEqual(assigned, released)
    else assert.deepEqual([assigned.pledge.status, assigned.events], ['assigned', 3])
    await repay(third)
    const last = await toldOf(invoice)
    if (notice === 'undisclosed') assert.deepEqual(last, released)
    else assert.deepEqual([last.pledge.status, last.events], ['released', 4])
    await assertProven(invoice)
  })
}
