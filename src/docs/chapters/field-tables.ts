/** Describes a schema: its type, and a table of its fields down to the next named shape. */
import { type JsonSchema, inlineSchema } from '../openapi/json-schema.ts'
import { type Block, type Field, codeSpan } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'

export const shapeLink = (name: string): string => `[${name}](#shape-${name})`

export const fieldTable = (schema: unknown): Block => ({
  kind: 'fields',
  rows: fieldRows(inlineSchema(schema, shapeNames), ''),
})

const fieldRows = ({ properties = {}, required = [] }: JsonSchema, prefix: string): Field[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const inner = innerObject(field)
    return [
      {
        name: `${prefix}${name}`,
        type: typeText(field),
        isRequired: required.includes(name),
        description: descriptionOf(field),
      },
      ...(inner === undefined ? [] : fieldRows(inner.object, `${prefix}${name}${inner.suffix}.`)),
    ]
  })

/** The object whose fields are listed below a field: its value, or each of its entries. */
const innerObject = (field: JsonSchema): { object: JsonSchema; suffix: string } | undefined => {
  const schema = withoutNull(field)
  if (schema.properties !== undefined) return { object: schema, suffix: '' }
  if (schema.items?.properties !== undefined) return { object: schema.items, suffix: '[]' }
  return undefined
}

const isNull = ({ type }: JsonSchema): boolean => type === 'null'

const withoutNull = (schema: JsonSchema): JsonSchema => {
  const others = schema.anyOf?.filter((one) => !isNull(one)) ?? []
  return others.length === 1 ? (others[0] ?? schema) : schema
}

export const typeText = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return shapeLink(schema.$ref.split('/').at(-1) ?? '')
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => (isNull(one) ? 'null' : typeText(one))).join(' or ')
  }
  if (schema.enum !== undefined)
    return schema.enum.map((value) => codeSpan(String(value))).join(' ')
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`
  if (schema.patternProperties !== undefined) return 'map of strings'
  if (schema.contentMediaType !== undefined) return 'file'
  return formatNames[schema.format ?? ''] ?? idText(schema) ?? schema.type ?? 'any'
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'timestamp',
  uri: 'URL',
}

const idText = ({ pattern }: JsonSchema): string | undefined => {
  const prefix = /^\^([a-z]+)_\[0-7\]/.exec(pattern ?? '')?.[1]
  return prefix === undefined ? undefined : codeSpan(`${prefix}_…`)
}

/** The description, followed by the bounds of the schema. */
export const descriptionOf = (field: JsonSchema): string => {
  const schema = withoutNull(field)
  const description = field.description ?? schema.description ?? shapeDescription(schema)
  return [description, ...bounds(schema)].filter((part) => part !== undefined).join(' ')
}

const shapeDescription = ({ $ref, items }: JsonSchema): string | undefined => {
  const name = ($ref ?? items?.$ref)?.split('/').at(-1)
  return name === undefined
    ? items?.description
    : inlineSchema(shapes[name], shapeNames).description
}

const bounds = ({ maxLength, minimum, maximum, default: defaultValue }: JsonSchema): string[] => [
  ...(minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}.`]),
  ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
  ...(defaultValue === undefined ? [] : [`Default: ${defaultValue}.`]),
]
