/**
 * Packs several columns of a row into one text, because the driver's cost is per value. `null`
 * becomes the empty text.
 */
import { type SqlQuery, raw } from './sql.ts'

/** Separates the values. Only the last value may contain it. */
export const separator = '\u001f'

export const packColumns = (values: readonly string[]): SqlQuery =>
  raw(`concat_ws(E'\\x1f', ${values.join(', ')}) as packed`)

/** For nullable values, since `concat_ws` leaves out nulls. */
export const emptyIfNull = (value: string): string => `coalesce(${value}::text, '')`

export const nullIfEmpty = (value: string): string | null => (value === '' ? null : value)
