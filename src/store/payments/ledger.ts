/** Treasury reads: accounts, balances now and as of a moment, and transactions. */
import { limits } from '../../contract/limits.ts'
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { areEntriesOf } from '../../core/payments/ledger.ts'
import { checkedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { selectList } from '../../database/table-writes.ts'
import { isTransactionVisible } from '../visibility.ts'

/** Larger than any version. */
const maxBigint = 2n ** 63n - 1n

export type LedgerAccountRow = Rows['ledger_account']

export const accountsOf = (
  db: Queryable,
  organization: string,
  page: { before: string | undefined; limit: number },
): Promise<LedgerAccountRow[]> =>
  sealedRows(
    db,
    'ledger_account',
    sql`where organization_id = ${organization}
      ${page.before === undefined ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`,
  )

export const accountById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<LedgerAccountRow | undefined> =>
  sealedRow(db, 'ledger_account', sql`where id = ${id} and organization_id = ${organization}`)

export const accountOfPurpose = async (
  db: Queryable,
  organization: string,
  { currency, purpose }: { currency: string; purpose: string },
): Promise<LedgerAccountRow> => {
  const where = sql`where organization_id = ${organization}
    and currency = ${currency} and code = ${purpose}`
  return (await sealedRow(db, 'ledger_account', where))!
}

export interface BalanceRow {
  account_id: string
  currency: string
  posted: bigint
  pending_in: bigint
  pending_out: bigint
}

/** Selects accounts, and a page of them. */
export interface BalanceRequest {
  organization: string
  accounts: readonly string[] | undefined
  currencies: readonly string[] | undefined
  before: string | undefined
  limit: number
}

const pageOfAccounts = (request: BalanceRequest): SqlQuery => {
  const { organization, accounts, currencies, before, limit } = request
  const conditions: SqlQuery[] = [
    ...(accounts ? [sql`and a.id = any(${columnArray('uuid', accounts)})`] : []),
    ...(currencies ? [sql`and a.currency = any(${columnArray('text', currencies)})`] : []),
    ...(before === undefined ? [] : [sql`and a.id < ${before}`]),
  ]
  const filter = conditions.reduce((all, next) => sql`${all} ${next}`, sql``)
  return sql`a.organization_id = ${organization} ${filter} order by a.id desc limit ${limit}`
}

/** What the transactions of an account say of it. */
interface FromTransactions {
  newest_posting: bigint
  credit_under_way: bigint
  debit_under_way: bigint
}

export const balancesNow = async (
  db: Queryable,
  request: BalanceRequest,
): Promise<BalanceRow[]> => {
  const accounts = await db.rows<LedgerAccountRow & FromTransactions>(sql`
    select ${selectList('ledger_account', 'a')}, coalesce((select max(t.posted_version)
      from ledger_tx t where t.account_id = a.id), 0) as newest_posting,
      u.credit_under_way, u.debit_under_way
    from ledger_account a cross join lateral (
      select coalesce(sum(greatest(t.amount, 0)), 0)::bigint as credit_under_way,
        coalesce(sum(greatest(-t.amount, 0)), 0)::bigint as debit_under_way
      from ledger_tx t
      where t.account_id = a.id and t.status = 'pending' and ${resolvedAt} = 'infinity') u
    where ${pageOfAccounts(request)}`)
  return checkedRows(db, 'ledger_account', accounts).map((account) => {
    // An earlier row has a seal that holds.
    const isLast =
      account.last_posting === account.newest_posting &&
      account.pending_credit === account.credit_under_way &&
      account.pending_debit === account.debit_under_way
    if (!isLast) throw oldRow('ledger_account', account.id)
    return {
      account_id: account.id,
      currency: account.currency,
      posted: account.posted!,
      pending_in: account.pending_credit!,
      pending_out: account.pending_debit!,
    }
  })
}

/** What each account of the organization can pay now; it has two in each currency. */
export const availableBalances = async (
  db: Queryable,
  organization: string,
): Promise<{ currency: string; available: bigint }[]> => {
  const all = { accounts: undefined, currencies: undefined, before: undefined }
  const rows = await balancesNow(db, { organization, ...all, limit: limits.pageMax })
  return rows.map(({ currency, posted, pending_out: pending }) => ({
    currency,
    available: posted - pending,
  }))
}

/** The order in which transactions changed the posted balance; those under way come last. */
const resolvedAt = raw(`coalesce(t.resolved_at, 'infinity')`)
const postedVersion = raw(`coalesce(t.posted_version, ${maxBigint})`)

interface AccountAsOf {
  account: string
  /** The last posting by then; null without any. */
  last: string | null
  /** The posting after it; null if the last one is the newest. */
  next: string | null
  pending: string[]
}

/** The balance last posted by a moment, and the amounts pending at it. */
export const balancesAsOf = async (
  db: Queryable,
  request: BalanceRequest,
  asOf: string,
): Promise<BalanceRow[]> => {
  const transaction = packedRow('ledger_tx', 't')
  const rows = await db.rows<AccountAsOf>(sql`
    select ${packedRow('ledger_account', 'a')} as account,
      (select ${transaction} from ledger_tx t
        where t.account_id = a.id and ${resolvedAt} <= ${asOf} and t.status = 'posted'
        order by ${resolvedAt} desc, ${postedVersion} desc limit 1) as last,
      (select ${transaction} from ledger_tx t
        where t.account_id = a.id and ${resolvedAt} > ${asOf} and t.status = 'posted'
        order by ${resolvedAt}, ${postedVersion} limit 1) as next,
      array(select ${transaction} from ledger_tx t
        where t.account_id = a.id and t.created_at <= ${asOf}
          and ${resolvedAt} > ${asOf}
          and t.opened_version is distinct from t.posted_version) as pending
    from ledger_account a where a.created_at <= ${asOf} and ${pageOfAccounts(request)}`)
  return rows.map((row) => {
    const account = unpackRow(db.seals, 'ledger_account', row.account)
    const [last, next] = [row.last, row.next].map((text) =>
      text === null ? undefined : unpackRow(db.seals, 'ledger_tx', text),
    )
    const lastPosting = next === undefined ? account.last_posting : next.previous_posting
    if (lastPosting !== (last?.posted_version ?? 0n)) {
      throw new BrokenSeal('ledger_tx', `after posting ${last?.posted_version} of ${account.id}`)
    }
    const pending = row.pending.map((text) => unpackRow(db.seals, 'ledger_tx', text).amount)
    const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
    return {
      account_id: account.id,
      currency: account.currency,
      posted: last?.running_balance ?? 0n,
      pending_in: sumOf(pending.filter((amount) => amount > 0n)),
      pending_out: -sumOf(pending.filter((amount) => amount < 0n)),
    }
  })
}

/** With its entries, printed and sorted as core/payments/ledger.ts does it. */
export type StoredTransaction = Rows['ledger_tx'] & { entries: string[] }

const storedTransaction = sql`${selectList('ledger_tx', 't')}, array(
  select concat_ws(' ', e.side, e.account_id, e.mode, e.currency, e.amount)
  from ledger_entry e where e.tx_id = t.id order by e.side, e.account_id) as entries`

/** The transactions that exist, whether their seals hold or not. */
export const transactionsById = (
  db: Queryable,
  ids: readonly string[],
): Promise<StoredTransaction[]> =>
  db.rows(sql`
    select ${storedTransaction} from ledger_tx t
    where t.id = any(${columnArray('uuid', ids)})`)

export type TransactionRow = Rows['ledger_tx'] & {
  document_id: string | null
  payment_kind: string | null
  settlement_reference: string | null
}

const withoutPayment = { document_id: null, payment_kind: null, settlement_reference: null }

export type JoinedTransaction = StoredTransaction & { payment: string | null }

/** Each with what its payment says. Throws BrokenSeal also if its entries are others. */
export const checkedTransactions = (
  db: Queryable,
  rows: readonly JoinedTransaction[],
): TransactionRow[] =>
  checkedRows(db, 'ledger_tx', rows).map(({ payment, entries, ...transaction }) => {
    if (!areEntriesOf(transaction, entries)) {
      throw new BrokenSeal('ledger_entry', transaction.id, 'not those of the transaction')
    }
    const { payment_id } = transaction
    if (payment_id === null) return { ...transaction, ...withoutPayment }
    if (payment === null) throw new BrokenSeal('payments', payment_id)
    const { document_id, kind, settlement_reference } = unpackRow(db.seals, 'payments', payment)
    return { ...transaction, document_id, payment_kind: kind, settlement_reference }
  })

export interface LedgerTransactionFilters {
  accounts?: readonly string[]
  payments?: readonly string[]
  types?: readonly string[]
  /** Days of `effective_at`, inclusive. */
  since?: string
  until?: string
}

/** A position in the list of transactions: by resolution, and within an account by posting. */
export interface TransactionPosition {
  at: string
  version: bigint
  id: string
}

export const positionOf = ({ resolved_at, posted_version, id }: TransactionRow) => ({
  at: resolved_at ?? 'infinity',
  version: posted_version ?? maxBigint,
  id,
})

export const transactionColumns = sql`${storedTransaction},
  case when p.id is not null then ${packedRow('payments', 'p')} end as payment`

/** Those under way, then the others from the last posting back: running balances add up. */
export const transactionsOf = async (
  db: Queryable,
  request: {
    organization: string
    filters: LedgerTransactionFilters
    before: TransactionPosition | undefined
    limit: number
  },
): Promise<TransactionRow[]> => {
  const { filters, before } = request
  const conditions: SqlQuery[] = [
    ...(filters.accounts
      ? [sql`t.account_id = any(${columnArray('uuid', filters.accounts)})`]
      : []),
    ...(filters.payments
      ? [sql`t.payment_id = any(${columnArray('uuid', filters.payments)})`]
      : []),
    ...(filters.types ? [sql`t.kind = any(${columnArray('text', filters.types)})`] : []),
    ...(filters.since ? [sql`t.effective_at >= ${filters.since}::date`] : []),
    ...(filters.until ? [sql`t.effective_at < ${filters.until}::date + 1`] : []),
    ...(before === undefined
      ? []
      : [
          sql`(${resolvedAt}, ${postedVersion}, t.id) < (${before.at}, ${before.version}, ${before.id})`,
        ]),
  ]
  const filter = conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`)
  const newestFirst = sql`
    order by ${resolvedAt} desc, ${postedVersion} desc, t.id desc limit ${request.limit}`
  // A page of each account by its index, and of these the first.
  const rows = await db.rows<JoinedTransaction>(sql`
    select ${transactionColumns} from ledger_account a
    cross join lateral (select t.* from ledger_tx t
      where t.account_id = a.id and ${isTransactionVisible} and ${filter} ${newestFirst}) t
    left join payments p on p.id = t.payment_id
    where a.organization_id = ${request.organization} ${newestFirst}`)
  return checkedTransactions(db, rows)
}

export const transactionById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<TransactionRow | undefined> => {
  const rows = await db.rows<JoinedTransaction>(sql`
    select ${transactionColumns} from ledger_tx t
    join ledger_account a on a.id = t.account_id and ${isTransactionVisible}
    left join payments p on p.id = t.payment_id
    where t.id = ${id} and a.organization_id = ${organization}`)
  return checkedTransactions(db, rows)[0]
}
