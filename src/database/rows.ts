/**
 * Row types of all tables, with the columns' names as in SQL. Seals are left out: the modules that
 * write and check them (row-seals.ts) know that they are there.
 */
import type { columns } from './columns.ts'

interface ValueTypes {
  uuid: string
  text: string
  date: string
  jsonb: string
  timestamptz: string
  tsvector: string
  integer: number
  bigint: bigint
  boolean: boolean
  bytea: Buffer
  'text[]': string[]
}

type Value<Type extends string> = Type extends `${infer Base extends keyof ValueTypes}?`
  ? ValueTypes[Base] | null
  : Type extends keyof ValueTypes
    ? ValueTypes[Type]
    : never

type Columns = typeof columns

export type Rows = {
  [Table in keyof Columns]: {
    -readonly [Column in Exclude<keyof Columns[Table], 'seal'>]: Value<
      Columns[Table][Column] & string
    >
  }
}
