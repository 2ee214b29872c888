/**
 * The schema objects of the contract as plain JSON Schema 2020-12. A named schema stands in the
 * document once and is a reference everywhere else; a schema is known by identity, so a copy of it
 * (`Type.Optional`) is written out.
 */

/** The keywords that the contract uses. */
export interface JsonSchema {
  $ref?: string
  type?: string
  description?: string
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  allOf?: readonly JsonSchema[]
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

/** Schema object → its name. */
export type SchemaNames = ReadonlyMap<unknown, string>

/** What is published of a schema: references for what has a name, and only what others know. */
export const schemaOrReference = (schema: unknown, names: SchemaNames): JsonSchema => {
  const name = names.get(schema)
  return name === undefined ? inlineSchema(schema, names) : { $ref: `#/components/schemas/${name}` }
}

/** The schema itself, for the place where a named one is defined. */
export const inlineSchema = (schema: unknown, names: SchemaNames): JsonSchema => {
  const copied: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema ?? {}))
    copied[keyword] = convertValue(value, names)
  if (copied['format'] !== 'date-or-time') return copied
  // The validator's own format, in words that every reader knows.
  const { type: _type, format: _format, ...rest } = copied
  return { anyOf: dateOrTime, ...rest }
}

const dateOrTime: readonly JsonSchema[] = [
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date-time' },
]

const convertValue = (value: unknown, names: SchemaNames): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => convertValue(one, names))
  return typeof value === 'object' && value !== null ? schemaOrReference(value, names) : value
}
