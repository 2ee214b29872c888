/** The accounts that a payment debits and credits (domain 4.2). */
import { notFound } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { paymentKindOf, accountPurposesOf } from '../../core/payments/payment-methods.ts'
import { magicAccounts } from '../../core/sandbox/payment-simulator.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { PaymentRow } from '../../store/payments/payments.ts'
import type { LedgerAccountRow } from '../../store/payments/ledger.ts'
import type { DocumentRow } from '../change-context.ts'

interface PaymentSource extends Pick<PaymentRow, 'payer_account' | 'source'> {
  problems: Problem[]
}

/**
 * The payer's requested or default account; a magic account stands for money from outside. Live
 * money leaves the payer's bank account, which the processor knows: only the default may be named.
 */
export const paymentSourceOf = (
  unit: UnitOfWork,
  document: DocumentRow,
  { payer, requestedId }: { payer: string; requestedId: string | undefined },
): PaymentSource => {
  const { currency, mode, type } = document
  const { payer: purpose } = accountPurposesOf(paymentKindOf(type))
  const ownAccount = () => accountByPurpose(unit, payer, currency, purpose).id
  if (mode === 'live') {
    if (isMagic(requestedId)) throw notFound('account', requestedId)
    const isOther = requestedId !== undefined && requestedId !== encodeId('acct', ownAccount())
    return { payer_account: null, source: null, problems: isOther ? [liveSourceProblem] : [] }
  }
  if (requestedId === undefined) return { payer_account: ownAccount(), source: null, problems: [] }
  if (isMagic(requestedId)) return { payer_account: null, source: requestedId, problems: [] }
  const problems = sourceAccountProblems({ source_account_id: requestedId })
  if (problems.length > 0) return { payer_account: null, source: null, problems }
  const id = decodeId('acct', requestedId)!
  const account = unit.get('ledger_account', id)
  if (account?.organization_id !== payer) throw notFound('account', requestedId)
  return {
    payer_account: id,
    source: null,
    problems: accountProblems(unit, account, { payer, currency }),
  }
}

/** Problems of the id itself, found without reading any record. */
export const sourceAccountProblems = (request: { source_account_id?: string }): Problem[] => {
  const { source_account_id: id } = request
  if (id === undefined || isMagic(id) || decodeId('acct', id) !== undefined) return []
  return [sourceProblem(`${id} is not an account id.`, accountFix(id))]
}

const accountProblems = (
  unit: UnitOfWork,
  account: LedgerAccountRow,
  { payer, currency }: { payer: string; currency: string },
): Problem[] => {
  if (account.currency !== currency) {
    const other = accountByPurpose(unit, payer, currency, account.code)
    const fix = `send ${encodeId('acct', other.id)}, which holds ${currency}, or leave source_account_id out`
    const message = `The account holds ${account.currency}; this needs ${currency}.`
    return [sourceProblem(message, fix)]
  }
  if (account.status === 'active') return []
  const fix = 'send an active account, or leave source_account_id out'
  return [sourceProblem(`The account is ${account.status}.`, fix)]
}

const isMagic = (requestedId: string | undefined): requestedId is string =>
  requestedId !== undefined && Object.hasOwn(magicAccounts, requestedId)

const sourceProblem = (message: string, fix: string): Problem => ({
  param: '/source_account_id',
  code: 'invalid_value',
  message,
  fix,
})

const liveSourceProblem = sourceProblem(
  'A live payment is taken from your bank account, which the processor knows.',
  'leave source_account_id out, or send the default account of the currency',
)

const accountFix = (requestedId: string): string => {
  const magic = Object.keys(magicAccounts)
  const near = closestMatch(requestedId, magic)
  const meant = near === undefined ? '' : `did you mean ${near}? `
  const listed = 'send an id from GET /v1/treasury/accounts'
  return `${meant}${listed}, or in a sandbox one of ${magic.join(', ')}`
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
