/** The treasury: accounts, balances and transactions of the calling organization (domain 4.6). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { Body, List, Page, View, paging } from './envelopes.ts'
import { DateOrTimestamp, Id, Money, Nullable, OneOf, Timestamp } from './values.ts'

export const Account = View(
  {
    id: Id('acct', 'The account.'),
    name: Type.String({ examples: ['Settlement USD'] }),
    purpose: OneOf(['settlement', 'funding'], 'What it is for.'),
    currency: OneOf(currencies, 'ISO 4217.'),
    status: OneOf(['active', 'frozen', 'closed'], 'Only an active account pays.'),
    provider: Type.String({ description: 'Who holds it.', examples: ['simulator'] }),
    last4: Nullable(Type.String({ description: 'The end of its number.' })),
    is_default: Type.Boolean({ description: 'Whether payments use it when none is named.' }),
    created_at: Timestamp('When it was opened.'),
  },
  'An account of the calling organization.',
)
export const AccountPage = Page(Account, 'Accounts, newest first.')
export const AccountFilters = Body(paging, 'Paging.')

export const Balance = View(
  {
    account_id: Id('acct', 'The account.'),
    currency: OneOf(currencies, 'ISO 4217.'),
    posted: Money('What has settled.'),
    pending_in: Money('On its way in.'),
    pending_out: Money('Set aside for what is on its way out.'),
    available: Money('Posted − pending out; below zero only after a bank took money back.'),
    as_of: Timestamp('The moment it speaks of.'),
  },
  'The balance of one account.',
)
export const BalancePage = Page(Balance, 'One balance per account, of the newest account first.')
export const BalanceFilters = Body(
  {
    ...paging,
    account: Type.Optional(List(Id('acct', 'An account.'), 'Accounts.')),
    currency: Type.Optional(List(OneOf(currencies, 'A currency.'), 'Currencies.')),
    as_of: Type.Optional(DateOrTimestamp('A moment in the past; a date means its end.')),
  },
  'Filters of the balances.',
)

const types = [
  'payment_out',
  'payment_in',
  'sweep_out',
  'sweep_in',
  'return',
  'topup',
  'withdrawal',
] as const

export const Transaction = View(
  {
    id: Id('ttx', 'The transaction.'),
    account_id: Id('acct', 'The account.'),
    type: OneOf(types, 'What it is.'),
    status: OneOf(['pending', 'posted', 'void'], 'Where it stands.'),
    amount: Money('Into the account, or out of it when negative.'),
    currency: OneOf(currencies, 'ISO 4217.'),
    running_balance: Nullable(Money('The posted balance after it; null unless posted.')),
    payment_id: Nullable(Id('pay', 'The payment it belongs to.')),
    document_id: Nullable(Id('doc', 'The document of the payment.')),
    settlement_reference: Nullable(Type.String({ description: "The rail's reference." })),
    effective_at: Timestamp('When it took effect; for a pending one, when it was opened.'),
    created_at: Timestamp('When it was opened.'),
  },
  'One movement of one account.',
)
export const TransactionPage = Page(Transaction, 'Transactions, newest first.')
export const TransactionFilters = Body(
  {
    ...paging,
    account: Type.Optional(List(Id('acct', 'An account.'), 'Accounts.')),
    payment: Type.Optional(List(Id('pay', 'A payment.'), 'Payments.')),
    type: Type.Optional(List(OneOf(types, 'A type.'), 'Types.')),
    since: Type.Optional(DateOrTimestamp('Effective on this day or later.')),
    until: Type.Optional(DateOrTimestamp('Effective on this day or earlier.')),
  },
  'Filters of the transactions.',
)
export type TransactionFilters = Static<typeof TransactionFilters>
