/** The accounts that a payment debits and credits (domain 4.2). */
import { notFound } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { PayRequest } from '../../contract/shapes/payments.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { paymentKindOf, accountPurposesOf } from '../../core/payments/payment-methods.ts'
import { magicAccounts } from '../../core/sandbox/payment-simulator.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { LedgerAccountRow } from '../../store/payments/ledger.ts'
import type { DocumentRow } from '../change-context.ts'

type PaymentSource = Pick<PaymentRow, 'payer_account' | 'source'>

/** The payer's requested or default account; a magic account stands for money from outside. */
export const paymentSourceOf = (
  unit: UnitOfWork,
  document: DocumentRow,
  payer: string,
  { source_account_id: requestedId }: PayRequest,
  problems: Problem[],
): PaymentSource => {
  const { currency, mode, type } = document
  if (requestedId === undefined) {
    if (mode === 'live') return { payer_account: null, source: null }
    const { payer: purpose } = accountPurposesOf(paymentKindOf(type))
    return { payer_account: accountByPurpose(unit, payer, currency, purpose).id, source: null }
  }
  if (Object.hasOwn(magicAccounts, requestedId)) {
    if (mode === 'live') throw notFound('account', requestedId)
    return { payer_account: null, source: requestedId }
  }
  const id = decodeId('acct', requestedId)
  if (id === undefined) {
    problems.push(
      sourceProblem(`${requestedId} is not an account id.`, accountFix(mode, requestedId)),
    )
    return { payer_account: null, source: null }
  }
  const account = unit.get('ledger_account', id)
  if (account?.organization_id !== payer) throw notFound('account', requestedId)
  if (account.currency !== currency) {
    const other = accountByPurpose(unit, payer, currency, account.code)
    const fix = `send ${encodeId('acct', other.id)}, which holds ${currency}, or leave source_account_id out`
    const message = `The account holds ${account.currency}; this needs ${currency}.`
    problems.push(sourceProblem(message, fix))
  } else if (account.status !== 'active') {
    const fix = 'send an active account, or leave source_account_id out'
    problems.push(sourceProblem(`The account is ${account.status}.`, fix))
  }
  return { payer_account: id, source: null }
}

const sourceProblem = (message: string, fix: string): Problem => ({
  param: '/source_account_id',
  code: 'invalid_value',
  message,
  fix,
})

const accountFix = (mode: string, requestedId: string): string => {
  const listed = 'send an id from GET /v1/treasury/accounts'
  if (mode === 'live') return listed
  const magic = Object.keys(magicAccounts)
  const near = closestMatch(requestedId, magic)
  return `${near === undefined ? '' : `did you mean ${near}? `}${listed}, or one of ${magic.join(', ')}`
}

export const accountByPurpose = (
  unit: UnitOfWork,
  organization: string,
  currency: string,
  purpose: string,
): LedgerAccountRow => {
  const [account] = unit.find(
    'ledger_account',
    (one) =>
      one.organization_id === organization && one.currency === currency && one.code === purpose,
  )
  if (account === undefined) {
    throw new Error(`organization ${encodeId('org', organization)} has no ${purpose} account`)
  }
  return account
}
