/** Agreements, their repayment and their withdrawal (domain 5.2). */
import type { Call } from '../../context.ts'
import {
  Agreement,
  AgreementFilters,
  AgreementPage,
  AgreementWithdrawal,
  Repayment,
  RepaymentRequest,
} from '../../contract/shapes/finance-agreements.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { checkApproval } from '../../changes/approvals/required-approval.ts'
import { paymentSubject } from '../../changes/payments/payment-approval.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { checkSetUp } from '../../changes/finance/eligibility.ts'
import { followLoan } from '../../changes/finance/follow-loan.ts'
import { loanOf } from '../../changes/finance/loan-facts.ts'
import { withdrawAgreement } from '../../changes/finance/withdraw-agreement.ts'
import { sourceAccountProblems } from '../../changes/payments/payment-accounts.ts'
import { payDocument } from '../../changes/payments/initiate-payment.ts'
import { dateAt, daysBetween } from '../../core/dates.ts'
import { loanPartsOf, loanRows } from '../../core/finance/document-finance.ts'
import { type AgreementRow, projectAgreement } from '../../core/finance/finance-views.ts'
import { feeAmountOf, flagAfterOf, totalRepayableOf } from '../../core/finance/loan-terms.ts'
import { encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { isUnderWay, projectPayment } from '../../core/payments/payment-record.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { agreementOf, agreementsPage, proceedsOf } from '../../store/finance/agreements.ts'
import { type PaymentRow, latestPaymentsOf } from '../../store/payments/payments.ts'
import { approvableWrite, approvalNeeds } from '../approvals/approvable-writes.ts'
import { changeOf } from '../change-context.ts'
import { financePage, financePayments, financeReads, financeWrites, requireSetup } from './setup.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { ownRecord } from '../path-ids.ts'
import { changeOfDocument } from '../documents/replies.ts'
import { paymentNeeds } from '../documents/transition.ts'

export const listAgreements = operation({
  ...financeReads,
  id: 'finance.agreements.list',
  method: 'GET',
  path: '/v1/finance/agreements',
  summary: 'List agreements, newest first',
  query: AgreementFilters,
  response: AgreementPage,
  summaryFields: ['id', 'role', 'status', 'amount_owed', 'amount_repaid', 'flag', 'updated_at'],
  errors: ['capability_unavailable'],
}).reads(async (call, { query }) => {
  await requireSetup(call)
  const { id: organization } = call.organization
  const page = openPage(call, 'agreements', query)
  const found = await agreementsPage(call.read, financePage(call, query, page))
  const rows = found.map(({ agreement }) => agreement)
  const view = (row: AgreementRow) => projectAgreement(row, organization)
  return { body: page.of(rows, view, ({ id }) => id) }
})

export const getAgreement = operation({
  ...financeReads,
  id: 'finance.agreements.get',
  method: 'GET',
  path: '/v1/finance/agreements/{id}',
  summary: 'Retrieve an agreement',
  response: Agreement,
  errors: ['not_found', 'sandbox_isolation', 'capability_unavailable'],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const row = await ownRecord(call, 'agr', params.id, agreementOf)
  return { body: projectAgreement(row, call.organization.id) }
})

const sumOf = (payments: readonly PaymentRow[]): bigint =>
  payments.reduce((sum, { amount }) => sum + amount, 0n)

/** What the view needs besides the agreement. */
interface RepaymentFacts {
  payments: readonly PaymentRow[]
  /** The proceeds of each payment that triggered a sweep. */
  proceeds: ReadonlyMap<string, bigint>
  /** By the caller's clock. */
  today: string
}

const repaymentFacts = async (
  { read, organization }: Call,
  { repayment_document }: AgreementRow,
): Promise<RepaymentFacts> => {
  const payments = await latestPaymentsOf(read, repayment_document, limits.repaymentsShownMax)
  const triggers = payments.map(({ triggered_by_payment_id: id }) => id).filter((id) => id !== null)
  const today = dateAt(await databaseNow(read), organization.clockOffsetSeconds)
  return { payments, proceeds: await proceedsOf(read, triggers), today }
}

/** How far a loan is repaid. */
const repaymentView = (
  { organization }: Call,
  agreement: AgreementRow,
  { payments, proceeds, today }: RepaymentFacts,
) => {
  const isOwed = agreement.amount_owed > 0n
  const sweeps = payments.filter(({ kind }) => kind === 'sweep')
  const view = (payment: PaymentRow) => projectPayment(payment, organization.id)
  return {
    agreement_id: encodeId('agr', agreement.id),
    document_id: encodeId('doc', agreement.repayment_document),
    principal: fromMinor(agreement.principal),
    fee_amount: fromMinor(feeAmountOf(agreement)),
    total_repayable: fromMinor(totalRepayableOf(agreement)),
    amount_repaid: fromMinor(agreement.amount_repaid),
    amount_in_flight: fromMinor(sumOf(payments.filter(({ status }) => isUnderWay(status)))),
    amount_owed: fromMinor(agreement.amount_owed),
    due_date: agreement.due_date,
    flag_after: flagAfterOf(agreement),
    days_past_due: isOwed ? Math.max(0, daysBetween(agreement.due_date, today)) : 0,
    payments: payments.map(view),
    sweeps: sweeps.map((sweep) => ({
      payment_id: encodeId('pay', sweep.id),
      trigger_payment_id: encodeId('pay', sweep.triggered_by_payment_id!),
      proceeds: fromMinor(proceeds.get(sweep.triggered_by_payment_id!)!),
      amount: fromMinor(sweep.amount),
      status: view(sweep).status,
    })),
  }
}

export const getRepayment = operation({
  ...financeReads,
  id: 'finance.agreements.repayment',
  method: 'GET',
  path: '/v1/finance/agreements/{id}/repayment',
  summary: 'Retrieve how far a loan is repaid',
  description: 'The latest payments and sweeps, oldest first.',
  response: Repayment,
  errors: ['not_found', 'sandbox_isolation', 'capability_unavailable'],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const row = await ownRecord(call, 'agr', params.id, agreementOf)
  return { body: repaymentView(call, row, await repaymentFacts(call, row)) }
})

export const repay = operation({
  ...financePayments,
  id: 'finance.agreements.repay',
  alsoNeeds: 'payments',
  method: 'POST',
  path: '/v1/finance/agreements/{id}/repayment',
  summary: 'Repay what is owed now, as the borrower',
  description:
    "The same as [documents.pay](#documents.pay) on the repayment document: safe to repeat, and within the key's payment_limits. Nothing is owed any more once it settles.",
  body: RepaymentRequest,
  response: Repayment,
  errors: [
    'not_found',
    'conflict',
    'sandbox_isolation',
    'capability_unavailable',
    'payment_limit_exceeded',
    'sandbox_quota',
  ] as ErrorCode[],
}).decides(async (call, { params, body }) => {
  await requireSetup(call)
  const organization = call.organization.id
  const row = await ownRecord(call, 'agr', params.id, agreementOf)
  const rows = loanRows(loanPartsOf(row))
  const payment = paymentNeeds(call, row.repayment_document, body)
  const before = await repaymentFacts(call, row)
  const path = `/v1/finance/agreements/${params.id}/repayment`
  const write = await approvableWrite(call, 'finance.agreements.repay', path, body)
  return {
    needs: { ...payment, ...rows, ...approvalNeeds(call, write) },
    decide: (unit) => {
      const change = changeOf(call, unit, write)
      const id = row.repayment_document
      const { document, side } = documentForWrite(unit, change.caller, organization, id)
      checkApproval(change, paymentSubject(change, document))
      followLoan(change, payDocument(change, document, side, body))
      const now = unit.find('payments', ({ document_id }) => document_id === id)
      const known = before.payments.filter((one) => !now.some((other) => other.id === one.id))
      const payments = [...known, ...now].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const agreement = unit.get('finance_agreements', row.id)!
      const repaid = repaymentView(call, agreement, { ...before, payments })
      return {
        body: repaid,
        resourceId: encodeId('agr', row.id),
        ...changeOfDocument(unit.get('documents', id)!, JSON.stringify(repaid)),
      }
    },
  }
}, sourceAccountProblems)

export const withdraw = operation({
  ...financeWrites,
  id: 'finance.agreements.withdraw',
  method: 'POST',
  path: '/v1/finance/agreements/{id}/withdraw',
  summary: 'Withdraw from an agreement that is not funded',
  description:
    'Either party can, unless a payment of the disbursement is under way; also once the disbursement was returned, if nothing was repaid. The disbursement and the repayment are cancelled, and the pledge is released.',
  body: AgreementWithdrawal,
  response: Agreement,
  errors: ['not_found', 'conflict', 'sandbox_isolation', 'capability_unavailable'],
}).decides(async (call, { params, body }) => {
  await requireSetup(call)
  const organization = call.organization.id
  const row = await ownRecord(call, 'agr', params.id, agreementOf)
  const parts = loanPartsOf(row)
  return {
    needs: { ...loanRows(parts), counters: [organization], setups: [organization] },
    decide: (unit) => {
      checkSetUp(unit, organization)
      documentForWrite(unit, changeOf(call, unit).caller, organization, row.agreement_document)
      withdrawAgreement(changeOf(call, unit), loanOf(unit, parts), body.reason)
      const ended = projectAgreement(unit.get('finance_agreements', row.id)!, organization)
      const document = unit.get('documents', row.agreement_document)!
      return {
        body: ended,
        resourceId: ended.id,
        ...changeOfDocument(document, JSON.stringify(ended)),
      }
    },
  }
})
