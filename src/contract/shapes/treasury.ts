/** The treasury: accounts, balances and transactions of the calling organization (domain 4.6). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { paymentKinds } from './payments.ts'
import { InputObject, CommaList, PageOf, OutputObject, pageParameters } from './objects.ts'
import {
  DateOnly,
  DateOrTimestamp,
  Id,
  Money,
  Nullable,
  StringEnum,
  Timestamp,
} from './field-types.ts'

export const Account = OutputObject(
  {
    id: Id('acct', 'The account.'),
    name: Type.String({ examples: ['Settlement USD'] }),
    purpose: StringEnum(['settlement', 'funding'], 'What it is for.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    status: StringEnum(['active', 'frozen', 'closed'], 'Only an active account pays.'),
    provider: Type.String({ description: 'The provider that holds it.', examples: ['simulator'] }),
    last4: Nullable(Type.String({ description: 'The last digits of its number.' })),
    is_default: Type.Boolean({ description: 'Whether payments use it by default.' }),
    created_at: Timestamp('When it was opened.'),
  },
  'An account of the calling organization.',
)
export const AccountPage = PageOf(Account, 'Accounts, newest first.')
export const AccountFilters = InputObject(pageParameters, 'Paging.')

export const Balance = OutputObject(
  {
    account_id: Id('acct', 'The account.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    posted: Money('Settled amount.'),
    pending_in: Money('Incoming amount that has not settled.'),
    pending_out: Money('Amount reserved for outgoing payments.'),
    available: Money('Posted − pending out; below zero only after a bank return.'),
    as_of: Timestamp('The time of the balance, by the organization’s clock.'),
  },
  'The balance of one account.',
)
export const BalancePage = PageOf(Balance, 'One balance per account, newest account first.')
export const BalanceFilters = InputObject(
  {
    ...pageParameters,
    account: Type.Optional(CommaList(Id('acct', 'An account.'), 'Accounts.')),
    currency: Type.Optional(CommaList(StringEnum(currencies, 'A currency.'), 'Currencies.')),
    as_of: Type.Optional(
      DateOrTimestamp(
        'A time in the past, by the organization’s clock; a date means the end of that day. A time that the clock of a sandbox skipped shows the balance before it was advanced.',
      ),
    ),
  },
  'Filters of the balances.',
)

const transactionTypes = [
  'payment_out',
  'payment_in',
  'sweep_out',
  'sweep_in',
  'return',
  'topup',
  'withdrawal',
] as const

export const Transaction = OutputObject(
  {
    id: Id('ttx', 'The transaction.'),
    account_id: Id('acct', 'The account.'),
    type: StringEnum(transactionTypes, 'The type of transaction.'),
    status: StringEnum(['pending', 'posted', 'void'], 'The current status.'),
    amount: Money('Positive into the account, negative out of it.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    running_balance: Nullable(
      Money(
        'The posted balance after it; null unless posted. Within an account it adds up in the order of the list.',
      ),
    ),
    payment_id: Nullable(Id('pay', 'The payment it belongs to.')),
    payment_kind: Nullable(StringEnum(paymentKinds, 'The kind of the payment.')),
    document_id: Nullable(Id('doc', 'The document of the payment.')),
    settlement_reference: Nullable(Type.String({ description: "The rail's reference." })),
    effective_at: Timestamp('When it took effect; while pending, when it was opened.'),
    created_at: Timestamp('When it was opened.'),
  },
  'One movement of one account.',
)
export const TransactionPage = PageOf(
  Transaction,
  'Transactions: those under way, then the others from the last posting back.',
)
export const TransactionFilters = InputObject(
  {
    ...pageParameters,
    account: Type.Optional(CommaList(Id('acct', 'An account.'), 'Accounts.')),
    payment: Type.Optional(CommaList(Id('pay', 'A payment.'), 'Payments.')),
    type: Type.Optional(CommaList(StringEnum(transactionTypes, 'A type.'), 'Types.')),
    since: Type.Optional(DateOrTimestamp('Effective on this day or later.')),
    until: Type.Optional(DateOrTimestamp('Effective on this day or earlier.')),
  },
  'Filters of the transactions.',
)
export type TransactionFilters = Static<typeof TransactionFilters>

export const StatementQuery = InputObject(
  {
    format: StringEnum(['csv', 'camt053'], 'CSV, or camt.053.001.08 of ISO 20022.'),
    from: DateOnly('The first day, in UTC.'),
    to: DateOnly('The last day, inclusive; not in the future.'),
  },
  'The period of a statement.',
)

export const Statement = Type.String({
  description: 'CSV whose first and last row are the balances, or camt.053.001.08.',
})
