/** Treasury reads: accounts, and balances now and as of a moment. */
import { type Queryable, raw, sql } from '../../database/sql.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, missingRow, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { accountsOfOrganization } from '../../core/payments/ledger.ts'
import { checkNoneTwice, checkedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { selectList } from '../../database/table-writes.ts'

export type LedgerAccountRow = Rows['ledger_account']

/**
 * All accounts of an organization, newest first. Throws BrokenSeal if one of them is missing: each
 * organization has the same ones from its first day on, and keeps them (docs/decisions/0179).
 */
export const accountsOf = async (
  db: Queryable,
  organization: string,
): Promise<LedgerAccountRow[]> => {
  const where = sql`where organization_id = ${organization} order by id desc`
  const accounts = await sealedRows(db, 'ledger_account', where)
  checkEveryAccount(organization, accounts)
  return accounts
}

export const checkEveryAccount = (
  organization: string,
  accounts: readonly LedgerAccountRow[],
): void => {
  checkNoneTwice('ledger_account', accounts)
  for (const { currency, code } of accountsOfOrganization) {
    if (accounts.some((one) => one.currency === currency && one.code === code)) continue
    throw missingRow('ledger_account', `${organization} ${code} ${currency}`)
  }
}

/** Where there is none, none of the organization's accounts may be missing. */
export const accountById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<LedgerAccountRow | undefined> => {
  const where = sql`where id = ${id} and organization_id = ${organization}`
  const account = await sealedRow(db, 'ledger_account', where)
  if (account === undefined) await accountsOf(db, organization)
  return account
}

export const accountOfPurpose = async (
  db: Queryable,
  organization: string,
  { currency, purpose }: { currency: string; purpose: string },
): Promise<LedgerAccountRow> => {
  const accounts = await accountsOf(db, organization)
  return accounts.find((one) => one.currency === currency && one.code === purpose)!
}

export interface BalanceRow {
  account_id: string
  currency: string
  posted: bigint
  pending_in: bigint
  pending_out: bigint
}

/** Selects accounts, and those of a page, which may be more than the page has. */
export interface BalanceRequest {
  organization: string
  accounts: readonly string[] | undefined
  currencies: readonly string[] | undefined
  before: string | undefined
}

/** Chosen from all accounts of an organization, newest first; none may be missing. */
const requestedRows = <R extends { account: LedgerAccountRow }>(
  rows: readonly R[],
  { organization, accounts, currencies, before }: BalanceRequest,
): R[] => {
  checkEveryAccount(
    organization,
    rows.map(({ account }) => account),
  )
  return rows.filter(
    ({ account: { id, currency } }) =>
      accounts?.includes(id) !== false &&
      currencies?.includes(currency) !== false &&
      (before === undefined || id < before),
  )
}

/** The largest version. */
export const maxBigint = 2n ** 63n - 1n

/** The order in which transactions changed the posted balance; those under way come last. */
export const resolvedAt = raw(`coalesce(t.resolved_at, 'infinity')`)
export const postedVersion = raw(`coalesce(t.posted_version, ${maxBigint})`)

export interface AmountsUnderWay {
  credit_under_way: bigint
  debit_under_way: bigint
}

/** SQL of what the transactions of the account `a` say that is under way. */
export const amountsUnderWay = sql`
  select coalesce(sum(greatest(t.amount, 0)), 0)::bigint as credit_under_way,
    coalesce(sum(greatest(-t.amount, 0)), 0)::bigint as debit_under_way
  from ledger_tx t
  where t.account_id = a.id and t.status = 'pending' and ${resolvedAt} = 'infinity'`

/** Whether the account says the same; an earlier row of it has a seal that holds. */
export const hasUnderWay = (account: LedgerAccountRow, amounts: AmountsUnderWay): boolean =>
  account.pending_credit === amounts.credit_under_way &&
  account.pending_debit === amounts.debit_under_way

export const balancesNow = async (
  db: Queryable,
  request: BalanceRequest,
): Promise<BalanceRow[]> => {
  const rows = await db.rows<LedgerAccountRow & AmountsUnderWay & { newest_posting: bigint }>(sql`
    select ${selectList('ledger_account', 'a')}, coalesce((select max(t.posted_version)
      from ledger_tx t where t.account_id = a.id), 0) as newest_posting,
      u.credit_under_way, u.debit_under_way
    from ledger_account a cross join lateral (${amountsUnderWay}) u
    where a.organization_id = ${request.organization} order by a.id desc`)
  const accounts = checkedRows(db, 'ledger_account', rows).map((account) => ({ account }))
  return requestedRows(accounts, request).map(({ account }) => {
    const isLast = account.last_posting === account.newest_posting && hasUnderWay(account, account)
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
  const rows = await balancesNow(db, { organization, ...all })
  return rows.map(({ currency, posted, pending_out: pending }) => ({
    currency,
    available: posted - pending,
  }))
}

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
    from ledger_account a where a.organization_id = ${request.organization} order by a.id desc`)
  const accounts = rows.map((row) => ({
    ...row,
    account: unpackRow(db.seals, 'ledger_account', row.account),
  }))
  const opened = requestedRows(accounts, request).filter(
    ({ account }) => account.created_at <= asOf,
  )
  return opened.map(({ account, ...row }) => {
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
