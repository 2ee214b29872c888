/** TypeScript types from the JSON Schemas of the OpenAPI document. */
import { pascalCase } from '../../src/docs/languages/names.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { OpenApi } from '../../src/docs/openapi/openapi-types.ts'
import { type SdkOperation, referencedName } from './names.ts'

export const docComment = (text: string | undefined, indent = ''): string => {
  if (text === undefined || text === '') return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

const literal = (value: unknown): string => JSON.stringify(value)

/** `isInput`: what a caller writes may name a field and leave it undefined. */
const typeText = (schema: JsonSchema, indent = '', isInput = false): string => {
  const { const: constant, enum: values, anyOf, oneOf, items, type } = schema
  const name = referencedName(schema)
  if (name !== undefined) return name
  if (constant !== undefined) return literal(constant)
  if (values !== undefined) return union(values.map(literal))
  const alternatives = anyOf ?? oneOf
  if (alternatives !== undefined) {
    return union(alternatives.map((one) => typeText(one, indent, isInput)))
  }
  if (type === 'array') {
    const item = typeText(items ?? {}, indent, isInput)
    return `${isInput ? 'readonly ' : ''}${isUnion(items) ? `(${item})` : item}[]`
  }
  if (type === 'object') return objectText(schema, indent, isInput)
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown'
}

const isUnion = (schema: JsonSchema = {}): boolean => {
  const { enum: values, anyOf, oneOf } = schema
  return referencedName(schema) === undefined && (values ?? anyOf ?? oneOf ?? []).length > 1
}

const union = (parts: readonly string[]): string => [...new Set(parts)].join(' | ')

const objectText = (schema: JsonSchema, indent: string, isInput: boolean): string => {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const isClosed = isInput || additionalProperties === false
  const deeper = `${indent}  `
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name)
    const type = typeText(field, deeper, isClosed)
    const optional = isClosed && !isRequired ? ' | undefined' : ''
    const key = /^[a-z_]\w*$/i.test(name) ? name : literal(name)
    return `${docComment(field.description, deeper)}${deeper}${key}${isRequired ? '' : '?'}: ${type}${optional}`
  })
  if (fields.length > 0) return `{\n${fields.join('\n')}\n${indent}}`
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const [valueSchema] = Object.values(patternProperties ?? {})
  const value = values ?? valueSchema
  if (value !== undefined) return `Record<string, ${typeText(value, indent, isInput)}>`
  return isClosed ? 'Record<string, never>' : 'Record<string, unknown>'
}

/** The type of a response without a name of its own. */
export const responseTypeName = ({ id, response, row }: SdkOperation): string => {
  if (row !== undefined) return `ListPromise<${typeText(row)}>`
  return referencedName(response) ?? `${pascalCase(id)}Response`
}

export const queryTypeName = ({ id }: SdkOperation): string => `${pascalCase(id)}Query`

type Parameter = SdkOperation['query'][number]

const parameterText = ({ name, description, required, schema }: Parameter): string => {
  const isList = schema.type === 'array'
  const item = typeText(isList ? (schema.items ?? {}) : schema)
  const isTime = /"date(-time)?"/.test(JSON.stringify(schema))
  const one = isTime ? `${item} | Date` : item
  const type = isList ? `OneOrMore<${one}>` : one
  const text = docComment(description.replace(' Separate several with commas.', ''), '  ')
  return `${text}  ${name}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}\n`
}

/** A filter takes one value or several; what a value can be is written once. */
const oneOrMore = 'type OneOrMore<T> = T | readonly T[]\n'

/** What all lists share is declared once. */
const pageQueryText = (operations: readonly SdkOperation[]): string => {
  const shared = operations.find(isPaged)!.query.filter(({ name }) => name === 'limit')
  return `export interface PageQuery {\n${shared.map(parameterText).join('')}}\n`
}

const isPaged = ({ query }: SdkOperation): boolean => query.some(({ name }) => name === 'cursor')

/** The client pages by itself, and with `fields` the type of a row would not be true. */
const queryText = (operation: SdkOperation): string => {
  const left = isPaged(operation) ? ['cursor', 'fields', 'limit'] : ['cursor', 'fields']
  const fields = operation.query.filter(({ name }) => !left.includes(name)).map(parameterText)
  const name = queryTypeName(operation)
  if (!isPaged(operation)) return `export interface ${name} {\n${fields.join('')}}\n`
  return fields.length === 0
    ? `export type ${name} = PageQuery\n`
    : `export interface ${name} extends PageQuery {\n${fields.join('')}}\n`
}

/** The SDK writes its errors by hand, and nobody sends a body without fields. */
const isPartOfSdk = (name: string): boolean =>
  !/Error(Envelope|Body)?$/.test(name) && !withoutType.includes(name)

const withoutType = ['NoBody', 'FileUpload', 'ConflictReason']

const aliases: Readonly<Record<string, string>> = { Event: 'EventEnvelope' }

export const typesModule = (document: OpenApi, operations: readonly SdkOperation[]): string => {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => isPartOfSdk(name))
  const events = eventSchemas(document)
  const shared = sharedFields(Object.values(events))
  const interfaces = schemas.map(([name, schema]) => {
    const text =
      name in events ? `extends EventFields ${typeText(without(schema, shared))}` : typeText(schema)
    return `${docComment(schema.description)}${declaration(name, text)}`
  })
  const eventFields = declaration('EventFields', typeText(shared))
  const others = Object.entries(aliases).map(([name, text]) => declaration(name, text))
  const unnamed = operations
    .filter(({ response }) => referencedName(response) === undefined)
    .map((operation) => declaration(responseTypeName(operation), typeText(operation.response)))
  const queries = operations.filter(({ query }) => query.length > 0).map(queryText)
  const forQueries = [oneOrMore, pageQueryText(operations)]
  return [...interfaces, eventFields, ...others, ...unnamed, ...forQueries, ...queries].join('\n')
}

/** What all events share is declared once. */
const eventSchemas = ({ components: { schemas } }: OpenApi): Record<string, JsonSchema> =>
  Object.fromEntries(
    schemas['EventEnvelope']!.oneOf!.map((one) => referencedName(one)!).map((name) => [
      name,
      schemas[name]!,
    ]),
  )

const sharedFields = ([first, ...others]: readonly JsonSchema[]): JsonSchema => {
  const isShared = (name: string, field: JsonSchema): boolean =>
    others.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(field))
  const fields = Object.entries(first!.properties!).filter(([name, field]) => isShared(name, field))
  return { ...first!, properties: Object.fromEntries(fields) }
}

const without = (schema: JsonSchema, { properties: left = {} }: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties!).filter(([name]) => !(name in left)),
  ),
})

const declaration = (name: string, text: string): string =>
  /^(\{|extends )/.test(text)
    ? `export interface ${name} ${text}\n`
    : `export type ${name} = ${text}\n`
