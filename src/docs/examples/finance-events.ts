/** The data of an event of each finance type, as the borrower gets it (domain 5.5). */
import type { EventType } from '../../contract/events.ts'
import { exampleDocuments } from './documents.ts'
import { agreement, authorization, documents, listing, offer } from './finance.ts'
import { outgoingPayment } from './payments.ts'

const { agreement_id, disbursement_id, repayment_id } = agreement.documents

const inDollars = { ...outgoingPayment, currency: 'USD', agreement_id: agreement.id }

const disbursement = {
  ...inDollars,
  kind: 'disbursement',
  document_id: disbursement_id,
  direction: 'incoming',
  source_account_id: null,
  destination_account_id: authorization.borrower.settlement_account_id,
  initiated_by: { kind: 'api_key', organization_id: offer.lender.organization_id },
  amount: 10_000,
}

const sweep = {
  ...inDollars,
  kind: 'sweep',
  document_id: repayment_id,
  source_account_id: authorization.borrower.settlement_account_id,
  initiated_by: { kind: 'system', organization_id: null },
  triggered_by_payment_id: outgoingPayment.id,
  amount: 10_250,
}

const accepted = { ...documents.agreement, id: agreement_id }
const at = '2026-12-24T09:30:00.000Z'
const funded = { ...agreement, status: 'funded', amount_owed: 10_250, funded_at: at }
const repaid = { ...funded, status: 'repaid', amount_owed: 0, amount_repaid: 10_250, repaid_at: at }
const flag = { code: 'collateral_disputed', since: at, cured_at: null }

export const financeEventData: Partial<Record<EventType, object>> = {
  'finance.offer.received': {
    document: { ...exampleDocuments.invoice, status: 'approved' },
    offer: { ...offer, role: 'borrower' },
    listing,
  },
  'finance.agreement.accepted': { document: accepted, agreement },
  'finance.agreement.funded': {
    document: { ...accepted, status: 'funded' },
    agreement: funded,
    payment: disbursement,
  },
  'finance.agreement.repaid': {
    document: { ...accepted, status: 'repaid' },
    agreement: repaid,
    payment: sweep,
    swept: true,
  },
  'finance.agreement.flagged': {
    document: { ...accepted, status: 'flagged' },
    agreement: { ...funded, status: 'flagged', flag },
    flag,
  },
  'finance.agreement.closed': {
    document: { ...accepted, status: 'closed' },
    agreement: { ...repaid, status: 'closed', closed_reason: 'repaid', closed_at: at },
    closed_reason: 'repaid',
  },
}
