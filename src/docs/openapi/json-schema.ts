/**
 * Converts the schema objects of the contract to plain JSON Schema 2020-12. A named schema is
 * defined once and referenced everywhere else. Schemas are recognised by identity, so a copy of one
 * (`Type.Optional`) is inlined.
 */

import { visiblePattern } from '../../contract/shapes/field-types.ts'

/**
 * Published instead of `visiblePattern`, because neither Python nor Go knows the classes of that in
 * its syntax. It accepts a little more: the service also refuses texts of invisible characters.
 */
const portableVisiblePattern = '\\S'

/** The keywords that the contract uses. */
export interface JsonSchema {
  $ref?: string
  type?: string
  description?: string
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>> }
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  additionalProperties?: boolean | JsonSchema
  patternProperties?: Readonly<Record<string, JsonSchema>>
  contentMediaType?: string
  default?: string | number | boolean
  examples?: readonly unknown[]
}

/** The name of each named schema object. */
export type SchemaNames = ReadonlyMap<unknown, string>

/** A reference for a named schema, otherwise the schema itself in standard keywords. */
export const schemaOrReference = (schema: unknown, names: SchemaNames): JsonSchema => {
  const name = names.get(schema)
  return name === undefined ? inlineSchema(schema, names) : { $ref: `#/components/schemas/${name}` }
}

/** The schema itself, even if it has a name: for the place that defines it. */
export const inlineSchema = (schema: unknown, names: SchemaNames): JsonSchema => {
  const converted: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema ?? {}))
    converted[keyword] = convertValue(value, names)
  if (converted['pattern'] === visiblePattern) converted['pattern'] = portableVisiblePattern
  if (converted['format'] === 'single-line') {
    delete converted['format']
    converted['pattern'] = converted['pattern'] === undefined ? singleLine : visibleLine
  }
  if (converted['format'] !== 'date-or-time') return converted
  // Replaces the validator's custom format with standard ones.
  const { type: _type, format: _format, ...rest } = converted
  return { anyOf: dateOrTime, ...rest }
}

/** Published instead of the validator's custom format. */
const singleLine = '^[^\\t\\n\\r]*$'
const visibleLine = '^[^\\t\\n\\r]*[^\\s][^\\t\\n\\r]*$'

const dateOrTime: readonly JsonSchema[] = [
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date-time' },
]

const convertValue = (value: unknown, names: SchemaNames): unknown => {
  if (Array.isArray(value)) return value.map((entry: unknown) => convertValue(entry, names))
  return typeof value === 'object' && value !== null ? schemaOrReference(value, names) : value
}
