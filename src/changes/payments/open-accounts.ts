/**
 * Opens an organization's accounts (domain 4.4, 6): two purposes in each currency. Sandbox accounts
 * start with test money, which the ledger shows as a top-up.
 */
import {
  type LedgerEntry,
  type LedgerTransaction,
  accountsOfOrganization,
  openTransaction,
  systemAccountId,
} from '../../core/payments/ledger.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'
import type { LedgerAccountRow } from '../../store/payments/ledger.ts'

/** The balances of a new sandbox, in minor units of each currency. */
const openingBalances = { settlement: 100_000_000n, funding: 25_000_000n } as const

export interface AccountOpening {
  organization: string
  mode: 'live' | 'test'
  now: string
}

export const openAccounts = async (tx: Queryable, opening: AccountOpening): Promise<void> => {
  const { organization, mode, now } = opening
  const ms = Date.parse(now)
  const empty = accountsOfOrganization.map(({ currency, code }): LedgerAccountRow => ({
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
    last_posting: 0n,
    reset_version: 0n,
    created_at: now,
  }))
  if (mode === 'live') {
    await insertRows(tx, 'ledger_account', empty)
    return
  }
  const funded = empty.map((account) => fundAccount(account, now))
  await insertRows(
    tx,
    'ledger_account',
    funded.map(({ account }) => account),
  )
  await insertTransactions(tx, funded)
}

/** Empties the accounts and funds them as on the first day; earlier transactions become hidden. */
export const resetAccounts = async (
  tx: Queryable,
  accounts: readonly LedgerAccountRow[],
  at: string,
): Promise<void> => {
  const emptied = accounts.map((account) => withdrawAll(account, at))
  const funded = emptied.map(({ account }) =>
    fundAccount({ ...account, reset_version: account.version, created_at: at }, at),
  )
  await insertTransactions(tx, [...emptied, ...funded])
  const columns = ['posted', 'overdraft', 'version', 'last_posting', 'reset_version', 'created_at']
  const rows = funded.map(({ account }) => account)
  await updateRows(tx, 'ledger_account', { key: ['id'], set: columns, rows })
}

interface Posting {
  account: LedgerAccountRow
  transactions: LedgerTransaction[]
  entries: LedgerEntry[]
}

const insertTransactions = async (tx: Queryable, postings: readonly Posting[]): Promise<void> => {
  await insertRows(
    tx,
    'ledger_tx',
    postings.flatMap(({ transactions }) => transactions),
  )
  await insertRows(
    tx,
    'ledger_entry',
    postings.flatMap(({ entries }) => entries),
  )
}

const withdrawAll = (account: LedgerAccountRow, at: string): Posting =>
  account.posted === 0n
    ? { account, transactions: [], entries: [] }
    : postAgainstWorld(account, -account.posted!, at)

const fundAccount = (account: LedgerAccountRow, at: string): Posting =>
  postAgainstWorld(account, openingBalances[account.code as keyof typeof openingBalances], at)

/** Moves money in from the simulator's world account, or out to it when negative. */
const postAgainstWorld = (account: LedgerAccountRow, amount: bigint, at: string): Posting => {
  const { mode, currency, id } = account
  const worldId = systemAccountId(mode, 'simulator', 'world', currency)
  const isDeposit = amount > 0n
  const {
    transaction,
    entries,
    account: next,
  } = openTransaction(
    {
      id: newId(Date.parse(at)),
      mode,
      currency,
      kind: isDeposit ? 'topup' : 'withdrawal',
      paymentId: null,
      from: isDeposit ? worldId : id,
      to: isDeposit ? id : worldId,
      amount: isDeposit ? amount : -amount,
      at,
      reverses: null,
    },
    account,
    'posted',
  )
  return { account: next!, transactions: [transaction], entries }
}
