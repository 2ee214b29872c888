/** Treasury reads: accounts, balances now and as of a moment, and transactions. */
import { type SqlQuery, type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { selectList } from '../../database/table-writes.ts'
import { isTransactionVisible } from '../visibility.ts'

export type LedgerAccountRow = Rows['ledger_account']

export const accountsOf = (
  db: Queryable,
  organization: string,
  page: { before: string | undefined; limit: number },
): Promise<LedgerAccountRow[]> =>
  db.rows<LedgerAccountRow>(sql`
    select ${selectList('ledger_account', 'a')} from ledger_account a
    where organization_id = ${organization}
      ${page.before === undefined ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`)

export const accountById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<LedgerAccountRow | undefined> =>
  db.row(sql`
    select ${selectList('ledger_account', 'a')} from ledger_account a
    where id = ${id} and organization_id = ${organization}`)

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

export const balancesNow = (db: Queryable, request: BalanceRequest): Promise<BalanceRow[]> =>
  db.rows<BalanceRow>(sql`
    select a.id as account_id, a.currency, a.posted, a.pending_credit as pending_in,
      a.pending_debit as pending_out
    from ledger_account a where ${pageOfAccounts(request)}`)

/** The balance last posted by a moment, and the amounts pending at it. */
export const balancesAsOf = (
  db: Queryable,
  request: BalanceRequest,
  asOf: string,
): Promise<BalanceRow[]> =>
  db.rows<BalanceRow>(sql`
    select a.id as account_id, a.currency,
      coalesce((select t.running_balance from ledger_tx t
        where t.account_id = a.id and t.resolved_at <= ${asOf} and t.status = 'posted'
        order by t.resolved_at desc, t.posted_version desc limit 1), 0)::bigint as posted,
      p.pending_in, p.pending_out
    from ledger_account a cross join lateral (
      select coalesce(sum(t.amount) filter (where t.amount > 0), 0)::bigint as pending_in,
        coalesce(-sum(t.amount) filter (where t.amount < 0), 0)::bigint as pending_out
      from ledger_tx t where t.account_id = a.id and t.created_at <= ${asOf}
        and (t.resolved_at is null or t.resolved_at > ${asOf})
        and t.opened_version is distinct from t.posted_version) p
    where a.created_at <= ${asOf} and ${pageOfAccounts(request)}`)

export type TransactionRow = Rows['ledger_tx'] & {
  document_id: string | null
  settlement_reference: string | null
}

export interface LedgerTransactionFilters {
  accounts?: readonly string[]
  payments?: readonly string[]
  types?: readonly string[]
  /** Days of `effective_at`, inclusive. */
  since?: string
  until?: string
}

/** A position in the list of transactions: by time, and within an account by version. */
export interface TransactionPosition {
  at: string
  version: bigint
  id: string
}

const columns = sql`${selectList('ledger_tx', 't')}, p.document_id, p.settlement_reference`

export const transactionsOf = (
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
          sql`(t.created_at, t.opened_version, t.id) < (${before.at}, ${before.version}, ${before.id})`,
        ]),
  ]
  const filter = conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`)
  return db.rows<TransactionRow>(sql`
    select ${columns} from ledger_account a
    join ledger_tx t on t.account_id = a.id and ${isTransactionVisible}
    left join payments p on p.id = t.payment_id
    where a.organization_id = ${request.organization} and ${filter}
    order by t.created_at desc, t.opened_version desc, t.id desc limit ${request.limit}`)
}

export const transactionById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<TransactionRow | undefined> =>
  db.row(sql`
    select ${columns} from ledger_tx t
    join ledger_account a on a.id = t.account_id and ${isTransactionVisible}
    left join payments p on p.id = t.payment_id
    where t.id = ${id} and a.organization_id = ${organization}`)
