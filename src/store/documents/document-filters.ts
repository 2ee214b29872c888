/** The filters of a viewer's document list as conditions on its row `v`, and ranges of few rows. */
import { owedStatuses } from '../../contract/document-phases.ts'
import {
  type OwedGroup,
  documentTypeNames,
  documentTypes,
  owedSideOf,
} from '../../contract/document-types.ts'
import type { Comparison } from '../../core/documents/search-operators.ts'
import { type SqlQuery, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { conjunction } from '../../database/conditions.ts'

/** In minor units of the currency of the document. */
export interface TotalBound {
  comparison: Comparison
  minor: bigint
}

export interface DocumentListFilters {
  ids?: readonly string[] | undefined
  connections?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  types?: readonly string[] | undefined
  sides?: readonly string[] | undefined
  /** Document dates, inclusive. */
  since?: string | undefined
  until?: string | undefined
  /** Change time, inclusive. */
  updatedSince?: string | undefined
  currencies?: readonly string[] | undefined
  /** Due dates, inclusive. */
  dueFrom?: string | undefined
  dueTo?: string | undefined
  /** Open, and paid to the viewer or by it. */
  owed?: OwedGroup | undefined
  totals?: readonly TotalBound[] | undefined
}

type ColumnCondition = { column: string; query: SqlQuery }

/** Filters whose index continues with `position`, the most selective first. */
const indexedFilters = [
  ['connections', 'connection_id', 'uuid'],
  ['statuses', 'status', 'text'],
  ['types', 'type', 'text'],
  ['sides', 'side', 'text'],
] as const

export const conditionsOf = (
  filters: DocumentListFilters,
): { driver: SqlQuery; others: SqlQuery[] } => {
  const equalities: ColumnCondition[] = []
  const others: SqlQuery[] = []
  for (const [name, column, type] of indexedFilters) {
    const values = filters[name]
    if (values === undefined) continue
    if (values.length === 1) {
      equalities.push({ column, query: sql`v.${raw(column)} = ${values[0]}` })
    } else others.push(sql`v.${raw(column)} = any(${columnArray(type, values)})`)
  }
  if (filters.ids !== undefined) others.push(ofDocuments(filters.ids))
  if (filters.since !== undefined) others.push(sql`v.document_date >= ${filters.since}`)
  if (filters.until !== undefined) others.push(sql`v.document_date <= ${filters.until}`)
  if (filters.updatedSince !== undefined) others.push(sql`v.updated_at >= ${filters.updatedSince}`)
  if (filters.currencies !== undefined)
    others.push(sql`v.currency = any(${columnArray('text', filters.currencies)})`)
  others.push(...dueConditionsOf(filters))
  if (filters.owed !== undefined) others.push(owedTo(filters.owed))
  // No column of the list: the bounded scan looks each document up, which is less than to load it.
  for (const { comparison, minor } of filters.totals ?? [])
    others.push(
      sql`(select total from documents where id = v.document_id) ${raw(comparison)} ${minor}`,
    )
  const [first, ...rest] = equalities
  return {
    driver: first === undefined ? sql`` : sql` and ${first.query}`,
    others: [...rest.map((condition) => condition.query), ...others],
  }
}

/** A document knows its place in the list of each party, which the primary key finds. */
const ofDocuments = (ids: readonly string[]): SqlQuery => {
  const among = sql`any(${columnArray('uuid', ids)})`
  return sql`v.document_id = ${among} and v.position = any(array(
    select unnest(array[d.issuer_position, d.counterparty_position])
    from documents d where d.id = ${among}))`
}

/** As the index document_views_by_due has it: what has no due date is due after all others. */
const dueOn = raw(`coalesce(v.due_date, 'infinity'::date)`)

const dueConditionsOf = ({ dueFrom, dueTo }: DocumentListFilters): SqlQuery[] => [
  ...(dueFrom === undefined ? [] : [sql`${dueOn} >= ${dueFrom}`]),
  ...(dueTo === undefined ? [] : [sql`${dueOn} <= ${dueTo}`]),
]

/** The condition of the same index, in its words, so that the planner knows it again. */
const isOpen = raw(`v.status in (${owedStatuses.map((one) => `'${one}'`).join(', ')})`)

const owedTo = (group: OwedGroup): SqlQuery => {
  const kinds = documentTypeNames.flatMap((name) => {
    const { payer } = documentTypes[name]
    return payer === null ? [] : [`('${owedSideOf(payer, group)}', '${name}')`]
  })
  return sql`${isOpen} and ${raw(`(v.side, v.type) in (${kinds.join(', ')})`)} and ${hasBalance}`
}

/**
 * As `ageingOf` in core has it: nothing is owed of 0, of what is frozen, or of a repayment before
 * its funding. It looks up one value, since PostgreSQL answers a `not exists` for many rows by
 * reading all documents once.
 */
const hasBalance = raw(`(select total > amount_paid + amount_credited and not is_frozen and
  (v.type <> 'repayment' or v.status <> 'submitted' and
    (finance like '%"awaitsFunding":true%') is not true)
  from documents where id = v.document_id)`)

/** The filters as one condition on the row `v`. */
export const allConditionsOf = (filters: DocumentListFilters): SqlQuery => {
  const { driver, others } = conditionsOf(filters)
  return sql`${conjunction(others)}${driver}`
}

/** Rows that one index has in the order of a column. */
export interface IndexRange {
  condition: SqlQuery
  order: SqlQuery
}

export const rangesOf = (filters: DocumentListFilters): IndexRange[] => {
  const { ids, updatedSince, statuses, owed } = filters
  const ranges: IndexRange[] = []
  if (ids !== undefined) ranges.push({ condition: ofDocuments(ids), order: raw('v.position') })
  if (updatedSince !== undefined)
    ranges.push({ condition: sql`v.updated_at >= ${updatedSince}`, order: raw('v.updated_at') })
  const due = dueConditionsOf(filters)
  const areOpen = statuses !== undefined && statuses.every((one) => owedStatuses.includes(one))
  if (owed !== undefined || (due.length > 0 && areOpen))
    ranges.push({ condition: sql`${isOpen} and ${conjunction(due)}`, order: dueOn })
  return ranges
}
