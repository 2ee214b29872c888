/**
 * What was posted to an account in a period, in the order of posting. Every posting names the one
 * before it and the balance after it, so a statement adds up or is not given.
 */
import { countOf } from '../../database/counts.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import {
  type PackedTransaction,
  type TransactionRow,
  packedTransaction,
  unpackTransaction,
} from './ledger-transactions.ts'
import { isPlaceAfter } from './posting-chain.ts'

/** A place between two postings of an account. */
export interface StatementPlace {
  /** The version of the posting before it; of the last reset if there is none since. */
  version: bigint
  balance: bigint
}

export interface StatementPlaces {
  opening: StatementPlace
  closing: StatementPlace
  resetVersion: bigint
}

type PackedPlaces = { account: string } & Record<'opening' | 'closing' | 'next', string | null>

/**
 * The places before and after the postings of these days. Throws BrokenSeal unless the posting
 * after the last one, or else the account, names it.
 */
export const statementPlaces = async (
  db: Queryable,
  account: string,
  { from, to }: { from: string; to: string },
): Promise<StatementPlaces> => {
  const resolvedAt = sql`coalesce(t.resolved_at, 'infinity')`
  const version = sql`coalesce(t.posted_version, 9223372036854775807)`
  const posting = sql`select ${packedRow('ledger_tx', 't')} from ledger_tx t
    where t.account_id = a.id and t.status = 'posted' and t.posted_version > a.reset_version`
  const lastBefore = (end: SqlQuery): SqlQuery => sql`(${posting} and ${resolvedAt} < ${end}
    order by ${resolvedAt} desc, ${version} desc limit 1)`
  const row = await db.row<PackedPlaces>(sql`
    select ${packedRow('ledger_account', 'a')} as account,
      ${lastBefore(sql`${from}::date`)} as opening,
      ${lastBefore(sql`${to}::date + 1`)} as closing,
      (${posting} and ${resolvedAt} >= ${to}::date + 1
        order by ${resolvedAt}, ${version} limit 1) as next
    from ledger_account a where a.id = ${account}`)
  const { last_posting, reset_version } = unpackRow(db.seals, 'ledger_account', row!.account)
  const postingOf = (packed: string | null) =>
    packed === null ? undefined : unpackRow(db.seals, 'ledger_tx', packed)
  const placeAfter = (packed: string | null): StatementPlace => {
    const { posted_version, running_balance } = postingOf(packed) ?? {}
    return { version: posted_version ?? reset_version, balance: running_balance ?? 0n }
  }
  const closing = placeAfter(row!.closing)
  const next = postingOf(row!.next)
  const previous = next === undefined ? last_posting : next.previous_posting!
  if (!isPlaceAfter(closing.version, previous, reset_version)) {
    throw new BrokenSeal('ledger_tx', `after posting ${closing.version} of ${account}`)
  }
  return { opening: placeAfter(row!.opening), closing, resetVersion: reset_version }
}

interface PostingsRequest {
  account: string
  after: StatementPlace
  /** The version of the last posting of the statement. */
  last: bigint
  limit: number
}

export const countPostings = (
  db: Queryable,
  { account, after, last, limit }: PostingsRequest,
): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from (
      select 1 from ledger_tx t where t.account_id = ${account}
        and t.posted_version > ${after.version} and t.posted_version <= ${last}
      limit ${limit}) t`,
  )

/** The next postings. Throws BrokenSeal where one is missing or does not add up. */
export const postingsAfter = async (
  db: Queryable,
  { account, after, last, limit, resetVersion }: PostingsRequest & { resetVersion: bigint },
): Promise<TransactionRow[]> => {
  const rows = await db.rows<PackedTransaction>(sql`
    select ${packedTransaction} from ledger_tx t
    left join payments p on p.id = t.payment_id
    where t.account_id = ${account}
      and t.posted_version > ${after.version} and t.posted_version <= ${last}
    order by t.posted_version limit ${limit}`)
  const postings = rows.map((row) => unpackTransaction(db, row))
  let place = after
  for (const { id, amount, previous_posting, posted_version, running_balance } of postings) {
    const follows = isPlaceAfter(place.version, previous_posting!, resetVersion)
    if (!follows || running_balance !== place.balance + amount) {
      throw new BrokenSeal('ledger_tx', id)
    }
    place = { version: posted_version!, balance: running_balance }
  }
  if (postings.length < limit && place.version !== last) {
    throw new BrokenSeal('ledger_tx', `after posting ${place.version} of ${account}`)
  }
  return postings
}
