/** Describes the values that a schema accepts, for the `fix` of a problem. */

import { base64UrlPattern, visiblePattern } from '../../contract/shapes/field-types.ts'

interface Schema {
  type?: string
  description?: string
  examples?: unknown[]
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** `send a number, like 0.08. Decimal per line: 0.08 means 8 %.` */
export const fixFor = (schema: unknown): string => {
  const { description } = nonNullSchema(schema as Schema | undefined)
  return `send ${describeSchema(schema)}.${description ? ` ${description}` : ''}`
}

/** A noun phrase: `a list of objects with rel, document_id`. */
export const describeSchema = (schema: unknown): string => {
  const one = nonNullSchema(schema as Schema | undefined)
  const isNullable = one !== schema
  return `${nounOf(one)}${exampleOf(one)}${isNullable ? ', or null' : ''}`
}

/** The non-null schema of a union, with the description of either. */
const nonNullSchema = (schema: Schema = {}): Schema => {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  if (others.length !== 1) return schema
  const { description = others[0]!.description } = schema
  return { ...others[0]!, ...(description === undefined ? {} : { description }) }
}

const formats: Readonly<Record<string, string>> = {
  'single-line': 'a text without line breaks and tabs',
  date: 'a calendar date like 2026-11-21',
  'date-time': 'a timestamp like 2026-11-21T01:40:00.123Z',
  'date-or-time':
    'a date like 2026-11-21, or a timestamp with Z or an offset like 2026-11-21T01:40:00Z (+ is written %2B in a URL)',
}

const nounOf = (schema: Schema): string => {
  if (schema.enum !== undefined) return `one of ${suggestedValues(schema).join(', ')}`
  if (schema.format !== undefined) return formats[schema.format] ?? 'a text'
  if (schema.pattern !== undefined && schema.pattern !== visiblePattern) {
    return likeFirst(patternNoun(schema.pattern), schema)
  }
  switch (schema.type) {
    case 'array':
      return `a list of ${pluralNounOf(schema.items ?? {})}`
    case 'object':
      return `an object${fieldsOf(schema)}`
    case 'integer':
      return `a whole number${rangeOf(schema)}`
    case 'number':
      return `a number${rangeOf(schema)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    default:
      return `a text${lengthOf(schema)}`
  }
}

const patternNoun = (pattern: string): string => {
  if (pattern.includes('@')) return 'an e-mail address'
  if (pattern === base64UrlPattern) return 'a text in base64url'
  return pattern.includes('sha256:') ? 'a digest' : 'an id'
}

const likeFirst = (noun: string, { examples }: Schema): string =>
  examples === undefined ? noun : `${noun} like ${String(examples[0])}`

const lengthOf = ({ minLength = 0, maxLength }: Schema): string =>
  maxLength === undefined
    ? ''
    : ` of ${minLength > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`

/** The values of an enumeration that a refusal suggests. */
export const suggestedValues = ({ enum: values = [], examples }: Schema): readonly string[] =>
  (examples as string[] | undefined) ?? values

const pluralNounOf = (items: Schema): string => {
  if (items.type === 'object') return `objects${fieldsOf(items)}`
  if (items.enum !== undefined) return items.enum.join(', ')
  return items.examples === undefined ? 'texts' : likeFirst('ids', items)
}

const fieldsOf = ({ properties }: Schema): string => {
  const names = Object.keys(properties ?? {})
  return names.length === 0 ? '' : ` with ${names.join(', ')}`
}

const rangeOf = ({ minimum, maximum }: Schema): string =>
  minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`

/** Descriptions of formats, ids and enumerations contain an example already. */
const exampleOf = ({ examples, format, pattern, enum: values }: Schema): string => {
  const isShown = format !== undefined || pattern !== undefined || values !== undefined
  return isShown || examples === undefined ? '' : `, like ${JSON.stringify(examples[0])}`
}
