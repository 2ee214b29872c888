/** How operations and schemas are called in the SDK. */
import { camelCase } from '../../src/docs/languages/names.ts'
import type { OpenApi, OperationObject } from '../../src/docs/openapi/openapi-types.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { Parameter, ReferenceObject } from '../../src/docs/openapi/parameters.ts'

export const referencedName = ({ $ref }: JsonSchema): string | undefined => $ref?.split('/').at(-1)

/** An operation as the emitters need it. */
export interface SdkOperation {
  id: string
  /** `documentsCreate` */
  functionName: string
  /** `['documents']`, `['sandbox', 'clock']` */
  resource: string[]
  /** `create` */
  verb: string
  method: string
  path: string
  pathParameters: Parameter[]
  query: Parameter[]
  body:
    | { kind: 'json'; schema: JsonSchema; shape: JsonSchema; required: boolean }
    | { kind: 'file'; schema: JsonSchema }
    | undefined
  /** Of the response; JSON or texts. */
  mediaTypes: string[]
  response: JsonSchema
  /** The type of a row, if the response is a page. */
  row: JsonSchema | undefined
  takesIfMatch: boolean
  /** The response has no end. */
  isLive: boolean
  /** The bytes of the response count, since their digest does. */
  isProof: boolean
  source: OperationObject
}

export const sdkOperations = (document: OpenApi): SdkOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, source]) =>
      sdkOperation(document, { path, method: method.toUpperCase(), source }),
    ),
  )

const isReference = (one: Parameter | ReferenceObject): one is ReferenceObject => '$ref' in one

const sdkOperation = (
  document: OpenApi,
  { path, method, source }: { path: string; method: string; source: OperationObject },
): SdkOperation => {
  const { operationId: id, parameters, responses } = source
  const parts = id.split('.')
  const own = parameters.filter((one): one is Parameter => !isReference(one))
  const { content, headers } = (responses['201'] ?? responses['200']) as {
    content?: Record<string, { schema: JsonSchema }>
    headers?: object
  }
  const mediaTypes = Object.keys(content!)
  const response = (content!['application/json'] ?? content![mediaTypes[0]!])!.schema
  const named = document.components.schemas[referencedName(response) ?? '']
  const page = named ?? response
  const rows = page.properties?.['next_cursor'] && page.properties['data']?.items
  if (rows !== undefined && referencedName(rows) === undefined) throw unnamed(id, 'rows')
  return {
    id,
    functionName: camelCase(id),
    resource: parts.slice(0, -1).map(camelCase),
    verb: camelCase(parts.at(-1)!),
    method,
    path,
    pathParameters: own.filter((one) => one.in === 'path'),
    query: own.filter((one) => one.in === 'query'),
    body: bodyOf(document, source),
    mediaTypes,
    response,
    row: rows,
    takesIfMatch: parameters.some((one) => isReference(one) && one.$ref.endsWith('/IfMatch')),
    isLive: mediaTypes.includes('text/event-stream'),
    isProof: 'Svc-Bundle-Digest' in (headers ?? {}),
    source,
  }
}

const unnamed = (id: string, what: string): Error =>
  new Error(`Name the shape of the ${what} of ${id} in src/docs/shapes.ts.`)

const bodyOf = (
  document: OpenApi,
  { operationId, requestBody }: OperationObject,
): SdkOperation['body'] => {
  if (requestBody === undefined) return undefined
  const form = requestBody.content['multipart/form-data']
  if (form !== undefined) return { kind: 'file', schema: form.schema }
  const { schema } = requestBody.content['application/json']!
  const shape = document.components.schemas[referencedName(schema) ?? ''] ?? schema
  if (Object.keys(shape.properties ?? {}).length === 0) return undefined
  if (referencedName(schema) === undefined) throw unnamed(operationId, 'body')
  return { kind: 'json', schema, shape, required: requestBody.required }
}
