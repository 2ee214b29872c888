/** A command of an operation, as `npm run generate` writes it from the declarations. */

export interface CommandField {
  /** `--connection-id` is the field `connection_id`. */
  flag: string
  name: string
  place: 'query' | 'body'
  kind: 'text' | 'number' | 'boolean' | 'list' | 'json'
  required: boolean
  choices: readonly string[]
  description: string
}

export interface OperationCommand {
  /** The id of the operation, such as `documents.create`. */
  id: string
  /** What is typed: `['documents', 'create']`. */
  words: readonly string[]
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  /** What the operation does beyond its summary, and who may call it. */
  description: string
  /** The ids of the path, in order. */
  parameters: readonly { name: string; description: string }[]
  fields: readonly CommandField[]
  body: 'none' | 'optional' | 'required' | 'file'
  isList: boolean
  /** What the table of a list shows. */
  columns: readonly string[]
  takesIfMatch: boolean
  /** Prints what comes, until it is ended. */
  isLive: boolean
  /** The bytes count: they are printed as they came, also on a terminal. */
  isExact: boolean
  example: string
}
