/** Borrower, debtor and lender, and loans between them, through the API. */
import assert from 'node:assert/strict'
import { type Reply, callApi, postWhenFree } from '../api-client.ts'
import { inDays } from '../dates.ts'
import { type Pair, type TestOrganization, anOrganization, connectPair } from '../fixtures.ts'
import { connectTestProcessor } from '../payments/connect-test-processor.ts'
import { anApprovedInvoice } from '../payments/approved-invoices.ts'
import type { TestService } from '../test-service.ts'

export interface LoanParties {
  borrower: TestOrganization
  debtor: TestOrganization
  lender: TestOrganization
  /** Of the borrower, who issues, and the debtor. */
  trade: Pair
}

export const enableFinance = async (running: TestService, key: string): Promise<void> => {
  const body = { borrower: { enabled: true }, lender: { enabled: true } }
  const reply = await callApi(running, 'PUT', '/v1/finance/setup', { key, body })
  assert.equal(reply.status, 200, reply.text)
}

export const loanParties = async (
  running: TestService,
  mode: 'live' | 'test' = 'test',
): Promise<LoanParties> => {
  const [borrower, debtor, lender] = [
    await anOrganization(running, { mode }),
    await anOrganization(running, { mode }),
    await anOrganization(running, { mode }),
  ]
  const trade = await connectPair(running, borrower, debtor)
  await connectPair(running, lender, borrower)
  if (mode === 'live') {
    for (const one of [borrower, debtor, lender]) await connectTestProcessor(running, one)
  }
  await enableFinance(running, borrower.key)
  await enableFinance(running, lender.key)
  return { borrower, debtor, lender, trade }
}

/** Sets the clocks of three sandboxes to noon, so that no midnight is near; returns the date. */
export const setToNoon = async (
  running: TestService,
  { borrower, debtor, lender }: LoanParties,
): Promise<string> => {
  const date = inDays(1)
  for (const { key } of [borrower, debtor, lender]) {
    const body = { advance_to: `${date}T12:00:00.000Z` }
    const reply = await callApi(running, 'POST', '/v1/sandbox/clock', { key, body })
    assert.equal(reply.status, 200, reply.text)
  }
  return date
}

/** Of the invoices: 12,500.00 USD. */
const invoiceLine = { description: 'Goods', quantity: 1, unit_price: 12_500, tax_rate: 0 }

export const askedTerms = { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 }

export const loansClient = (running: TestService) => {
  const post = (key: string, path: string, body: object = {}): Promise<Reply> =>
    callApi(running, 'POST', path, { key, body })
  const get = (key: string, path: string): Promise<Reply> => callApi(running, 'GET', path, { key })

  const posted = async (key: string, path: string, body: object = {}) => {
    const reply = await postWhenFree(running, path, { key, body })
    assert(reply.status < 300, reply.text)
    return reply.body
  }
  const found = async (key: string, path: string) => {
    const reply = await get(key, path)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  const invoice = ({ trade }: LoanParties, more: object = {}) =>
    anApprovedInvoice(running, trade, { line_items: [invoiceLine], ...more })

  const listed = async (parties: LoanParties, more: object = {}, invoiceFields: object = {}) => {
    const { id } = await invoice(parties, invoiceFields)
    const body = { document_id: id, terms: askedTerms, ...more }
    return posted(parties.borrower.key, '/v1/finance/listings', body)
  }

  const offered = async (parties: LoanParties, more: object = {}, invoiceFields: object = {}) => {
    const listing = await listed(parties, more, invoiceFields)
    const path = `/v1/finance/listings/${listing.id}/offers`
    return posted(parties.lender.key, path, { kind: 'at_ask' })
  }

  const acceptanceOf = ({ standing_authorization: { digest } }: Reply['body']) => ({
    authorization_digest: digest,
  })

  /** The answer of accepting an offer. */
  const accepted = async (parties: LoanParties, more: object = {}, invoiceFields: object = {}) => {
    const offer = await offered(parties, more, invoiceFields)
    const path = `/v1/finance/offers/${offer.id}/accept`
    return posted(parties.borrower.key, path, acceptanceOf(offer))
  }

  const funded = async (parties: LoanParties, more: object = {}, invoiceFields: object = {}) => {
    const { agreement } = await accepted(parties, more, invoiceFields)
    await posted(parties.lender.key, `/v1/documents/${agreement.documents.disbursement_id}/pay`)
    return agreementOf(parties.borrower.key, agreement.id)
  }

  const agreementOf = (key: string, id: string) => found(key, `/v1/finance/agreements/${id}`)
  const documentOf = (key: string, id: string) => found(key, `/v1/documents/${id}`)

  const eventTypesOf = async (key: string, document: string): Promise<string[]> => {
    const { data } = await found(key, `/v1/events?document=${document}&limit=100`)
    return data.map(({ type }: { type: string }) => type).toReversed()
  }

  return {
    post,
    get,
    posted,
    found,
    invoice,
    listed,
    offered,
    acceptanceOf,
    accepted,
    funded,
    agreementOf,
    documentOf,
    eventTypesOf,
  }
}
