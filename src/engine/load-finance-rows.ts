/**
 * Loads the rows that decisions about loans need (domain 5). Nobody changes a listing, an offer or
 * an agreement without the lock on its invoice, and a setup or a pledge without the counters of its
 * organization, so these rows take no locks of their own; they are read after those locks. A batch
 * without loans sends none of these statements.
 */
import { type LoanParts, loanNamedIn } from '../core/finance/document-finance.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import type { Rows } from '../database/rows.ts'
import { listingsBeside } from '../store/finance/listings.ts'
import { rowsWhere } from '../database/table-writes.ts'
import { awaitAll } from './await-all.ts'
import { checkOnlyRows } from './current-rows.ts'
import { readReceivables } from './load-receivables.ts'
import type { RowsToLock } from './rows-to-lock.ts'
import type { FinanceTable, WorkingSet } from './working-set.ts'

export type FinanceRowsToRead = Required<
  Pick<RowsToLock, 'listings' | 'offers' | 'agreements' | 'setups' | 'receivables' | 'similarTo'>
>

/**
 * The loans of which these documents are parts, by document: only a hint, since nothing is locked
 * yet and no seal was checked. A decision that finds another loan asks for its rows.
 */
export const readLoans = async (
  db: Connection,
  documents: readonly string[],
): Promise<ReadonlyMap<string, LoanParts>> => {
  if (documents.length === 0) return new Map()
  const rows = await db.rows<{ id: string; finance: string }>(sql`
    select id, finance from documents
    where id = any(${columnArray('uuid', documents)}) and finance is not null`)
  return new Map(
    rows.flatMap(({ id, finance }) => {
      const loan = loanNamedIn(finance)
      return loan === undefined ? [] : [[id, loan] as const]
    }),
  )
}

/** The organizations whose counters a change of these listings and agreements needs. */
export const financeParties = ({ listings, agreements }: FinanceRowsToRead): SqlQuery[] => [
  ...(listings.length === 0
    ? []
    : [
        sql`select borrower_id from finance_listings where id = any(${columnArray('uuid', listings)})`,
        sql`select lender_id from finance_offers
          where listing_id = any(${columnArray('uuid', listings)}) and status = 'open'`,
      ]),
  ...(agreements.length === 0
    ? []
    : [
        sql`select unnest(array[borrower_id, lender_id, debtor_id]) from finance_agreements
          where id = any(${columnArray('uuid', agreements)})`,
      ]),
]

/** Call it after all locking statements have been sent. It sends none that can find nothing. */
export const readFinanceRows = (db: Connection, toRead: FinanceRowsToRead) => {
  if (Object.values(toRead).every(({ length }) => length === 0)) return undefined
  const listings = columnArray('uuid', toRead.listings)
  const offers = columnArray('uuid', toRead.offers)
  const agreements = columnArray('uuid', toRead.agreements)
  const setups = columnArray('uuid', toRead.setups)
  // Who may lend is asked of a listing only: an agreement stays what it is.
  const parties = financeParties({ ...toRead, agreements: [] }).map((query) => sql`union ${query}`)
  const read = async <T extends FinanceTable>(
    table: T,
    by: readonly (keyof FinanceRowsToRead)[],
    condition: SqlQuery,
  ): Promise<Rows[T][]> =>
    by.every((kind) => toRead[kind].length === 0) ? [] : rowsWhere(db, table, condition)
  const reads = {
    finance_listings: read('finance_listings', ['listings'], sql`id = any(${listings})`),
    finance_offers: read(
      'finance_offers',
      ['listings', 'offers'],
      sql`listing_id = any(${listings}) and status = 'open' or id = any(${offers})`,
    ),
    finance_agreements: read('finance_agreements', ['agreements'], sql`id = any(${agreements})`),
    finance_pledges: read(
      'finance_pledges',
      ['agreements'],
      sql`is_active and agreement_id = any(${agreements})`,
    ),
    demo_loans: read('demo_loans', ['listings'], sql`listing_id = any(${listings})`),
    finance_setups: read(
      'finance_setups',
      ['setups', 'listings'],
      sql`organization_id = any(array(
        select unnest(${setups}::uuid[])
        ${parties.reduce((all, one) => sql`${all} ${one}`, sql``)}))`,
    ),
  }
  const receivables = readReceivables(db, toRead.receivables)
  const beside = toRead.similarTo.length === 0 ? undefined : readListingsBeside(db, toRead)
  const all = [...Object.values(reads), receivables, beside]
  return awaitAll(all).then(() => async (set: WorkingSet): Promise<void> => {
    for (const table of Object.keys(reads) as FinanceTable[]) {
      set.addLoaded(table, await reads[table])
    }
    if (beside !== undefined) {
      const [listings, pledges] = await beside
      set.addLoaded('finance_listings', listings)
      set.addLoaded('finance_pledges', pledges)
    }
    checkOnlyRows(set, 'finance_setups', set.loaded.finance_setups.keys())
    const addReceivables = await receivables
    addReceivables(set)
  })
}

/** The listings that may be near twins, and the pledges of those that are matched. */
const readListingsBeside = (db: Connection, { similarTo }: FinanceRowsToRead) => {
  const beside = listingsBeside(similarTo)
  return Promise.all([
    rowsWhere(db, 'finance_listings', sql`id = any(array(select b.id from (${beside}) b))`),
    rowsWhere(db, 'finance_pledges', sql`id = any(array(select b.pledge from (${beside}) b))`),
  ])
}
