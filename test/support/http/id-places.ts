/** Where a schema accepts ids, and of which kind. */
import type { IdPrefix } from '../../../src/core/ids.ts'

export interface Schema {
  pattern?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** The paths at which a schema accepts ids, with `*` for the entries of a list. */
export const idPlaces = (schema: Schema | undefined, path: readonly string[] = []): string[][] => {
  if (schema === undefined) return []
  const { pattern, anyOf = [], items, properties = {} } = schema
  return [
    ...(pattern !== undefined && /^\^[a-z]+_/.test(pattern) ? [[...path]] : []),
    ...anyOf.flatMap((option) => idPlaces(option, path)),
    ...(items === undefined ? [] : idPlaces(items, [...path, '*'])),
    ...Object.entries(properties).flatMap(([name, inner]) => idPlaces(inner, [...path, name])),
  ]
}

const schemaAt = (schema: unknown, path: readonly string[]): Schema => {
  let node = schema as Schema
  for (const part of path) node = part === '*' ? itemsOf(node) : node.properties![part]!
  return node
}

/** A list that may be null is one of two schemas. */
const itemsOf = ({ items, anyOf = [] }: Schema): Schema =>
  items ?? anyOf.find((option) => option.items !== undefined)!.items!

/** What may be null is one of two schemas. */
export const prefixAt = (schema: unknown, path: readonly string[]): IdPrefix => {
  const { pattern, anyOf = [] } = schemaAt(schema, path)
  const form = pattern ?? anyOf.find((option) => option.pattern !== undefined)!.pattern!
  return /^\^([a-z]+)_/.exec(form)![1] as IdPrefix
}

export const mayBeNull = (schema: unknown, path: readonly string[]): boolean =>
  schemaAt(schema, path).anyOf !== undefined

/** A value with the id at this path. */
export const valueAt = (path: readonly string[], id: string): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return id
  if (first === '*') return [valueAt(rest, id)]
  return { [first]: valueAt(rest, id) }
}
