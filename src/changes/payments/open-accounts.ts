/**
 * The accounts of an organization (domain 4.4, 6): opened with it, two purposes in each currency;
 * those of the sandbox hold practice money from the start, which the ledger shows as a top-up.
 */
import assert from 'node:assert/strict'
import { methodsOf } from '../../core/payments/payment-record.ts'
import {
  type Entry,
  type Transaction,
  openTransaction,
  systemAccount,
} from '../../core/payments/ledger.ts'
import { newId } from '../../database/new-ids.ts'
import type { Session } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'

type Account = Rows['ledger_account']

/** What a sandbox organization starts with, in minor units of each currency. */
const practiceMoney = { settlement: 100_000_000n, funding: 25_000_000n } as const

export interface Opening {
  organization: string
  mode: 'live' | 'test'
  now: string
}

export const openAccounts = async (tx: Session, opening: Opening): Promise<void> => {
  const { organization, mode, now } = opening
  const ms = Date.parse(now)
  const empty = Object.keys(methodsOf).flatMap((currency) =>
    (['settlement', 'funding'] as const).map((code): Account => ({
      id: newId(ms),
      mode,
      organization_id: organization,
      currency,
      code,
      normal: 'credit',
      status: 'active',
      posted: 0n,
      pending_debit: 0n,
      pending_credit: 0n,
      overdraft: 0n,
      version: 0n,
      reset_version: 0n,
      created_at: now,
    })),
  )
  if (mode === 'live') {
    await insertRows(tx, 'ledger_account', empty)
    return
  }
  const funded = empty.map((account) => withPracticeMoney(account, now))
  await insertRows(
    tx,
    'ledger_account',
    funded.map(({ account }) => account),
  )
  await insertTransactions(tx, funded)
}

/** Emptied, and with practice money as on the first day: what moved them before is out of view. */
export const openAccountsAnew = async (
  tx: Session,
  accounts: readonly Account[],
  at: string,
): Promise<void> => {
  const emptied = accounts.map((account) => emptiedAt(account, at))
  const funded = emptied.map(({ account }) =>
    withPracticeMoney({ ...account, reset_version: account.version, created_at: at }, at),
  )
  await insertTransactions(tx, [...emptied, ...funded])
  const columns = ['posted', 'overdraft', 'version', 'reset_version', 'created_at']
  const rows = funded.map(({ account }) => account)
  assert.equal(await updateRows(tx, 'ledger_account', ['id'], columns, rows), rows.length)
}

interface Moved {
  account: Account
  transactions: Transaction[]
  entries: Entry[]
}

const insertTransactions = async (tx: Session, moved: readonly Moved[]): Promise<void> => {
  await insertRows(
    tx,
    'ledger_tx',
    moved.flatMap(({ transactions }) => transactions),
  )
  await insertRows(
    tx,
    'ledger_entry',
    moved.flatMap(({ entries }) => entries),
  )
}

const emptiedAt = (account: Account, at: string): Moved =>
  account.posted === 0n
    ? { account, transactions: [], entries: [] }
    : exchanged(account, -account.posted!, at)

const withPracticeMoney = (account: Account, at: string): Moved =>
  exchanged(account, practiceMoney[account.code as keyof typeof practiceMoney], at)

/** In from the outside of the simulator, or out to it when negative. */
const exchanged = (account: Account, amount: bigint, at: string): Moved => {
  const { mode, currency, id } = account
  const outside = systemAccount(mode, 'simulator', 'world', currency)
  const isIn = amount > 0n
  const {
    transaction,
    entries,
    account: next,
  } = openTransaction(
    {
      id: newId(Date.parse(at)),
      mode,
      currency,
      kind: isIn ? 'topup' : 'withdrawal',
      paymentId: null,
      from: isIn ? outside : id,
      to: isIn ? id : outside,
      amount: isIn ? amount : -amount,
      at,
      reverses: null,
    },
    account,
    'posted',
  )
  return { account: next!, transactions: [transaction], entries }
}
