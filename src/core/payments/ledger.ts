/**
 * The double-entry ledger (domain 4.4), with two-phase transactions. A transaction debits one
 * account and credits another. Its amount stays pending until the transaction is posted or voided,
 * exactly once. Pure: rows in, next rows out.
 *
 * Invariants: debits equal credits in every transaction; only a bank return can make an
 * organization's available balance negative; system accounts keep no balance.
 */
import type { Rows } from '../../database/rows.ts'
import { currencies } from '../../contract/currencies.ts'
import { uuidFromName } from '../ids.ts'

/** Every organization has these accounts from its first day on, and keeps them. */
export const accountsOfOrganization = currencies.flatMap((currency) =>
  (['settlement', 'funding'] as const).map((code) => ({ currency, code })),
)

export type TransactionPhase = 'pending' | 'posted'

export type TransactionKind =
  | 'payment_out'
  | 'payment_in'
  | 'sweep_out'
  | 'sweep_in'
  | 'return'
  | 'topup'
  | 'withdrawal'

/** The balances of an organization's account; functions here preserve its other columns. */
export type AccountBalances = Pick<
  Rows['ledger_account'],
  'id' | 'posted' | 'pending_debit' | 'pending_credit' | 'overdraft' | 'version' | 'last_posting'
>

/** What leaves the account of a payer, also of one who has it elsewhere. */
const outgoing: ReadonlySet<TransactionKind> = new Set(['payment_out', 'sweep_out'])

export type LedgerTransaction = Rows['ledger_tx']

export type LedgerEntry = Rows['ledger_entry'] & { side: 'debit' | 'credit' }

/** A requested transfer of `amount` from the account `from` to the account `to`. */
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

/** A system account of a rail: `clearing` for money in transit, `world` for everything outside. */
export const systemAccountId = (
  mode: string,
  rail: string,
  kind: 'clearing' | 'world',
  currency: string,
): string => {
  const name = `${mode} ${rail}:${kind} ${currency}`
  let id = systemAccountIds.get(name)
  if (id === undefined) systemAccountIds.set(name, (id = uuidFromName(name)))
  return id
}

/** Each transfer has such an account at one of its ends. */
const systemAccountIds = new Map<string, string>()

/** The spendable balance: posted minus the amounts reserved for outgoing payments. */
export const availableBalance = (account: AccountBalances): bigint =>
  account.posted! - account.pending_debit!

/** `account` is the organization's account in the transfer, if any. */
export const openTransaction = <A extends AccountBalances>(
  transfer: Transfer,
  account: A | null,
  phase: TransactionPhase,
): { transaction: LedgerTransaction; entries: LedgerEntry[]; account: A | null } => {
  const { id, mode, currency, from, to, at } = transfer
  if (transfer.amount <= 0n) throw new RangeError('the amount of a transfer must be positive')
  if (account !== null && account.id !== from && account.id !== to) {
    throw new RangeError('the account must be one of the two accounts of the transfer')
  }
  const isIncoming = account === null ? !outgoing.has(transfer.kind) : account.id === to
  const amount = isIncoming ? transfer.amount : -transfer.amount
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
      ...postedColumns(phase === 'posted' ? { before: account, after: next } : undefined),
      effective_at: at,
      created_at: at,
      resolved_at: phase === 'posted' ? at : null,
    },
    entries: [entry(from, 'debit'), entry(to, 'credit')],
    account: next,
  }
}

/** The rail whose system accounts a mode uses. */
const railOfMode: Readonly<Record<string, string>> = { test: 'simulator', live: 'stripe' }

/** An entry of a transaction in one text; a credit sorts before a debit. */
const printedEntry = ({
  side,
  account_id,
  mode,
  currency,
  amount,
}: Omit<Rows['ledger_entry'], 'tx_id'>): string =>
  `${side} ${account_id} ${mode} ${currency} ${amount}`

/**
 * Whether these are the entries of the transaction, sorted. It says the account of the organization
 * (a party without one is outside), the amount and the direction; at the other end is money in
 * transit, but for a top-up and a withdrawal.
 */
export const areEntriesOf = (
  transaction: LedgerTransaction,
  entries: readonly string[],
): boolean => {
  const { mode, currency, account_id: account, kind } = transaction
  const system = (end: 'clearing' | 'world') =>
    systemAccountId(mode, railOfMode[mode] ?? '', end, currency)
  const own = account ?? system('world')
  const other = system(kind === 'topup' || kind === 'withdrawal' ? 'world' : 'clearing')
  const isIncoming =
    account === null ? !outgoing.has(kind as TransactionKind) : transaction.amount > 0n
  const amount = transaction.amount < 0n ? -transaction.amount : transaction.amount
  const expected = [
    printedEntry({ side: 'credit', account_id: isIncoming ? own : other, mode, currency, amount }),
    printedEntry({ side: 'debit', account_id: isIncoming ? other : own, mode, currency, amount }),
  ]
  return entries.length === 2 && expected.every((entry, i) => entry === entries[i])
}

/** Posts or voids a pending transaction. */
export const resolveTransaction = <A extends AccountBalances>(
  transaction: LedgerTransaction,
  account: A | null,
  outcome: 'posted' | 'voided',
  at: string,
): { transaction: LedgerTransaction; account: A | null } => {
  if (transaction.status !== 'pending') throw new RangeError('only pending transactions resolve')
  const { amount, kind } = transaction
  const released = pendingChange(amount, -1n)
  const posted = outcome === 'posted' ? { posted: amount } : {}
  const next =
    account === null ? null : applyBalanceChange(account, { ...released, ...posted }, kind)
  return {
    transaction: {
      ...transaction,
      status: outcome,
      ...postedColumns(outcome === 'posted' ? { before: account, after: next } : undefined),
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
  const shortfall = pending_debit > posted ? pending_debit - posted : 0n
  // Only a bank return may increase the permitted overdraft; incoming money reduces it.
  const isAllowed = kind === 'return' || shortfall < account.overdraft!
  const overdraft = isAllowed ? shortfall : account.overdraft!
  const version = account.version + 1n
  const last_posting = change.posted === undefined ? account.last_posting : version
  const balances = { posted, pending_debit, pending_credit, overdraft }
  return { ...account, ...balances, version, last_posting }
}

/** `before` and `after` are the account's balances, null for a system account. */
const postedColumns = (
  posting: { before: AccountBalances | null; after: AccountBalances | null } | undefined,
) => ({
  posted_version: posting?.after?.version ?? null,
  running_balance: posting?.after?.posted ?? null,
  previous_posting: posting?.before?.last_posting ?? null,
})
