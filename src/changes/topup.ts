/** Practice money (domain 6): from outside, onto the accounts of a sandbox organization. */
import { invalid, notFound } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import type { TopUp } from '../contract/shapes/sandbox.ts'
import { decodeId } from '../core/ids.ts'
import { exactMinor, moneyBounds } from '../core/money.ts'
import type { World } from '../engine/world.ts'
import type { Rows } from '../store/rows.ts'
import { changeTime } from './heads.ts'
import { accountNow, transfer } from './transfers.ts'

type Account = Rows['ledger_account']

export const topUp = (world: World, organization: string, asked: TopUp): Account => {
  const problems = topUpProblems(asked)
  if (problems.length > 0) throw invalid(problems)
  const { currency, amount, account_id: named } = asked
  const id = named === undefined ? undefined : decodeId('acct', named)
  const [account] = world.find(
    'ledger_account',
    (one) =>
      one.organization_id === organization &&
      one.currency === currency &&
      (named === undefined ? one.code === 'settlement' : one.id === id),
  )
  if (account === undefined) throw notFound('account', named ?? `settlement ${currency}`)

  // From here the change must succeed.
  moveIn(world, account, exactMinor(amount)!)
  return accountNow(world, account.id)
}

export const topUpProblems = ({ amount }: Pick<TopUp, 'amount'>): Problem[] => {
  const minor = exactMinor(amount)
  if (minor !== undefined && minor > 0n && minor <= moneyBounds.documentTotalMaxMinor) return []
  const message = 'Must be an amount above 0 with at most 2 decimals.'
  return [{ param: '/amount', code: 'out_of_range', message, fix: 'send an amount like 2500.00' }]
}

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
