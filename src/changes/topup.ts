/** Practice money (domain 6): from outside, onto the accounts of a sandbox organization. */
import { invalid, notFound } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import type { TopUp } from '../contract/shapes/sandbox.ts'
import { decodeId } from '../core/ids.ts'
import { exactMinor, moneyBounds } from '../core/money.ts'
import type { World } from '../engine/world.ts'
import type { Rows } from '../store/rows.ts'
import type { Change } from './caller.ts'
import { changeTime } from './heads.ts'
import { cancel, fail } from './settlement.ts'
import { accountNow, transfer } from './transfers.ts'
import { practiceMoney } from './treasury.ts'

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
  move(world, account, exactMinor(amount)!)
  return accountNow(world, account.id)
}

export const topUpProblems = ({ amount }: Pick<TopUp, 'amount'>): Problem[] => {
  const minor = exactMinor(amount)
  if (minor !== undefined && minor > 0n && minor <= moneyBounds.documentTotalMaxMinor) return []
  const message = 'Must be an amount above 0 with at most 2 decimals.'
  return [{ param: '/amount', code: 'out_of_range', message, fix: 'send an amount like 2500.00' }]
}

/** Nothing under way any more, and the balances that a sandbox starts with. */
export const startOver = (change: Change, organization: string): void => {
  const { world } = change
  for (const { id } of world.find('payments', ({ status }) => status !== 'settled')) {
    const payment = world.get('payments', id)!
    const document = world.get('documents', payment.document_id)!
    if (payment.status === 'scheduled') cancel(change, document, payment)
    else fail(change, document, payment, 'processor_declined')
  }
  for (const account of world.find(
    'ledger_account',
    ({ organization_id }) => organization_id === organization,
  )) {
    const missing = practiceMoney[account.code as keyof typeof practiceMoney] - account.posted!
    if (missing !== 0n) move(world, account, missing)
  }
}

/** In from outside, or out to it when negative. */
const move = (world: World, account: Account, amount: bigint): void => {
  const isIn = amount > 0n
  transfer(
    world,
    {
      mode: account.mode,
      currency: account.currency,
      rail: 'simulator',
      kind: isIn ? 'topup' : 'withdrawal',
      paymentId: null,
      from: isIn ? 'world' : account,
      to: isIn ? account : 'world',
      amount: isIn ? amount : -amount,
      at: changeTime(world, [account.organization_id!]),
    },
    'posted',
  )
}
