/** Pages of a list, and the cursors between them (contract 6). */
import { hash } from 'node:crypto'
import type { Call } from '../context.ts'
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { verifyCursor, signCursor } from '../core/cursor.ts'
import type { ChangePlace } from '../store/documents/document-changes.ts'
import { JsonText } from './reply-bodies.ts'

/** The cursors of one list for one organization and one set of filters. */
export const cursorsOf = (call: Call, list: string, filters: object) => {
  const { context, organization } = call
  const keys = context.keyring.cursors
  const scope = hash('sha256', `${list} ${organization.id} ${canonicalJson(filters)}`, 'buffer')
  return {
    /** The cursor that continues after a position; null after the last page. */
    seal: (position: string | bigint | null): string | null =>
      position === null ? null : signCursor(keys.newest, scope, String(position)),

    /** The position to continue after; undefined for the first page. */
    open: (cursor: string | undefined): string | undefined => {
      if (cursor === undefined) return undefined
      const position = keys.first((key) => verifyCursor(key, scope, cursor))
      if (position === undefined) throw invalidCursor()
      return position
    },
  }
}

/** The page of a list that a query asks for; all its other parameters are filters. */
export const openPage = (call: Call, list: string, query: PageQuery) => {
  const { cursor, limit = limits.pageDefault, ...filters } = query
  const cursors = cursorsOf(call, list, filters)
  return {
    /** The position to continue after; undefined for the first page. */
    before: cursors.open(cursor),
    /** The rows to read: one more than the page has, to detect a next page. */
    limit: limit + 1,
    of: <Row, View>(
      rows: readonly Row[],
      view: (row: Row) => View,
      positionOf: (row: Row) => string,
    ) => {
      const pageRows = rows.slice(0, limit)
      const isLast = rows.length <= limit || pageRows.length === 0
      const next = cursors.seal(isLast ? null : positionOf(pageRows.at(-1)!))
      return { data: pageRows.map(view), next_cursor: next, has_more: next !== null }
    },
  }
}

/** The position of a row in the order of changes, as a cursor carries it. */
export const positionOfChange = ({ updated_at, id }: ChangePlace): string => `${updated_at} ${id}`

export const changePlaceOf = (position: string | undefined): ChangePlace | undefined => {
  if (position === undefined) return undefined
  const [updated_at = '', id = ''] = position.split(' ')
  return { updated_at, id }
}

interface PageQuery {
  cursor?: string | undefined
  limit?: number | undefined
  [filter: string]: unknown
}

/** A page of rows that are JSON text already, each in one or more pieces. */
export const jsonPage = <R>(
  rows: readonly (readonly string[])[],
  next: string | null,
): JsonText<R> => {
  const pieces = ['{"data":[']
  for (const row of rows) {
    if (pieces.length > 1) pieces.push(',')
    pieces.push(...row)
  }
  pieces.push(`],"next_cursor":${JSON.stringify(next)},"has_more":${next !== null}}`)
  return new JsonText(pieces)
}

const invalidCursor = () =>
  invalidRequest({
    param: 'cursor',
    code: 'invalid_cursor',
    message: 'This cursor does not belong to this query of this organization.',
    fix: 'send next_cursor back unchanged with the same filters; after changing a filter, start without a cursor',
  })
