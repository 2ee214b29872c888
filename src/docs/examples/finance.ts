/** A loan of Harbour Lending to Bright Timber against an approved invoice. */
import { exampleDocuments } from './documents.ts'
import { type Example, page } from './ids.ts'

const terms = { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 }

const termsShown = {
  ...terms,
  currency: 'USD',
  fee_amount: 250,
  total_repayable: 10250,
  due_date: '2026-12-24',
  flag_after: '2026-12-31',
}

const digest = 'sha256:5ff50b766baf676683eb3c4b8a642face2639f38b24bc7fbbde5432d143d7dbb'

export const authorization = {
  authority: {
    amount: 'min(proceeds,amount_owed)',
    attempts_per_settlement: 1,
    credit: 'lender.funding_account_id',
    debit: 'borrower.settlement_account_id',
    ends: 'amount_owed_zero_or_agreement_closed',
    rail: 'same_as_trigger',
    trigger: 'pledged_invoice_settled',
  },
  borrower: {
    organization_id: 'org_01m85p1rs4fa4rrk0vvsgjky0t',
    settlement_account_id: 'acct_01m85p1rs4eth86v76bb3eqemp',
  },
  disclosure: {
    amount_provided: '10000.00',
    annualized_cost: '0.3042',
    finance_charge: '250.00',
    prepayment: 'no_rebate',
    recourse: 'full',
    security: 'pledge of one receivable',
    term_days: 30,
    total_repayable: '10250.00',
  },
  duplicate_warning: { matches: 0 },
  expires_at: '2026-12-01T02:27:10.549Z',
  lender: {
    funding_account_id: 'acct_01m85p1s78empra7kkq91e6ny5',
    organization_id: 'org_01m85p1s78fnerksdw51gf36sm',
  },
  listing_id: 'lst_01m85p1tc3e0js1mm7rz559h84',
  notice: 'undisclosed',
  offer_id: 'ofr_01m85p1tjnej0saehc1mmpsw7h',
  pledge: {
    balance_due: '12500.00',
    currency: 'USD',
    document_id: 'doc_01m85p1sxaebf92cw39gq1trw7',
    due_date: '2026-12-24',
    issuer_number: 'INV-000001',
  },
  terms: {
    currency: 'USD',
    due_date: '2026-12-24',
    fee: { amount: '250.00', type: 'bps', value: '250' },
    flag_after: '2026-12-31',
    grace_days: 7,
    principal: '10000.00',
    total_repayable: '10250.00',
  },
  type: 'finance.standing_authorization',
  version: 2,
}

const setup = {
  borrower: { enabled: true, settlement_account_id: 'acct_01m85p1rs4eth86v76bb3eqemp' },
  lender: {
    enabled: true,
    funding_account_id: 'acct_01m85p1rs4frb9n6fgx5fwnr8q',
    max_principal: null,
  },
  verified: true,
  eligible_as_borrower: true,
  eligible_as_lender: true,
  blockers: [],
  updated_at: '2026-11-24T02:27:09.488Z',
}

export const listing = {
  id: 'lst_01m85p1tc3e0js1mm7rz559h84',
  role: 'borrower',
  status: 'open',
  borrower: { organization_id: 'org_01m85p1rs4fa4rrk0vvsgjky0t', name: 'Bright Timber' },
  document_id: 'doc_01m85p1sxaebf92cw39gq1trw7',
  collateral: { currency: 'USD', balance_due: 12500, due_date: '2026-12-24', status: 'approved' },
  terms: termsShown,
  notice: 'undisclosed',
  duplicate_warning: { matches: 0 },
  expires_at: '2026-12-08T02:27:10.339Z',
  created_at: '2026-11-24T02:27:10.339Z',
  updated_at: '2026-11-24T02:27:10.339Z',
}

const { document_id: _, ...demoListing } = { ...listing, role: 'lender' }

export const offer = {
  id: 'ofr_01m85p1tjnej0saehc1mmpsw7h',
  listing_id: 'lst_01m85p1tc3e0js1mm7rz559h84',
  role: 'lender',
  kind: 'at_ask',
  status: 'open',
  lender: { organization_id: 'org_01m85p1s78fnerksdw51gf36sm', name: 'Harbour Lending' },
  borrower: { organization_id: 'org_01m85p1rs4fa4rrk0vvsgjky0t', name: 'Bright Timber' },
  terms: termsShown,
  disclosure: {
    amount_provided: 10000,
    finance_charge: 250,
    total_repayable: 10250,
    term_days: 30,
    annualized_cost: 0.3042,
    prepayment: 'no_rebate',
    security: 'pledge of one receivable',
    recourse: 'full',
  },
  expires_at: '2026-12-01T02:27:10.549Z',
  created_at: '2026-11-24T02:27:10.549Z',
  updated_at: '2026-11-24T02:27:10.549Z',
  standing_authorization: { digest, document: authorization },
}

export const agreement = {
  id: 'agr_01m85p1v1we1wbg391f3qnnfgf',
  status: 'accepted',
  role: 'borrower',
  offer_id: 'ofr_01m85p1tjnej0saehc1mmpsw7h',
  listing_id: 'lst_01m85p1tc3e0js1mm7rz559h84',
  connection_id: 'con_01m85p1s8vfzx919616pkw3g3x',
  pledged_document_id: 'doc_01m85p1sxaebf92cw39gq1trw7',
  pledge: { currency: 'USD', balance_due: 12500, due_date: '2026-12-24', status: 'approved' },
  documents: {
    agreement_id: 'doc_01m85p1v1wfd8s7sbcy1mwxm0q',
    disbursement_id: 'doc_01m85p1v1wfhrtnf7vgmz6477c',
    repayment_id: 'doc_01m85p1v1we67vsz0j2cvmqbvf',
  },
  terms: termsShown,
  notice: 'undisclosed',
  amount_owed: 0,
  amount_repaid: 0,
  flag: null,
  closed_reason: null,
  authorization_digest: digest,
  accepted_at: '2026-11-24T02:27:11.036Z',
  funding_deadline: '2026-11-29T02:27:11.036Z',
  funded_at: null,
  repaid_at: null,
  closed_at: null,
  updated_at: '2026-11-24T02:27:11.036Z',
}

const repayment = {
  agreement_id: 'agr_01m85p1v1we1wbg391f3qnnfgf',
  document_id: 'doc_01m85p1v1we67vsz0j2cvmqbvf',
  principal: 10000,
  fee_amount: 250,
  total_repayable: 10250,
  amount_repaid: 0,
  amount_in_flight: 0,
  amount_owed: 0,
  due_date: '2026-12-24',
  flag_after: '2026-12-31',
  days_past_due: 0,
  payments: [],
  sweeps: [],
}

const loanDocument = (document_type: string, label: string, number: string) => ({
  ...exampleDocuments.approvedBill,
  document_type,
  label,
  number,
  issuer_number: number,
})

/** The three documents of the loan; all but what is special of them is as in any document. */
export const documents = {
  agreement: loanDocument('agreement', 'Loan Agreement', 'FIN-000001'),
  disbursement: loanDocument('disbursement', 'Loan Proceeds', 'DSB-000001'),
  repayment: loanDocument('repayment', 'Loan Repayment', 'RPY-000001'),
}

export const financeExamples: Readonly<Record<string, Example>> = {
  'finance.setup.get': { response: setup },
  'finance.setup.update': {
    body: { borrower: { enabled: true }, lender: { enabled: true, max_principal: null } },
    response: setup,
  },
  'finance.listings.list': { query: 'role=borrower&status=open', response: page(listing) },
  'finance.listings.create': {
    body: { document_id: listing.document_id, terms },
    response: listing,
  },
  'finance.listings.get': { response: listing },
  'sandbox.demo.create_listing': { body: { scenario: 'accept' }, response: demoListing },
  'finance.listings.withdraw': { response: { ...listing, status: 'withdrawn' } },
  'finance.offers.create': { body: { kind: 'at_ask' }, response: offer },
  'finance.offers.list': { query: 'role=lender&status=open', response: page(offer) },
  'finance.offers.get': { response: offer },
  'finance.offers.authorization': { response: authorization },
  'finance.offers.accept': {
    body: { authorization_digest: digest },
    response: { agreement, documents },
  },
  'finance.offers.decline': { response: { ...offer, role: 'borrower', status: 'declined' } },
  'finance.offers.withdraw': { response: { ...offer, status: 'withdrawn' } },
  'finance.agreements.list': { query: 'status=accepted', response: page(agreement) },
  'finance.agreements.get': { response: agreement },
  'finance.agreements.repayment': { response: repayment },
  'finance.agreements.repay': {
    body: { source_account_id: 'acct_test_async' },
    response: repayment,
  },
  'finance.agreements.withdraw': {
    body: { reason: 'The order was cancelled.' },
    response: { ...agreement, status: 'closed', closed_reason: 'withdrawn' },
  },
}
