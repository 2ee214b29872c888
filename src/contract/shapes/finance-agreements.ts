/** Agreements of the finance family, and their repayment (domain 5.2). */
import { type Static, Type } from 'typebox'
import { agreementStatuses, closedReasons, flagCodeNames } from '../finance-states.ts'
import { limits } from '../limits.ts'
import { Document } from './documents.ts'
import {
  DateOnly,
  DateOrTimestamp,
  Id,
  Money,
  NonBlankText,
  Nullable,
  StringEnum,
  Timestamp,
} from './field-types.ts'
import { Collateral, FinanceRole, Notice, NullableTime, Terms } from './finance-terms.ts'
import { CommaList, InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'
import { Payment, SourceAccount } from './payments.ts'

export const OfferAccept = InputObject(
  {
    authorization_digest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: '`standing_authorization.digest` of the offer.',
      examples: [`sha256:${'a8'.repeat(32)}`],
    }),
  },
  'What the borrower accepts.',
)
export type OfferAccept = Static<typeof OfferAccept>

export const Flag = OutputObject(
  {
    code: StringEnum(flagCodeNames, 'What is wrong.'),
    since: Timestamp('Since when.'),
    cured_at: NullableTime('When it was cured.'),
  },
  'The latest flag that is not cured, else the latest one.',
)

export const Agreement = OutputObject(
  {
    id: Id('agr', 'The agreement.'),
    status: StringEnum(agreementStatuses, 'The current status, also that of its document.'),
    role: FinanceRole,
    offer_id: Id('ofr', 'The accepted offer.'),
    listing_id: Id('lst', 'The listing.'),
    connection_id: Id('con', 'The connection of borrower and lender.'),
    pledged_document_id: Type.Optional(Id('doc', 'The pledged invoice (borrower only).')),
    pledge: Collateral,
    documents: OutputObject(
      {
        agreement_id: Id('doc', 'The agreement, FIN-.'),
        disbursement_id: Id('doc', 'The disbursement, DSB-, which the lender pays.'),
        repayment_id: Id('doc', 'The repayment, RPY-, which the borrower owes.'),
      },
      'The documents of the loan, which both parties read at /v1/documents.',
    ),
    terms: Terms,
    notice: Notice,
    amount_owed: Money('What the borrower owes now; 0 before the loan is funded.'),
    amount_repaid: Money('Repaid so far.'),
    flag: Nullable(Flag),
    closed_reason: Nullable(StringEnum(closedReasons, 'Why it is closed.')),
    authorization_digest: Type.String({ description: 'What the borrower accepted.' }),
    accepted_at: Timestamp('When the offer was accepted.'),
    funding_deadline: Timestamp(
      "By when the disbursement is to be settled, by the lender's clock.",
    ),
    funded_at: NullableTime('When the disbursement settled.'),
    repaid_at: NullableTime('When everything was repaid.'),
    closed_at: NullableTime('When it was closed.'),
    updated_at: Timestamp('When it last changed.'),
  },
  'A loan.',
)
export type Agreement = Static<typeof Agreement>

export const AgreementPage = PageOf(Agreement, 'Agreements, newest first.')

export const AgreementFilters = InputObject(
  {
    ...pageParameters,
    role: Type.Optional(FinanceRole),
    status: Type.Optional(CommaList(StringEnum(agreementStatuses, 'A status.'), 'Statuses.')),
    updated_since: Type.Optional(DateOrTimestamp('Changed at or after this time.')),
  },
  'Filters of the agreements.',
)
export type AgreementFilters = Static<typeof AgreementFilters>

export const AcceptedOffer = OutputObject(
  {
    agreement: Agreement,
    documents: OutputObject(
      { agreement: Document, disbursement: Document, repayment: Document },
      'The documents of the loan.',
    ),
  },
  'The agreement, and its documents as the caller sees them.',
)

export const AgreementWithdrawal = InputObject(
  {
    reason: Type.Optional(
      NonBlankText(limits.transitionNoteMaxLength, 'Why; both parties read it in the history.'),
    ),
  },
  'Why the agreement is withdrawn.',
)
export type AgreementWithdrawal = Static<typeof AgreementWithdrawal>

export const RepaymentRequest = InputObject(
  { source_account_id: Type.Optional(SourceAccount) },
  'How to repay what is owed now.',
)
export type RepaymentRequest = Static<typeof RepaymentRequest>

const Sweep = OutputObject(
  {
    payment_id: Id('pay', 'The payment to the lender.'),
    trigger_payment_id: Id('pay', 'The payment of the pledged invoice.'),
    proceeds: Money('What was paid on the invoice.'),
    amount: Money('What was swept.'),
    status: Payment.properties.status,
  },
  'A sweep.',
)

export const Repayment = OutputObject(
  {
    agreement_id: Id('agr', 'The agreement.'),
    document_id: Id('doc', 'The repayment document, RPY-.'),
    principal: Money('The principal.'),
    fee_amount: Money('The fee.'),
    total_repayable: Money('Principal + fee.'),
    amount_repaid: Money('Repaid so far.'),
    amount_in_flight: Money('In payments that are created or processing.'),
    amount_owed: Money('Owed now; 0 before the loan is funded.'),
    due_date: DateOnly('When it is due.'),
    flag_after: DateOnly('After this day it is overdue.'),
    days_past_due: Type.Integer({ description: "By the borrower's clock; 0 if nothing is owed." }),
    payments: Type.Array(Payment),
    sweeps: Type.Array(Sweep),
  },
  'How far a loan is repaid.',
)
