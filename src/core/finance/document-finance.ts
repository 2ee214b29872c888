/**
 * What finance adds to a document (`documents.finance`): the open listing of an invoice, its
 * latest pledge, and the loan of which the document is a part.
 */
import type { Rows } from '../../database/rows.ts'
import { encodeId } from '../ids.ts'
import { documentsOfLoan, rememberingLast } from '../remembering-parser.ts'

/** The agreement and the four documents of a loan, by their uuids. */
export interface LoanParts {
  agreement: string
  /** The agreement as a document, the disbursement and the repayment. */
  documents: { agreement: string; disbursement: string; repayment: string }
  invoice: string
}

export interface Pledge {
  /** The uuid of the agreement. */
  agreement: string
  status: 'recorded' | 'assigned' | 'released'
  since: string
  /** Whether the debtor is told of the assignment and, if there was one, of the release. */
  isDisclosed: boolean
  /** One for each of its rows in `finance_pledges`; none may be missing while it is held. */
  fingerprints: readonly string[]
  /**
   * How much of the invoice had been credited at the lender's offer, in minor units. Absent in
   * pledges of earlier versions.
   */
  credited?: string
  /** What the debtor was told of earlier pledges, as long as it is not told of this one. */
  earlierNotice?: NoticeOfAssignment
}

/** What the debtor reads of a pledge. */
export interface NoticeOfAssignment {
  status: 'assigned' | 'released'
  since: string
}

export interface DocumentFinance {
  /** The open listing. */
  listing: string | null
  loan: LoanParts | null
  pledge: Pledge | null
  /** In a repayment: the disbursement was returned, so nothing is owed until it is paid again. */
  awaitsFunding?: true
}

const none: DocumentFinance = { listing: null, loan: null, pledge: null }

const parse = rememberingLast((text) => JSON.parse(text) as DocumentFinance, documentsOfLoan)

export const financeOf = ({ finance }: { finance: string | null }): DocumentFinance =>
  finance === null ? none : parse(finance)

const id = '"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"'
const loanPattern = new RegExp(
  `"loan":{"agreement":${id},"documents":{"agreement":${id},"disbursement":${id},` +
    `"repayment":${id}},"invoice":${id}}`,
)

/** The loan in the stored form, which need not be one: its seal was not checked yet. */
export const loanNamedIn = (finance: string): LoanParts | undefined => {
  const ids = loanPattern.exec(finance)
  if (ids === null) return undefined
  const [, agreement, contract, disbursement, repayment, invoice] = ids as unknown as string[]
  return {
    agreement: agreement!,
    documents: { agreement: contract!, disbursement: disbursement!, repayment: repayment! },
    invoice: invoice!,
  }
}

export const loanPartsOf = (agreement: Rows['finance_agreements']): LoanParts => ({
  agreement: agreement.id,
  documents: {
    agreement: agreement.agreement_document,
    disbursement: agreement.disbursement_document,
    repayment: agreement.repayment_document,
  },
  invoice: agreement.invoice_id,
})

/** The rows that a change of a loan needs, whichever of its documents has changed. */
export const loanRows = ({ agreement, documents, invoice }: LoanParts) => {
  const paid = [invoice, documents.disbursement, documents.repayment]
  return {
    documents: [...paid, documents.agreement],
    paymentsOfDocuments: paid,
    agreements: [agreement],
  }
}

/** The agreement of which the document is a part. */
export const agreementOf = (document: { finance: string | null }): string | null =>
  financeOf(document).loan?.agreement ?? null

/** The stored form. */
export const serializeFinance = (finance: DocumentFinance): string | null =>
  Object.values(finance).every((part) => part === null) ? null : JSON.stringify(finance)

/** An invoice that is listed or pledged cannot be cancelled, listed or pledged again. */
export const isEncumbered = (document: { finance: string | null }): boolean => {
  if (document.finance === null) return false
  const { listing, pledge } = financeOf(document)
  return listing !== null || isHeld(pledge)
}

export const isHeld = (pledge: Pledge | null): pledge is Pledge =>
  pledge !== null && pledge.status !== 'released'

/** Whether nobody can pay the document, though it is approved and has a balance. */
export const awaitsFunding = (document: { finance: string | null }): boolean =>
  document.finance !== null && financeOf(document).awaitsFunding === true

/** Whether nothing of a repayment is owed yet: the lender's money has not arrived, or went back. */
export const isUnfundedRepayment = (document: {
  type: string
  status: string
  finance: string | null
}): boolean =>
  document.type === 'repayment' && (document.status === 'submitted' || awaitsFunding(document))

/** The pledge for this agreement, until it is released. */
export const pledgeHeldFor = (
  document: { finance: string | null },
  agreement: string,
): Pledge | null => {
  const { pledge } = financeOf(document)
  return isHeld(pledge) && pledge.agreement === agreement ? pledge : null
}

/** The pledge as the issuer reads it; null without one. */
export const pledgeForIssuer = (document: { finance: string | null }) => {
  const { pledge } = financeOf(document)
  if (pledge === null) return null
  const { agreement, status, since } = pledge
  return { agreement_id: encodeId('agr', agreement), status, since }
}

/** The notice of assignment: what the debtor was told last, whatever was pledged since. */
export const pledgeForDebtor = (document: {
  finance: string | null
}): NoticeOfAssignment | null => {
  const { pledge } = financeOf(document)
  if (pledge === null) return null
  return noticeOf(pledge) ?? pledge.earlierNotice ?? null
}

/** What the debtor is told of this pledge. */
export const noticeOf = ({ isDisclosed, status, since }: Pledge): NoticeOfAssignment | null =>
  isDisclosed && status !== 'recorded' ? { status, since } : null
