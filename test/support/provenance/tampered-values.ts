/** What somebody might write into a column of the database, behind the service's back. */

/** An SQL expression for another value of a column, by the type of the column. */
export const otherValue: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => `gen_random_uuid()`,
  text: (column) => `coalesce(${column}, '') || '1'`,
  integer: (column) => `coalesce(${column}, 0) + 1000`,
  bigint: (column) => `coalesce(${column}, 0) + 1000`,
  boolean: (column) => `not ${column}`,
  bytea: (column) => `set_byte(${column}, 0, get_byte(${column}, 0) # 1)`,
  date: (column) => `coalesce(${column}, date '2026-01-01') + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 second'`,
}
