/** Values with which a hostile hand in the database replaces those of a column. */

/** SQL expressions by the type of the column, as our catalogue or information_schema names it. */
export const otherValue: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => `gen_random_uuid()`,
  text: (column) => `coalesce(${column}, '') || '1'`,
  integer: (column) => `coalesce(${column}, 0) + 1000`,
  bigint: (column) => `coalesce(${column}, 0) + 1000`,
  boolean: (column) => `not coalesce(${column}, false)`,
  bytea: (column) => {
    const bytes = `coalesce(nullif(${column}, '\\x'), '\\x00')`
    return `set_byte(${bytes}, 0, get_byte(${bytes}, 0) # 1)`
  },
  date: (column) => `coalesce(${column}, date '2026-01-01') + 1`,
  timestamptz: (column) => `coalesce(${column}, now()) + interval '1 second'`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 second'`,
  'text[]': (column) => `array_append(${column}, 'x')`,
}

/** Where the type's value is no different one, or none that could be answered. */
const chosen: Readonly<Record<string, string>> = {
  'approval_rule_sets.rules': `'[]'`,
  'documents.origin': `case origin when 'app' then 'api' else 'app' end`,
  'idempotency.status': `case status when 200 then 201 else 200 end`,
  'documents.terms_form': `case terms_form when 'date' then 'none' else 'date' end`,
}

export const otherValueOf = (table: string, column: string, type: string): string =>
  chosen[`${table}.${column}`] ?? otherValue[type]!(column)
