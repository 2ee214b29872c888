/** The inputs of an operation in the OpenAPI document: path, query, headers and body. */
import type { TSchema } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { Id } from '../../contract/shapes/field-types.ts'
import { resourceOfPrefix } from '../../core/ids.ts'
import {
  isLive,
  supportsIfMatch,
  supportsIfNoneMatch,
  isWrite,
  pathParameters,
  takesIdempotencyKey,
} from '../operation-facts.ts'
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
  example?: unknown
}

/** All content is JSON, except the body of an operation that takes a file. */
export type BodyContent = Partial<
  Record<
    | 'application/json'
    | 'multipart/form-data'
    | 'application/xml'
    | 'application/pdf'
    | NonNullable<Operation['mediaType']>,
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
    description: 'A unique value for each intended write. Send the same value with every retry.',
    schema: idempotencyKey,
  },
  DryRun: {
    name: 'Svc-Dry-Run',
    in: 'header',
    required: false,
    description: '`true` runs every check and changes nothing.',
    schema: { type: 'boolean', examples: [true] },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of an earlier response. The request fails with 412 if the document has changed since.',
    schema: etag,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of an earlier response. The response is 304 if it is still current.',
    schema: etag,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The last `id` that you have received. The stream resumes after it.',
    schema: { type: 'string', pattern: '^[0-9]{1,18}$', examples: ['4711'] },
  },
}

/** The header parameters that at least one of the operations accepts. */
export const headerParameters = (operations: readonly Operation[]): Record<string, Parameter> => {
  const names = new Set(operations.flatMap(headerNamesOf))
  return Object.fromEntries(Object.entries(requestHeaders).filter(([name]) => names.has(name)))
}

const headerNamesOf = (operation: Operation): string[] => [
  ...(takesIdempotencyKey(operation) ? ['IdempotencyKey'] : []),
  ...(isWrite(operation) ? ['DryRun'] : []),
  ...(supportsIfMatch(operation) ? ['IfMatch'] : []),
  ...(supportsIfNoneMatch(operation) ? ['IfNoneMatch'] : []),
  ...(isLive(operation) ? ['LastEventId'] : []),
]

/** The parameters as the OpenAPI document lists them, with the shared headers by reference. */
export const parameterItems = (operation: Operation): (Parameter | ReferenceObject)[] => [
  ...pathAndQuery(operation),
  ...headerNamesOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
]

/** Every parameter in full. */
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

/** `{id}` identifies a member of the collection before it, `{attachment_id}` an attachment. */
export const resourceOf = ({ path }: Pick<Operation, 'path'>, name: string): string => {
  const parts = path.split('/')
  const collection = parts[parts.indexOf(`{${name}}`) - 1] ?? ''
  return name === 'id' ? collection.replace(/s$/, '') : name.replace(/_id$/, '')
}

const pathParameter = ({ path }: Operation, name: string): Parameter => {
  const parameter = { name, in: 'path', required: true } as const
  if (name === 'key') {
    return {
      ...parameter,
      description: 'The Idempotency-Key of the write.',
      schema: idempotencyKey,
    }
  }
  if (name === 'seq') {
    return {
      ...parameter,
      description: 'The sequence number of the event, as in `Svc-Event` and in the history.',
      schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [2] },
    }
  }
  if (name === 'provider') {
    const description = 'The id of an identity provider, as in `GET /auth/methods`.'
    return { ...parameter, description, schema: { type: 'string', examples: ['acme'] } }
  }
  const resource = resourceOf({ path }, name)
  const prefix = prefixOfResource.get(resource)
  if (prefix === undefined) throw new Error(`unknown path parameter {${name}} in ${path}`)
  const { description: _, ...schema } = inlineSchema(Id(prefix, ''), shapeNames)
  const noun = resource.replaceAll('_', ' ')
  const description = `The id of the ${noun}. A malformed id is treated like an unknown one.`
  return { ...parameter, description, schema }
}

const queryParameters = (query: TSchema | undefined): Parameter[] => {
  const { properties = {}, required = [] } = inlineSchema(query, shapeNames)
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    example: textExamples[name] ?? exampleOf(schema),
    ...(schema.type === 'array' ? ({ style: 'form', explode: false } as const) : {}),
  }))
}

/** Examples of texts that are free, for parameters of these names. */
const textExamples: Readonly<Record<string, string>> = {
  cursor: 'eyJwIjoiMTIwIn0',
  query: 'oak',
  path: '/v1/documents/*',
}

const exampleOf = (schema: JsonSchema): unknown => {
  const { examples, default: preset, enum: values, minimum, items, anyOf } = schema
  const alternative = anyOf === undefined ? undefined : '2026-11-21'
  const list = items === undefined ? undefined : [exampleOf(items)]
  return examples?.[0] ?? preset ?? values?.[0] ?? minimum ?? list ?? alternative
}

export const jsonContent = (schema: TSchema, example: unknown): BodyContent => ({
  'application/json': {
    schema: schemaOrReference(schema, shapeNames),
    ...(example === undefined ? {} : { example }),
  },
})

/** The body is required only if one of its fields is, because an empty body equals `{}`. */
export const requestBody = (
  { takesFile }: Pick<Operation, 'takesFile'>,
  body: TSchema,
  example: object | undefined,
): { required: boolean; content: BodyContent } => {
  const required = (inlineSchema(body, shapeNames).required ?? []).length > 0
  if (takesFile === undefined) {
    return { required, content: jsonContent(body, example ?? (required ? undefined : {})) }
  }
  const schema = schemaOrReference(body, shapeNames)
  return {
    required,
    content: { 'multipart/form-data': { schema, example: example ?? exampleForm } },
  }
}

const exampleForm = { file: 'the bytes of delivery-note.pdf' }
