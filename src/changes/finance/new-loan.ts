/**
 * The documents of a new loan, the pledge of the invoice, and the links between them. The agreement
 * comes last: its first event pins the others as they are then, and they name its stream.
 */
import { limits } from '../../contract/limits.ts'
import { CanonicalText } from '../../core/canonical-json.ts'
import { addDays } from '../../core/dates.ts'
import { type LoanParts, financeOf, serializeFinance } from '../../core/finance/document-finance.ts'
import {
  type AgreementRow,
  type OfferRow,
  projectAgreement,
} from '../../core/finance/finance-views.ts'
import { encodeId } from '../../core/ids.ts'
import { streamOf } from '../../core/provenance/history-event.ts'
import { type LoanRelation, loanRelations, versionOf } from '../../core/provenance/lineage.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { todayOf } from '../organization-clock.ts'
import { createLoanDocument } from './new-loan-document.ts'
import { movePledge } from './pledges.ts'

export type NewLoanDocuments = Record<'agreement' | 'disbursement' | 'repayment', DocumentRow>

interface NewLoan {
  offer: OfferRow
  connection: Rows['connections']
  /** The fingerprints under which the invoice is pledged. */
  fingerprints: readonly string[]
  /** How much of the invoice had been credited when the offer was made. */
  credited: bigint
  agreement: AgreementRow
  loan: LoanParts
  at: string
}

export const createLoanDocuments = (change: ChangeContext, input: NewLoan): NewLoanDocuments => {
  const { unit } = change
  const { offer, connection, agreement, loan, at } = input
  const { lender_id: lender, borrower_id: borrower } = offer
  const finance = serializeFinance({ listing: null, loan, pledge: null })
  const common = { connection, terms: offer, finance, at, events: [] }
  const dueDate = addDays(todayOf(unit, lender), limits.fundingDays)
  const newSalt = () => Buffer.from(unit.randomBytes(16))
  const agreementSalt = newSalt()
  const peer = { stream: streamOf(agreementSalt, encodeId('doc', loan.documents.agreement)) }
  const linkOf = (relation: LoanRelation) => ({ link: { relation, direction: 'from', peer } })
  const disbursement = createLoanDocument(change, {
    ...common,
    id: loan.documents.disbursement,
    type: 'disbursement',
    issuer: borrower,
    counterparty: lender,
    due_date: dueDate,
    stream_salt: newSalt(),
    history: linkOf('disbursed_by'),
  })
  const repayment = createLoanDocument(change, {
    ...common,
    id: loan.documents.repayment,
    type: 'repayment',
    issuer: lender,
    counterparty: borrower,
    due_date: offer.due_date,
    stream_salt: newSalt(),
    history: linkOf('repaid_by'),
  })
  const invoice = pledgedInvoice(change, input, linkOf('secured_by'))
  const document = createLoanDocument(change, {
    ...common,
    id: loan.documents.agreement,
    type: 'agreement',
    issuer: lender,
    counterparty: borrower,
    due_date: null,
    stream_salt: agreementSalt,
    history: {
      finance: {
        authorization: new CanonicalText(offer.authorization_text),
        digest: offer.authorization_digest,
        secured_by: versionOf(invoice),
        disbursed_by: versionOf(disbursement),
        repaid_by: versionOf(repayment),
      },
    },
    events: [
      {
        type: 'finance.agreement.accepted',
        extraText: (receiver) =>
          `"agreement":${JSON.stringify(projectAgreement(agreement, receiver))}`,
      },
    ],
  })
  linkToAgreement(unit, document, {
    disbursed_by: disbursement,
    repaid_by: repayment,
    secured_by: invoice,
  })
  return { agreement: document, disbursement, repayment }
}

const linkToAgreement = (
  unit: UnitOfWork,
  { id: to_id }: DocumentRow,
  documents: Readonly<Record<LoanRelation, DocumentRow>>,
): void => {
  for (const rel of loanRelations) {
    unit.insert('document_links', { from_id: documents[rel].id, to_id, rel, issued_by: null })
  }
}

/** The invoice with its pledge, after its own event, which says how they are linked. */
const pledgedInvoice = (
  change: ChangeContext,
  { agreement, loan, fingerprints, credited }: NewLoan,
  link: object,
): DocumentRow => {
  const { unit } = change
  const invoice = unit.get('documents', agreement.invoice_id)!
  const linked = { ...invoice, finance: serializeFinance({ ...financeOf(invoice), loan }) }
  const isDisclosed = agreement.notice === 'disclosed'
  return movePledge(change, linked, {
    status: 'recorded',
    pledge: { agreement: agreement.id, isDisclosed, fingerprints, credited: String(credited) },
    history: { authorization_digest: agreement.authorization_digest, ...link },
  })
}
