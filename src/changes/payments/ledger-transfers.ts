/**
 * Transfers over the rows of a World: each opens transactions or resolves them, and moves the
 * account of the organization that is one of their ends. The only writer of the ledger, but for the
 * opening of accounts (treasury.ts).
 */
import assert from 'node:assert/strict'
import {
  type Phase,
  type TransactionKind,
  openTransaction,
  resolveTransaction,
  systemAccount,
} from '../../core/payments/ledger.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'

type Account = Rows['ledger_account']

/** Where money comes from or goes to: an account of an organization, or the rail's own. */
export type End = Account | 'clearing' | 'world'

export interface Wanted {
  mode: string
  currency: string
  rail: string
  kind: TransactionKind
  paymentId: string | null
  from: End
  to: End
  amount: bigint
  at: string
  reverses?: string | null
}

/** The id of the new transaction. */
export const transfer = (world: World, wanted: Wanted, phase: Phase): string => {
  const { mode, currency, rail } = wanted
  const idOf = (end: End) =>
    typeof end === 'string' ? systemAccount(mode, rail, end, currency) : end.id
  const own = [wanted.from, wanted.to].find((end) => typeof end !== 'string')
  const id = world.uuid()
  const opened = openTransaction(
    {
      ...wanted,
      id,
      from: idOf(wanted.from),
      to: idOf(wanted.to),
      reverses: wanted.reverses ?? null,
    },
    own === undefined ? null : accountNow(world, own.id),
    phase,
  )
  world.save('ledger_tx', opened.transaction)
  for (const entry of opened.entries) world.insert('ledger_entry', entry)
  if (opened.account !== null) world.save('ledger_account', opened.account)
  return id
}

/** Posts or voids a pending transaction. */
export const resolve = (
  world: World,
  id: string,
  outcome: 'posted' | 'voided',
  at: string,
): void => {
  const pending = world.get('ledger_tx', id)
  assert(pending, 'the transactions of a payment under way are loaded')
  const account = pending.account_id === null ? null : accountNow(world, pending.account_id)
  const resolved = resolveTransaction(pending, account, outcome, at)
  world.save('ledger_tx', resolved.transaction)
  if (resolved.account !== null) world.save('ledger_account', resolved.account)
}

export const accountNow = (world: World, id: string): Account => {
  const account = world.get('ledger_account', id)
  assert(account, 'the accounts of both parties are loaded and locked')
  return account
}
