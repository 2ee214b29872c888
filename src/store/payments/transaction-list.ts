/**
 * The list of an organization's transactions. Postings are chained (docs/decisions/0052), so a page
 * shows its part of the chain of each account whole, or is refused (posting-chain.ts).
 */
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { oldRow } from '../../database/row-seals.ts'
import { checkNoneTwice, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { isTransactionVisible } from '../visibility.ts'
import {
  type AmountsUnderWay,
  type LedgerAccountRow,
  amountsUnderWay,
  checkEveryAccount,
  hasUnderWay,
  maxBigint,
  postedVersion,
  resolvedAt,
} from './ledger.ts'
import {
  type PackedTransaction,
  type TransactionRow,
  packedTransaction,
  unpackTransaction,
} from './ledger-transactions.ts'
import { checkPostings, checkTransactionsOf } from './posting-chain.ts'
import { conjunction, ifGiven, isAmong } from '../../database/conditions.ts'

export interface LedgerTransactionFilters {
  accounts?: readonly string[] | undefined
  payments?: readonly string[] | undefined
  types?: readonly string[] | undefined
  /** Days of `effective_at`, inclusive. */
  since?: string | undefined
  until?: string | undefined
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

export interface TransactionsRequest {
  organization: string
  filters: LedgerTransactionFilters
  before: TransactionPosition | undefined
  limit: number
}

/**
 * A row of the page; an account, with the postings next to those of the page; or a payment that was
 * asked for, with its transactions.
 */
type PackedRow =
  | (PackedTransaction & { account: null })
  | (PackedAccount & { transaction: null })
  | { transaction: null; account: null; payment: string; related: string[] }

interface PackedAccount {
  account: string
  above: string | null
  below: string | null
  /** Postings that a type leaves out. */
  related: string[] | null
  credit_under_way: bigint | null
  debit_under_way: bigint | null
}

/**
 * Those under way, then the others from the last posting back: running balances add up. Throws
 * BrokenSeal also where an account or a posting is missing.
 */
export const transactionsOf = async (
  db: Queryable,
  request: TransactionsRequest,
): Promise<TransactionRow[]> => {
  const { organization, filters } = request
  const page: TransactionRow[] = []
  const accounts: ReturnType<typeof unpackAccount>[] = []
  for (const row of await db.rows<PackedRow>(pageAndAccounts(request))) {
    if (row.transaction !== null) page.push(unpackTransaction(db, row))
    else if (row.account !== null) accounts.push(unpackAccount(db, row))
    else {
      const transactions = row.related.map((one) => unpackRow(db.seals, 'ledger_tx', one))
      checkTransactionsOf(unpackRow(db.seals, 'payments', row.payment), transactions)
    }
  }
  checkNoneTwice('ledger_tx', page)
  checkEveryAccount(
    organization,
    accounts.map(({ account }) => account),
  )
  if (filters.payments === undefined) await checkChains(db, request, { page, accounts })
  return page.toSorted(byPlace)
}

const checkChains = async (
  db: Queryable,
  { filters }: TransactionsRequest,
  found: { page: TransactionRow[]; accounts: ReturnType<typeof unpackAccount>[] },
): Promise<void> => {
  const posted = found.page.filter(({ status }) => status === 'posted')
  const { accounts, types, since, until } = filters
  const isNarrowed = (types ?? since ?? until) !== undefined
  for (const { account, amounts, related, ...ends } of found.accounts) {
    if (accounts?.includes(account.id) === false) continue
    if (amounts !== null) await checkUnderWay(db, { account, amounts }, isNarrowed)
    const listed = posted.filter(({ account_id }) => account_id === account.id)
    const stretch = { account, ...ends, postings: [...listed, ...related] }
    await checkPostings(db, stretch, types !== undefined)
  }
}

/** A filter may leave out what was changed, so all of it is proven then. */
const checkUnderWay = async (
  db: Queryable,
  { account, amounts }: { account: LedgerAccountRow; amounts: AmountsUnderWay },
  isFiltered: boolean,
): Promise<void> => {
  if (!hasUnderWay(account, amounts)) throw oldRow('ledger_account', account.id)
  const isNothing = amounts.credit_under_way === 0n && amounts.debit_under_way === 0n
  if (!isFiltered || isNothing) return
  const where = sql`where t.account_id = ${account.id} and t.status = 'pending'
    and ${resolvedAt} = 'infinity'`
  await sealedRows(db, 'ledger_tx', where)
}

const unpackAccount = (db: Queryable, row: PackedAccount) => {
  const transaction = (packed: string) => unpackRow(db.seals, 'ledger_tx', packed)
  return {
    account: unpackRow(db.seals, 'ledger_account', row.account),
    related: (row.related ?? []).map(transaction),
    above: row.above === null ? undefined : transaction(row.above),
    below: row.below === null ? undefined : transaction(row.below),
    amounts: row.credit_under_way === null ? null : (row as AmountsUnderWay),
  }
}

const place = sql`(${resolvedAt}, ${postedVersion}, t.id)`
const newestFirst = sql`order by ${resolvedAt} desc, ${postedVersion} desc, t.id desc`
/** Follows a time: the place before all transactions of that time. */
const first = sql`${-maxBigint}::bigint, '00000000-0000-0000-0000-000000000000'::uuid`

/** The same order; `infinity` comes after the digits of a time. */
const byPlace = (one: TransactionRow, other: TransactionRow): number => {
  const [a, b] = [positionOf(one), positionOf(other)]
  if (a.at !== b.at) return a.at < b.at ? 1 : -1
  if (a.version !== b.version) return a.version < b.version ? 1 : -1
  return a.id < b.id ? 1 : -1
}

/** The page and, of the same snapshot, every account of the organization. */
const pageAndAccounts = (request: TransactionsRequest): SqlQuery => {
  const { organization, filters, limit } = request
  const start = filters.since ? sql`${filters.since}::date::timestamptz` : sql`'-infinity'`
  // The place behind the page: that of its last row if it is full.
  return sql`
    with page as materialized (${pageOf(request)}), behind as (
      select coalesce(l.at, ${start}) as at, coalesce(l.version, s.version) as version,
        coalesce(l.id, s.id) as id
      from (values (${first})) s (version, id) left join (
        select ${resolvedAt} as at, ${postedVersion} as version, t.id from page t
        ${newestFirst} offset ${limit - 1} limit 1) l on true)
    select ${packedTransaction}, null as account, null as above, null as below,
      null::text[] as related, null::bigint as credit_under_way, null::bigint as debit_under_way
    from page t left join payments p on p.id = t.payment_id
    union all
    ${filters.payments ? paymentsAndAccounts(organization, filters.payments) : accountsBeside(request)}`
}

const paymentsAndAccounts = (organization: string, payments: readonly string[]): SqlQuery => sql`
  select null, null, ${packedRow('payments', 'p')}, null, null, null, array(
    select ${packedRow('ledger_tx', 't')} from ledger_tx t where t.payment_id = p.id), null, null
  from payments p where p.id = any(${columnArray('uuid', payments)})
    and ${organization} in (p.payer_id, p.payee_id)
  union all
  select null, null, null, ${packedRow('ledger_account', 'a')}, null, null, null, null, null
  from ledger_account a where a.organization_id = ${organization}`

/** So many postings that a type leaves out are read of each account beside the page. */
const othersMax = 256

/**
 * Each account, and of those whose transactions are listed the postings above and below those of
 * the page, which begins behind its cursor or with the last day.
 */
const accountsBeside = (request: TransactionsRequest): SqlQuery => {
  const { organization, filters, before } = request
  const { accounts, types, until } = filters
  // Only then may a transaction follow that is under way.
  const isAtStart = before === undefined || before.at === 'infinity'
  const end = isAtStart
    ? until && sql`(${until}::date::timestamptz + interval '1 day', ${first})`
    : sql`(${before.at}, ${before.version}, ${before.id})`
  const isListed = accounts ? sql`and a.id = any(${columnArray('uuid', accounts)})` : sql``
  const posting = sql`select ${packedRow('ledger_tx', 't')} from ledger_tx t
    where t.account_id = a.id ${isListed} and ${isTransactionVisible} and t.status = 'posted'`
  const oldestFirst = sql`order by ${resolvedAt}, ${postedVersion}, t.id`
  const afterEnd = end ? sql`and ${place} < ${end}` : sql``
  const above = end && sql`(${posting} and ${place} >= ${end} ${oldestFirst} limit 1)`
  const below = sql`(${posting} and ${place} < (b.at, b.version, b.id) ${afterEnd}
    ${newestFirst} limit 1)`
  const others =
    types &&
    sql`array(${posting} and ${place} > (b.at, b.version, b.id) ${afterEnd}
      and t.kind <> all(${columnArray('text', types)}) ${newestFirst} limit ${othersMax})`
  return sql`
    select null, null, null, ${packedRow('ledger_account', 'a')}, ${above ?? sql`null`}, ${below},
      ${others ?? sql`null`}, u.credit_under_way, u.debit_under_way
    from ledger_account a cross join behind b
    cross join lateral (${isAtStart ? amountsUnderWay : unknownAmounts}) u
    where a.organization_id = ${organization}`
}

const unknownAmounts = sql`
  select null::bigint as credit_under_way, null::bigint as debit_under_way`

/** A page of each account by its index, and of these the first. */
const pageOf = ({ organization, filters, before, limit }: TransactionsRequest): SqlQuery => {
  const { accounts, payments, types, since, until } = filters
  const filter = conjunction([
    isAmong('t.payment_id', 'uuid', payments),
    isAmong('t.kind', 'text', types),
    ifGiven(since, (day) => sql`t.effective_at >= ${day}::date`),
    ifGiven(until, (day) => sql`t.effective_at < ${day}::date + 1`),
    ifGiven(before, ({ at, version, id }) => sql`${place} < (${at}, ${version}, ${id})`),
  ])
  return sql`
    select t.* from ledger_account a
    cross join lateral (select t.* from ledger_tx t
      where t.account_id = a.id and ${isTransactionVisible} and ${filter}
      ${newestFirst} limit ${limit}) t
    where a.organization_id = ${organization}
      and ${isAmong('a.id', 'uuid', accounts)}
    ${newestFirst} limit ${limit}`
}
