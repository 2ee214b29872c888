/** Bright Timber borrows against the bill of the café. */
import { type Example, exampleIds } from './ids.ts'

const terms = { principal: 1_000, fee: { type: 'bps', value: 250 }, grace_days: 7 }

const digest = `sha256:${'a8'.repeat(32)}`

export const financeExamples: Readonly<Record<string, Example>> = {
  'finance.setup.update': {
    body: { borrower: { enabled: true }, lender: { enabled: true, max_principal: 50_000 } },
  },
  'finance.listings.list': { query: 'role=lender&status=open' },
  'finance.listings.create': { body: { document_id: exampleIds.document, terms } },
  'finance.offers.create': {
    body: { kind: 'counter', terms: { ...terms, fee: { type: 'flat', value: 20 } } },
  },
  'finance.offers.list': { query: 'role=borrower&status=open' },
  'finance.offers.accept': { body: { authorization_digest: digest } },
  'finance.agreements.list': { query: 'status=flagged' },
  'finance.agreements.repay': { body: { source_account_id: 'acct_test_async' } },
  'finance.agreements.withdraw': { body: { reason: 'The order was cancelled.' } },
}
