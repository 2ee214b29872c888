/**
 * The accounts of an organization (domain 4.4, 6): opened with it, two purposes in each currency;
 * those of the sandbox hold practice money from the start, which the ledger shows as a top-up.
 */
import { methodsOf } from '../core/payments.ts'
import { type Entry, type Transaction, openTransaction, systemAccount } from '../core/ledger.ts'
import { newId } from '../randomness.ts'
import type { Session } from '../sql.ts'
import type { Rows } from '../store/rows.ts'
import { insertRows } from '../store/tables.ts'

type Account = Rows['ledger_account']

/** What a sandbox organization starts with, in minor units of each currency. */
export const practiceMoney = { settlement: 100_000_000n, funding: 25_000_000n } as const

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
  await insertRows(
    tx,
    'ledger_tx',
    funded.map(({ transaction }) => transaction),
  )
  await insertRows(
    tx,
    'ledger_entry',
    funded.flatMap(({ entries }) => entries),
  )
}

interface Funded {
  account: Account
  transaction: Transaction
  entries: Entry[]
}

const withPracticeMoney = (account: Account, at: string): Funded => {
  const { mode, currency, id, code } = account
  const opened = openTransaction(
    {
      id: newId(Date.parse(at)),
      mode,
      currency,
      kind: 'topup',
      paymentId: null,
      from: systemAccount(mode, 'simulator', 'world', currency),
      to: id,
      amount: practiceMoney[code as keyof typeof practiceMoney],
      at,
      reverses: null,
    },
    account,
    'posted',
  )
  return { ...opened, account: opened.account! }
}
