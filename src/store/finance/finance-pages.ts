/**
 * Pages of the lists of finance rows, newest first: ids are time-ordered. One index range per role
 * and status, so a page costs the same at any depth. What a party had before it reset its sandbox
 * is not listed.
 */
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { lastReset } from '../visibility.ts'
import { conjunction, ifGiven, isAmong } from '../../database/conditions.ts'

export type FinanceList = 'finance_listings' | 'finance_offers' | 'finance_agreements'
export type FinanceRole = 'borrower' | 'lender'

export interface FinancePage {
  organization: string
  roles: readonly FinanceRole[]
  statuses?: readonly string[] | undefined
  updatedSince?: string | undefined
  /** Listings, for offers. */
  listings?: readonly string[] | undefined
  before: string | undefined
  limit: number
}

const createdAt: Record<FinanceList, string> = {
  finance_listings: 'created_at',
  finance_offers: 'created_at',
  finance_agreements: 'accepted_at',
}

/** The conditions on a row `r` that do not depend on the role. */
export const pageConditions = (
  table: FinanceList,
  { organization, updatedSince, listings, before }: FinancePage,
): SqlQuery =>
  conjunction([
    ifGiven(before, (id) => sql`r.id < ${id}`),
    ifGiven(updatedSince, (time) => sql`r.updated_at >= ${time}`),
    isAmong('r.listing_id', 'uuid', listings),
    sql`r.${raw(createdAt[table])} > ${lastReset(organization)}`,
  ])

/**
 * The newest ids among those of one party: one query per status, and the limit a constant, or the
 * planner would scan past everything else to find a rare status.
 */
const idsOfRole = (table: FinanceList, page: FinancePage, role: FinanceRole): SqlQuery[] => {
  const { organization, statuses, limit } = page
  const rows = (status: SqlQuery) => sql`(
    select r.id from ${raw(table)} r
    where r.${raw(role)}_id = ${organization} ${status} and ${pageConditions(table, page)}
    order by r.id desc limit ${inlined(limit)})`
  return statuses?.map((status) => rows(sql`and r.status = ${status}`)) ?? [rows(sql``)]
}

/** SQL: what follows FROM for the rows `t` of a page, by queries for ids among which theirs are. */
export const amongIds = (limit: number, [first, ...others]: readonly SqlQuery[]): SqlQuery => {
  if (first === undefined) return sql`where false`
  const ids = others.reduce((all, one) => sql`${all} union ${one}`, first)
  return sql`where t.id in (select i.id from (${ids}) i order by i.id desc limit ${inlined(limit)})
    order by t.id desc`
}

/** The same for the rows of which an organization is a party. */
export const pageOfParty = (table: FinanceList, page: FinancePage): SqlQuery =>
  amongIds(
    page.limit,
    page.roles.flatMap((role) => idsOfRole(table, page, role)),
  )

/** SQL: the organization is a party of the row `t`, which began since its last reset. */
export const isPartyOf = (
  table: 'finance_offers' | 'finance_agreements',
  organization: string,
): SqlQuery => sql`
  ${organization} in (t.borrower_id, t.lender_id)
  and t.${raw(createdAt[table])} > ${lastReset(organization)}`

/** The names of organizations, for parties that both have agreed to know. */
export const namesOf = async (
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await sealedRows(
    db,
    'organizations',
    sql`where t.id = any(${columnArray('uuid', ids)})`,
  )
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const missing = ids.find((id) => !names.has(id))
  if (missing !== undefined) throw new BrokenSeal('organizations', missing)
  return names
}
