/** Pages of a list, and the cursors that lead from one to the next (contract 6). */
import { createHash } from 'node:crypto'
import type { Call } from '../context.ts'
import { invalid } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { canonicalJson } from '../core/canonical.ts'
import { openCursor, sealCursor } from '../core/cursor.ts'

/** What every list says of a cursor that is not one of its own. */
export const wrongCursor: Problem = {
  param: 'cursor',
  code: 'invalid_cursor',
  message: 'This cursor does not belong to this query of this organization.',
  fix: 'pass next_cursor back verbatim, with the same filters; after changing one, start without a cursor',
}

/** The cursors of one list, of one caller, under one set of filters. */
export const cursorsOf = (call: Call, list: string, filters: object) => {
  const key = call.context.keyring.cursors
  const scope = createHash('sha256')
    .update(`${list} ${call.organization.id}`)
    .update(canonicalJson(filters))
    .digest()
  return {
    /** The position to go on from; undefined at the start. */
    open: (cursor: string | undefined): string | undefined => {
      if (cursor === undefined) return undefined
      const position = openCursor(key, scope, cursor)
      if (position === undefined) throw invalid([wrongCursor])
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
      const next =
        rows.length > limit && shown.length > 0
          ? sealCursor(key, scope, place(shown.at(-1)!))
          : null
      return { data: shown.map(view), next_cursor: next, has_more: next !== null }
    },
  }
}
