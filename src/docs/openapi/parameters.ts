/** What goes into an operation, for the specification document: path, query, headers and body. */
import type { TSchema } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { Id } from '../../contract/shapes/field-types.ts'
import { resourceOfPrefix } from '../../core/ids.ts'
import { honoursIfMatch, honoursIfNoneMatch, isWrite, pathParameters } from '../operation-facts.ts'
import { type JsonSchema, inlineSchema, schemaOrReference } from './json-schema.ts'
import { shapeNames } from '../shapes.ts'
import type { Operation } from '../../operations/operation.ts'

export interface ReferenceObject {
  $ref: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  style?: 'form'
  explode?: boolean
}

/** By media type: everything is JSON but the body of an operation that takes a file. */
export type BodyContent = Partial<
  Record<
    'application/json' | 'multipart/form-data',
    { schema: JsonSchema; example?: unknown; examples?: Record<string, object> }
  >
>

const idempotencyKey: JsonSchema = {
  type: 'string',
  minLength: limits.idempotencyKeyMinLength,
  maxLength: limits.idempotencyKeyMaxLength,
  pattern: '^[\\x21-\\x7e]+$',
  examples: ['2026-11-21-invoice-0117'],
}

const etag: JsonSchema = { type: 'string', examples: ['"3"'] }

const requestHeaders: Readonly<Record<string, Parameter>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'One value per intended write, sent again with every retry of it.',
    schema: idempotencyKey,
  },
  DryRun: {
    name: 'Svc-Dry-Run',
    in: 'header',
    required: false,
    description: '`true`: check everything, change nothing.',
    schema: { type: 'boolean' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The ETag that was read: 412 when the document has changed since.',
    schema: etag,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag that was read: 304 when it is still current.',
    schema: etag,
  },
}

/** The headers that some of the operations take. */
export const headerParameters = (operations: readonly Operation[]): Record<string, Parameter> => {
  const taken = new Set(operations.flatMap(headerNamesOf))
  return Object.fromEntries(Object.entries(requestHeaders).filter(([name]) => taken.has(name)))
}

const headerNamesOf = (operation: Operation): string[] => [
  ...(isWrite(operation) ? ['IdempotencyKey', 'DryRun'] : []),
  ...(honoursIfMatch(operation) ? ['IfMatch'] : []),
  ...(honoursIfNoneMatch(operation) ? ['IfNoneMatch'] : []),
]

/** As the specification lists them: headers by reference, as many operations take the same. */
export const parameterItems = (operation: Operation): (Parameter | ReferenceObject)[] => [
  ...pathAndQuery(operation),
  ...headerNamesOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
]

/** Every parameter, written out. */
export const parametersOf = (operation: Operation): Parameter[] => [
  ...pathAndQuery(operation),
  ...Object.values(headerParameters([operation])),
]

const pathAndQuery = (operation: Operation): Parameter[] => [
  ...pathParameters(operation).map((name) => pathParameter(operation, name)),
  ...queryParameters(operation.query),
]

const prefixOfResource = new Map<string, string>(
  Object.entries(resourceOfPrefix).map(([prefix, resource]) => [resource, prefix]),
)

/** `{id}` is an id of the collection before it, `{attachment_id}` one of an attachment. */
export const resourceOf = ({ path }: Pick<Operation, 'path'>, name: string): string => {
  const parts = path.split('/')
  const collection = parts[parts.indexOf(`{${name}}`) - 1] ?? ''
  return name === 'id' ? collection.replace(/s$/, '') : name.replace(/_id$/, '')
}

const pathParameter = ({ path }: Operation, name: string): Parameter => {
  const place = { name, in: 'path', required: true } as const
  if (name === 'key') {
    return { ...place, description: 'The Idempotency-Key of the write.', schema: idempotencyKey }
  }
  const resource = resourceOf({ path }, name)
  const prefix = prefixOfResource.get(resource)
  if (prefix === undefined) throw new Error(`nothing is known of {${name}} in ${path}`)
  const { description: _, ...schema } = inlineSchema(Id(prefix, ''), shapeNames)
  const description = `The id of the ${resource}. A malformed one is answered like a missing one.`
  return { ...place, description, schema }
}

const queryParameters = (query: TSchema | undefined): Parameter[] => {
  const { properties = {}, required = [] } = inlineSchema(query, shapeNames)
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(schema.type === 'array' ? ({ style: 'form', explode: false } as const) : {}),
  }))
}

export const jsonContent = (schema: TSchema, example: unknown): BodyContent => ({
  'application/json': {
    schema: schemaOrReference(schema, shapeNames),
    ...(example === undefined ? {} : { example }),
  },
})

/** An empty body equals `{}`: it must be there only when something in it must. */
export const requestBody = (
  { takesFile }: Pick<Operation, 'takesFile'>,
  body: TSchema,
  example: object | undefined,
): { required: boolean; content: BodyContent } => ({
  required: (inlineSchema(body, shapeNames).required ?? []).length > 0,
  content:
    takesFile === true
      ? { 'multipart/form-data': { schema: schemaOrReference(body, shapeNames) } }
      : jsonContent(body, example),
})
