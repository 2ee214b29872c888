/** Tops up the accounts of a sandbox organization with test money (domain 6). */
import { invalidRequest, notFound, refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { TopUp } from '../../contract/shapes/sandbox.ts'
import { amountProblem } from '../../core/amount-problem.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { parseMinor, minorText, moneyBounds } from '../../core/money.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { LedgerAccountRow } from '../../store/payments/ledger.ts'
import { changeTime } from '../organization-counters.ts'
import { currentAccount, createTransfer } from '../payments/ledger-transfers.ts'

export const topUp = (unit: UnitOfWork, organization: string, request: TopUp): LedgerAccountRow => {
  refuseProblems(topUpProblems(request))
  const account = targetAccount(unit, organization, request)
  const amount = parseMinor(request.amount)!
  const left = balanceMaxMinor - account.posted!
  if (amount > left) {
    throw invalidRequest({
      param: '/amount',
      code: 'out_of_range',
      message: `The account would hold more than ${minorText(balanceMaxMinor)}.`,
      fix: `send at most ${minorText(left)}`,
    })
  }

  // From here the change must succeed.
  creditFromWorld(unit, account, amount)
  return currentAccount(unit, account.id)
}

const balanceMaxMinor = moneyBounds.documentTotalMaxMinor

const targetAccount = (
  unit: UnitOfWork,
  organization: string,
  { currency, account_id: requestedId }: TopUp,
): LedgerAccountRow => {
  const accounts = unit.find('ledger_account', (one) => one.organization_id === organization)
  const settlementAccount = accounts.find(
    (one) => one.currency === currency && one.code === 'settlement',
  )!
  if (requestedId === undefined) return settlementAccount
  const account = accounts.find(({ id }) => id === decodeId('acct', requestedId))
  if (account === undefined) throw notFound('account', requestedId)
  if (account.currency === currency) return account
  throw invalidRequest({
    param: '/account_id',
    code: 'invalid_value',
    message: `This account holds ${account.currency}, not ${currency}.`,
    fix: `send currency ${account.currency}, or an account that holds ${currency}, like ${encodeId('acct', settlementAccount.id)}`,
  })
}

export const topUpProblems = ({ amount }: Pick<TopUp, 'amount'>): Problem[] => {
  const problem = amountProblem('/amount', amount, { least: 1n, most: balanceMaxMinor })
  return problem === undefined ? [] : [problem]
}

const creditFromWorld = (unit: UnitOfWork, account: LedgerAccountRow, amount: bigint): void => {
  createTransfer(
    unit,
    {
      mode: account.mode,
      currency: account.currency,
      rail: 'simulator',
      kind: 'topup',
      paymentId: null,
      from: 'world',
      to: account,
      amount,
      at: changeTime(unit, [account.organization_id!]),
    },
    'posted',
  )
}
