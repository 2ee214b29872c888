/** Pages of a list, and the cursors that lead from one to the next (contract 6). */
import { hash } from 'node:crypto'
import type { Call } from '../context.ts'
import { invalidRequest } from '../contract/errors.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { verifyCursor, signCursor } from '../core/cursor.ts'
import { JsonText } from './operation.ts'

/** The cursors of one list, of one caller, under one set of filters. */
export const cursorsOf = (call: Call, list: string, filters: object) => {
  const { context, organization } = call
  const key = context.keyring.cursors
  const scope = hash('sha256', `${list} ${organization.id} ${canonicalJson(filters)}`, 'buffer')
  /** Leads on from a position; null after the last page. */
  const seal = (position: string | bigint | null): string | null =>
    position === null ? null : signCursor(key, scope, String(position))
  return {
    seal,

    /** The position to go on from; undefined at the start. */
    open: (cursor: string | undefined): string | undefined => {
      if (cursor === undefined) return undefined
      const position = verifyCursor(key, scope, cursor)
      if (position === undefined) throw invalidCursor()
      return position
    },

    /** A page of rows, of which one more than `limit` was read. */
    page: <Row, View>(
      rows: readonly Row[],
      limit: number,
      view: (row: Row) => View,
      place: (row: Row) => string,
    ) => {
      const shown = rows.slice(0, limit)
      const isLast = rows.length <= limit || shown.length === 0
      const next = seal(isLast ? null : place(shown.at(-1)!))
      return { data: shown.map(view), next_cursor: next, has_more: next !== null }
    },
  }
}

/** The page of rows that are JSON already, each in as many pieces as it likes. */
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
  invalidRequest([
    {
      param: 'cursor',
      code: 'invalid_cursor',
      message: 'This cursor does not belong to this query of this organization.',
      fix: 'pass next_cursor back verbatim, with the same filters; after changing one, start without a cursor',
    },
  ])
