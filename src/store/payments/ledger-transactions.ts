/** Ledger transactions, each with its entries and its payment, to which it is compared. */
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { selectList } from '../../database/table-writes.ts'
import { areEntriesOf } from '../../core/payments/ledger.ts'
import { accountsOf } from './ledger.ts'

/** SQL: printed and sorted as core/payments/ledger.ts does it. */
const entriesOfTransaction = sql`array(
  select concat_ws(' ', e.side, e.account_id, e.mode, e.currency, e.amount)
  from ledger_entry e where e.tx_id = t.id order by e.side, e.account_id)`

export type StoredTransaction = Rows['ledger_tx'] & { entries: string[] }

/** The transactions that exist, whether their seals hold or not. */
export const transactionsById = (
  db: Queryable,
  ids: readonly string[],
): Promise<StoredTransaction[]> =>
  db.rows(sql`
    select ${selectList('ledger_tx', 't')}, ${entriesOfTransaction} as entries from ledger_tx t
    where t.id = any(${columnArray('uuid', ids)})`)

export type TransactionRow = Rows['ledger_tx'] & {
  document_id: string | null
  payment_kind: string | null
  settlement_reference: string | null
}

const withoutPayment = { document_id: null, payment_kind: null, settlement_reference: null }

/** A transaction, with its entries and its payment, if it has one. */
export interface PackedTransaction {
  transaction: string
  entries: string[]
  payment: string | null
}

/** The transaction `t` with the payment `p`, packed. */
export const packedTransaction = sql`
  ${packedRow('ledger_tx', 't')} as transaction, ${entriesOfTransaction} as entries,
  case when p.id is not null then ${packedRow('payments', 'p')} end as payment`

export const otherEntries = ({ id }: { id: string }): BrokenSeal =>
  new BrokenSeal('ledger_entry', id, 'not those of the transaction')

/** With what its payment says. Throws BrokenSeal also if its entries are others. */
export const unpackTransaction = (
  db: Queryable,
  { transaction: packed, entries, payment }: PackedTransaction,
): TransactionRow => {
  const transaction = unpackRow(db.seals, 'ledger_tx', packed)
  if (!areEntriesOf(transaction, entries)) throw otherEntries(transaction)
  const { payment_id } = transaction
  if (payment_id === null) return { ...transaction, ...withoutPayment }
  if (payment === null) throw new BrokenSeal('payments', payment_id)
  const { document_id, kind, settlement_reference } = unpackRow(db.seals, 'payments', payment)
  return { ...transaction, document_id, payment_kind: kind, settlement_reference }
}

/** Where there is none, none of the organization's accounts may be missing. */
export const transactionById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<TransactionRow | undefined> => {
  const row = await db.row<PackedTransaction & { account: string }>(sql`
    select ${packedTransaction}, ${packedRow('ledger_account', 'a')} as account
    from ledger_tx t join ledger_account a on a.id = t.account_id
    left join payments p on p.id = t.payment_id
    where t.id = ${id} and a.organization_id = ${organization}`)
  if (row === undefined) {
    await accountsOf(db, organization)
    return undefined
  }
  const transaction = unpackTransaction(db, row)
  const { reset_version } = unpackRow(db.seals, 'ledger_account', row.account)
  return transaction.opened_version! > reset_version ? transaction : undefined
}
