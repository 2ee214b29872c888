/** Accounts, balances and transactions (contract 4, domain 4.6). */
import { invalidRequest } from '../../contract/errors.ts'
import {
  Account,
  AccountFilters,
  AccountPage,
  BalanceFilters,
  BalancePage,
  Transaction,
  TransactionFilters,
  TransactionPage,
} from '../../contract/shapes/treasury.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { type TransactionRow, transactionById } from '../../store/payments/ledger-transactions.ts'
import * as store from '../../store/payments/ledger.ts'
import { positionOf, transactionsOf } from '../../store/payments/transaction-list.ts'
import { organizationClock, realTimeOf } from '../../store/sandbox/clocks.ts'
import { dayOf, upperBoundOf } from '../time-bounds.ts'
import { openPage } from '../paging.ts'
import { ownRecord } from '../path-ids.ts'
import { operation } from '../operation.ts'
import { dateOf } from '../../core/dates.ts'

type AccountView = import('typebox').Static<typeof Account>
type TransactionView = import('typebox').Static<typeof Transaction>

export const toAccount = (account: store.LedgerAccountRow): AccountView => ({
  id: encodeId('acct', account.id),
  name: `${account.code.charAt(0).toUpperCase()}${account.code.slice(1)} ${account.currency}`,
  purpose: account.code as AccountView['purpose'],
  currency: account.currency as AccountView['currency'],
  status: account.status as AccountView['status'],
  provider: account.mode === 'test' ? 'simulator' : 'stripe',
  last4: account.mode === 'test' ? account.id.slice(-4) : null,
  is_default: account.code === 'settlement',
  created_at: account.created_at,
})

const treasuryDefaults = {
  family: 'treasury',
  allowed: 'scoped',
  scopes: ['treasury:read'],
} as const

export const listAccounts = operation({
  ...treasuryDefaults,
  id: 'treasury.accounts.list',
  method: 'GET',
  path: '/v1/treasury/accounts',
  summary: 'List accounts',
  since: '1.15.0',
  query: AccountFilters,
  response: AccountPage,
  summaryFields: ['id', 'name', 'purpose', 'currency', 'status', 'is_default'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'accounts', query)
  const { before } = page
  const accounts = await store.accountsOf(call.read, call.organization.id)
  const rows = before === undefined ? accounts : accounts.filter(({ id }) => id < before)
  return { body: page.of(rows, toAccount, ({ id }) => id) }
})

export const getAccount = operation({
  ...treasuryDefaults,
  id: 'treasury.accounts.get',
  method: 'GET',
  path: '/v1/treasury/accounts/{id}',
  summary: 'Retrieve an account',
  since: '1.15.0',
  response: Account,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => ({
  body: toAccount(await ownRecord(call, 'acct', params.id, store.accountById)),
}))

export const listBalances = operation({
  ...treasuryDefaults,
  id: 'treasury.balances.list',
  workClass: ({ as_of }) => (as_of === undefined ? 'lists' : 'heavy'),
  method: 'GET',
  path: '/v1/treasury/balances',
  summary: 'List balances, now or at a point in time',
  since: '1.15.0',
  query: BalanceFilters,
  response: BalancePage,
  summaryFields: ['account_id', 'currency', 'posted', 'available'],
}).reads(async (call, { query }) => {
  const { id } = call.organization
  const { now } = await organizationClock(call.read, id)
  const asOf = query.as_of === undefined ? now : asOfInstant(query.as_of, now)
  if (asOf > now) {
    const fix = 'send a time that is not in the future, or leave as_of out'
    const message = 'Balances in the future are not known.'
    throw invalidRequest({ param: 'as_of', code: 'out_of_range', message, fix })
  }
  const page = openPage(call, 'balances', query)
  const request = {
    organization: id,
    accounts: query.account?.map((one) => decodeId('acct', one)!),
    currencies: query.currency,
    before: page.before,
  }
  const rows =
    query.as_of === undefined
      ? await store.balancesNow(call.read, request)
      : await store.balancesAsOf(call.read, request, await realTimeOf(call.read, id, asOf))
  const view = (row: store.BalanceRow) => toBalance(row, asOf)
  return { body: page.of(rows, view, (row) => row.account_id) }
})

/** A date means the end of that day, or now if it is today. */
const asOfInstant = (value: string, now: string): string =>
  value === dateOf(now) ? now : upperBoundOf(value)

export const toBalance = (balance: store.BalanceRow, as_of: string) => ({
  account_id: encodeId('acct', balance.account_id),
  currency: balance.currency as AccountView['currency'],
  posted: fromMinor(balance.posted),
  pending_in: fromMinor(balance.pending_in),
  pending_out: fromMinor(balance.pending_out),
  available: fromMinor(balance.posted - balance.pending_out),
  as_of,
})

export const toTransaction = (row: TransactionRow): TransactionView => ({
  id: encodeId('ttx', row.id),
  account_id: encodeId('acct', row.account_id!),
  type: row.kind as TransactionView['type'],
  status: row.status === 'voided' ? 'void' : (row.status as TransactionView['status']),
  amount: fromMinor(row.amount),
  currency: row.currency as TransactionView['currency'],
  running_balance: row.running_balance === null ? null : fromMinor(row.running_balance),
  payment_id: row.payment_id && encodeId('pay', row.payment_id),
  payment_kind: row.payment_kind as TransactionView['payment_kind'],
  document_id: row.document_id && encodeId('doc', row.document_id),
  settlement_reference: row.settlement_reference,
  effective_at: row.effective_at,
  created_at: row.created_at,
})

export const listTransactions = operation({
  ...treasuryDefaults,
  id: 'treasury.transactions.list',
  // What a type leaves out is proven as well (store/payments/posting-chain.ts).
  workClass: ({ type }) => (type === undefined ? 'lists' : 'heavy'),
  method: 'GET',
  path: '/v1/treasury/transactions',
  summary: 'List transactions, last posted first',
  since: '1.15.0',
  query: TransactionFilters,
  response: TransactionPage,
  summaryFields: [
    'id',
    'account_id',
    'type',
    'status',
    'amount',
    'currency',
    'payment_id',
    'effective_at',
  ],
  toolFields: ['id', 'type', 'status', 'amount', 'currency', 'effective_at'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'transactions', query)
  const position = page.before?.split(' ')
  const rows = await transactionsOf(call.read, {
    organization: call.organization.id,
    filters: {
      accounts: query.account?.map((id) => decodeId('acct', id)!),
      payments: query.payment?.map((id) => decodeId('pay', id)!),
      types: query.type,
      since: query.since && dayOf(query.since),
      until: query.until && dayOf(query.until),
    },
    before: position && { at: position[0]!, version: BigInt(position[1]!), id: position[2]! },
    limit: page.limit,
  })
  const cursorOf = (row: TransactionRow) => Object.values(positionOf(row)).join(' ')
  return { body: page.of(rows, toTransaction, cursorOf) }
})

export const getTransaction = operation({
  ...treasuryDefaults,
  id: 'treasury.transactions.get',
  method: 'GET',
  path: '/v1/treasury/transactions/{id}',
  summary: 'Retrieve a transaction',
  since: '1.15.0',
  response: Transaction,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => ({
  body: toTransaction(await ownRecord(call, 'ttx', params.id, transactionById)),
}))
