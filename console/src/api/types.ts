/** The shapes of the API, as the TypeScript SDK generates them. */
export type * from '../../../sdk/src/generated/types.ts'

export interface Page<Row> {
  data: Row[]
  next_cursor: string | null
  has_more: boolean
}
