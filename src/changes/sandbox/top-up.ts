/** Practice money (domain 6): from outside, onto the accounts of a sandbox organization. */
import { invalid, notFound } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import type { TopUp } from '../../contract/shapes/sandbox.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { exactMinor, minorText, moneyBounds } from '../../core/money.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import { changeTime } from '../organization-counters.ts'
import { accountNow, transfer } from '../payments/ledger-transfers.ts'

type Account = Rows['ledger_account']

export const topUp = (world: World, organization: string, asked: TopUp): Account => {
  const problems = topUpProblems(asked)
  if (problems.length > 0) throw invalid(problems)
  const account = accountOf(world, organization, asked)
  const amount = exactMinor(asked.amount)!
  const left = most - account.posted!
  if (amount > left) {
    const message = `The account would hold more than ${minorText(most)}.`
    throw invalid([amountProblem('out_of_range', message, `send at most ${minorText(left)}`)])
  }

  // From here the change must succeed.
  moveIn(world, account, amount)
  return accountNow(world, account.id)
}

const most = moneyBounds.documentTotalMaxMinor

const accountOf = (
  world: World,
  organization: string,
  { currency, account_id: named }: TopUp,
): Account => {
  const own = world.find('ledger_account', (one) => one.organization_id === organization)
  const usual = own.find((one) => one.currency === currency && one.code === 'settlement')!
  if (named === undefined) return usual
  const account = own.find(({ id }) => id === decodeId('acct', named))
  if (account === undefined) throw notFound('account', named)
  if (account.currency === currency) return account
  throw invalid([
    {
      param: '/account_id',
      code: 'invalid_value',
      message: `This account holds ${account.currency}, not ${currency}.`,
      fix: `send currency ${account.currency}, or an account that holds ${currency}, like ${encodeId('acct', usual.id)}`,
    },
  ])
}

export const topUpProblems = ({ amount }: Pick<TopUp, 'amount'>): Problem[] => {
  const minor = exactMinor(amount)
  if (minor === undefined && amount > 0 && amount < 1e12) {
    const message = 'Has more than 2 decimals.'
    return [amountProblem('too_precise', message, 'send an amount like 2500.00')]
  }
  if (minor !== undefined && minor > 0n && minor <= most) return []
  const fix = `send an amount above 0, up to ${minorText(most)}`
  return [amountProblem('out_of_range', `Must be above 0, and at most ${minorText(most)}.`, fix)]
}

const amountProblem = (code: Problem['code'], message: string, fix: string): Problem => ({
  param: '/amount',
  code,
  message,
  fix,
})

/** In from outside. */
const moveIn = (world: World, account: Account, amount: bigint): void => {
  transfer(
    world,
    {
      mode: account.mode,
      currency: account.currency,
      rail: 'simulator',
      kind: 'topup',
      paymentId: null,
      from: 'world',
      to: account,
      amount,
      at: changeTime(world, [account.organization_id!]),
    },
    'posted',
  )
}
