/**
 * `fields` of every list: the response has only these fields of each row. A name may lead into an
 * object (`counterparty.name`). Without the parameter a row has all of its fields.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { limits } from '../contract/limits.ts'
import { CommaList } from '../contract/shapes/objects.ts'
import { StringEnum } from '../contract/shapes/field-types.ts'

/** The query of a list with its parameter `fields`; any other query unchanged. */
export const withFields = (query: TSchema | undefined, response: TSchema): TSchema | undefined => {
  const row = rowOf(query, response)
  if (row === undefined) return query
  const { properties, ...rest } = query as TObject
  const name = StringEnum(namesIn(row, limits.fieldDepthMax), 'The name of a field.')
  const fields = Type.Optional(
    CommaList(
      name,
      'Only these fields of each row, also where the schema requires others; absent = all.',
    ),
  )
  return { ...rest, properties: { ...properties, fields } } as TSchema
}

/** The schema of a row, if the operation is a list. */
export const rowOf = (query: TSchema | undefined, response: TSchema): TObject | undefined => {
  const isList = 'limit' in ((query as TObject | undefined)?.properties ?? {})
  const data = (response as TObject).properties?.['data'] as { items?: TObject } | undefined
  return isList ? data?.items : undefined
}

type Described = TSchema & { anyOf?: Described[]; properties?: Record<string, Described> }

/** All names of values, with a dot between the name of an object and that of its field. */
const namesIn = ({ properties = {} }: Described, depth: number): string[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const inner = [schema, ...(schema.anyOf ?? [])].find(({ properties: own }) => own !== undefined)
    if (inner === undefined || depth === 1) return [name]
    return [name, ...namesIn(inner, depth - 1).map((field) => `${name}.${field}`)]
  })

/** The text of a page with these fields of each row, in the order of the row. */
export const selectFields = (page: string, fields: readonly string[]): string => {
  const { data, ...rest } = JSON.parse(page) as { data: Row[] }
  const selection = selectionOf(fields)
  return JSON.stringify({ data: data.map((row) => selected(row, selection)), ...rest })
}

type Row = Readonly<Record<string, unknown>>
/** Undefined: the whole value. */
type Selection = Map<string, Selection | undefined>

const selectionOf = (fields: readonly string[]): Selection => {
  const whole = new Set(fields)
  const inner = Map.groupBy(fields, (field) => field.split('.')[0]!)
  return new Map(
    [...inner].map(([name, paths]) => [
      name,
      whole.has(name) ? undefined : selectionOf(paths.map((path) => path.slice(name.length + 1))),
    ]),
  )
}

const selected = (row: Row, selection: Selection): Row =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => selection.has(name))
      .map(([name, value]) => {
        const inner = selection.get(name)
        const isWhole = inner === undefined || typeof value !== 'object' || value === null
        return [name, isWhole ? value : selected(value as Row, inner)]
      }),
  )
