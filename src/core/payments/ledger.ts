/**
 * The ledger (domain 4.4): double entry, in two phases. A transaction takes an amount out of one
 * account and puts it into another: a debit of the first, a credit of the second. Pending amounts
 * are set aside until the transaction is posted or voided, once. Pure: rows in, next rows out.
 *
 * Invariants: debits equal credits in every transaction; what an organization can spend is never
 * below zero, but for what a bank took back; the accounts of the service keep no balance.
 */
import { uuidFromName } from '../ids.ts'

export type TransactionPhase = 'pending' | 'posted'

export type TransactionKind =
  | 'payment_out'
  | 'payment_in'
  | 'sweep_out'
  | 'sweep_in'
  | 'return'
  | 'topup'
  | 'withdrawal'

/** The balances of an organization's account; all its columns travel along. */
export interface AccountBalances {
  id: string
  posted: bigint | null
  pending_debit: bigint | null
  pending_credit: bigint | null
  overdraft: bigint | null
  version: bigint
}

export interface LedgerTransaction {
  id: string
  mode: string
  currency: string
  kind: string
  payment_id: string | null
  account_id: string | null
  amount: bigint
  status: string
  reverses: string | null
  opened_version: bigint | null
  posted_version: bigint | null
  running_balance: bigint | null
  effective_at: string
  created_at: string
  resolved_at: string | null
}

export interface LedgerEntry {
  tx_id: string
  account_id: string
  mode: string
  currency: string
  side: 'debit' | 'credit'
  amount: bigint
}

/** What is asked for: `amount` goes out of `from` and into `to`. */
export interface Transfer {
  id: string
  mode: string
  currency: string
  kind: TransactionKind
  paymentId: string | null
  from: string
  to: string
  amount: bigint
  at: string
  reverses: string | null
}

const systemAccountIds = new Map<string, string>()

/** The account of a rail itself: `clearing` is under way, `world` is everything outside. */
export const systemAccountId = (
  mode: string,
  rail: string,
  kind: 'clearing' | 'world',
  currency: string,
): string => {
  const name = `${mode} ${rail}:${kind} ${currency}`
  let id = systemAccountIds.get(name)
  if (id === undefined) {
    id = uuidFromName(name)
    systemAccountIds.set(name, id)
  }
  return id
}

/** What the organization can spend: posted, less what is set aside for payments under way. */
export const availableBalance = (account: AccountBalances): bigint =>
  account.posted! - account.pending_debit!

/** `account` is the organization's end of the transfer, if it has one. */
export const openTransaction = <A extends AccountBalances>(
  transfer: Transfer,
  account: A | null,
  phase: TransactionPhase,
): { transaction: LedgerTransaction; entries: LedgerEntry[]; account: A | null } => {
  const { id, mode, currency, from, to, at } = transfer
  if (transfer.amount <= 0n) throw new RangeError('a transfer moves something')
  if (account !== null && account.id !== from && account.id !== to) {
    throw new RangeError('the account is an end of the transfer')
  }
  const isIn = account === null ? transfer.kind !== 'payment_out' : account.id === to
  const amount = isIn ? transfer.amount : -transfer.amount
  const entry = (account_id: string, side: LedgerEntry['side']): LedgerEntry => ({
    tx_id: id,
    account_id,
    mode,
    currency,
    side,
    amount: transfer.amount,
  })
  const next =
    account === null
      ? null
      : applyBalanceChange(
          account,
          phase === 'posted' ? { posted: amount } : pendingChange(amount),
          transfer.kind,
        )
  return {
    transaction: {
      id,
      mode,
      currency,
      kind: transfer.kind,
      payment_id: transfer.paymentId,
      account_id: account?.id ?? null,
      amount,
      status: phase,
      reverses: transfer.reverses,
      opened_version: next?.version ?? null,
      ...postedColumns(phase === 'posted' ? next : null),
      effective_at: at,
      created_at: at,
      resolved_at: phase === 'posted' ? at : null,
    },
    entries: [entry(from, 'debit'), entry(to, 'credit')],
    account: next,
  }
}

/** Posts or voids what was pending, once. */
export const resolveTransaction = <A extends AccountBalances>(
  transaction: LedgerTransaction,
  account: A | null,
  outcome: 'posted' | 'voided',
  at: string,
): { transaction: LedgerTransaction; account: A | null } => {
  if (transaction.status !== 'pending') throw new RangeError('a transaction is resolved once')
  const { amount, kind } = transaction
  const released = pendingChange(amount, -1n)
  const posted = outcome === 'posted' ? { posted: amount } : {}
  const next =
    account === null ? null : applyBalanceChange(account, { ...released, ...posted }, kind)
  return {
    transaction: {
      ...transaction,
      status: outcome,
      ...postedColumns(outcome === 'posted' ? next : null),
      effective_at: at,
      resolved_at: at,
    },
    account: next,
  }
}

const pendingChange = (amount: bigint, sign = 1n) =>
  amount < 0n ? { pending_debit: -amount * sign } : { pending_credit: amount * sign }

interface BalanceChange {
  posted?: bigint
  pending_debit?: bigint
  pending_credit?: bigint
}

const applyBalanceChange = <A extends AccountBalances>(
  account: A,
  change: BalanceChange,
  kind: string,
): A => {
  const posted = account.posted! + (change.posted ?? 0n)
  const pending_debit = account.pending_debit! + (change.pending_debit ?? 0n)
  const pending_credit = account.pending_credit! + (change.pending_credit ?? 0n)
  const below = pending_debit > posted ? pending_debit - posted : 0n
  // Only a bank return may push an account below zero; what comes in narrows what may be below.
  const mayBeBelow = kind === 'return' || below < account.overdraft! ? below : account.overdraft!
  const next = { ...account, posted, pending_debit, pending_credit, overdraft: mayBeBelow }
  return { ...next, version: account.version + 1n }
}

const postedColumns = (posted: AccountBalances | null) => ({
  posted_version: posted?.version ?? null,
  running_balance: posted?.posted ?? null,
})
