/**
 * Values of a row that travel as one text: what the driver costs, it costs per value. `null` is
 * written as nothing.
 */
import { type SqlQuery, raw } from './sql.ts'

/** Stands between the values: the last one alone may hold it. */
export const separator = '\u001f'

export const packColumns = (values: readonly string[]): SqlQuery =>
  raw(`concat_ws(E'\\x1f', ${values.join(', ')}) as packed`)

/** A value that may be null, which `concat_ws` would leave out. */
export const emptyIfNull = (value: string): string => `coalesce(${value}::text, '')`

export const nullIfEmpty = (value: string): string | null => (value === '' ? null : value)
