/** The responses of an operation in the OpenAPI document: every status and its headers. */
import { type ErrorCode, errorCodes, errors } from '../../contract/errors.ts'
import { version } from '../../contract/version.ts'
import { exampleError } from '../examples/errors.ts'
import { exampleIds, exampleReceipt } from '../examples/ids.ts'
import { examples } from '../examples/index.ts'
import { carriesEvent, returnsEtag, supportsIfNoneMatch, isWrite } from '../operation-facts.ts'
import { possibleErrorCodes } from './error-codes.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { type BodyContent, type ReferenceObject, jsonContent } from './parameters.ts'

export interface HeaderObject {
  description: string
  schema: JsonSchema
}

export interface ResponseObject {
  description: string
  headers: Record<string, ReferenceObject>
  content?: BodyContent
}

const textHeader = (description: string, example: string): HeaderObject => ({
  description,
  schema: { type: 'string', examples: [example] },
})

export const headers = {
  'Svc-Api-Version': textHeader('The API version that produced the response.', version),
  'Request-Id': textHeader(
    'Identifies the request. Quote it when you contact the operator.',
    exampleIds.request,
  ),
  'RateLimit-Policy': textHeader(
    'The rate limits that apply to the caller.',
    '"sec";q=100;w=1,"min";q=3000;w=60',
  ),
  RateLimit: textHeader(
    'The remaining requests of each limit, and the seconds until it resets.',
    '"sec";r=97;t=1,"min";r=2890;t=42',
  ),
  ETag: textHeader('The revision of the returned record.', '"3"'),
  Location: textHeader('The path of the new record.', `/v1/documents/${exampleIds.document}`),
  'Idempotent-Replay': textHeader(
    '`true` if this is the stored response of an earlier request.',
    'true',
  ),
  'Svc-Original-Request-Id': textHeader(
    'On a replay, the request that performed the write.',
    exampleIds.request,
  ),
  'Svc-Event': textHeader(
    'The newest event in the history of the document: `<stream> <seq> <event hash>`. Keep it: it proves that the service has acknowledged the event.',
    exampleReceipt,
  ),
  'Svc-Dry-Run': textHeader('`true` on the response of a dry run.', 'true'),
  'Svc-Should-Retry': textHeader('Whether the very same request may succeed later.', 'false'),
  'Retry-After': textHeader('The seconds to wait before the next attempt.', '1'),
  'WWW-Authenticate': textHeader('The required authentication scheme.', 'Bearer'),
}

type HeaderName = keyof typeof headers

const commonHeaders: readonly HeaderName[] = [
  'Svc-Api-Version',
  'Request-Id',
  'RateLimit-Policy',
  'RateLimit',
]

const headerReferences = (names: readonly HeaderName[]): Record<string, ReferenceObject> =>
  Object.fromEntries(
    [...commonHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

export const successResponses = (operation: Operation): Record<string, ResponseObject> => {
  const { id, response, status = 200 } = operation
  const content = jsonContent(response, examples[id]?.response)
  const etag: HeaderName[] = returnsEtag(operation) ? ['ETag'] : []
  const success = (description: string, ...names: HeaderName[]): ResponseObject => ({
    description,
    headers: headerReferences([...etag, ...names]),
    content,
  })
  if (!isWrite(operation)) {
    const unchanged = { description: 'Nothing has changed.', headers: headerReferences(etag) }
    return {
      '200': success('The requested data.'),
      ...(supportsIfNoneMatch(operation) ? { '304': unchanged } : {}),
    }
  }
  const event: HeaderName[] = carriesEvent(operation) ? ['Svc-Event'] : []
  const replay: HeaderName[] = ['Idempotent-Replay', 'Svc-Original-Request-Id', ...event]
  if (status === 200) return { '200': success('Success.', ...replay, 'Svc-Dry-Run') }
  return {
    '200': success(
      'A dry run: the response of the real request. Nothing was created.',
      'Location',
      'Svc-Dry-Run',
    ),
    '201': success('The record was created.', 'Location', ...replay),
  }
}

const codesByStatus = (operation: Operation): [status: number, codes: ErrorCode[]][] => [
  ...Map.groupBy(possibleErrorCodes(operation), (code) => errors[code].status),
]

const responseName = (codes: readonly ErrorCode[]): string => codes.join('_or_')

export const failureResponses = (operation: Operation): Record<string, ReferenceObject> =>
  Object.fromEntries(
    codesByStatus(operation).map(([status, codes]) => [
      String(status),
      { $ref: `#/components/responses/${responseName(codes)}` },
    ]),
  )

/** One response for each set of codes that share a status in some operation. */
export const errorResponses = (
  operations: readonly Operation[],
  baseUrl: string,
): Record<string, ResponseObject> =>
  Object.fromEntries(
    operations
      .flatMap(codesByStatus)
      .map(([status, codes]) => [responseName(codes), errorResponse(status, codes, baseUrl)]),
  )

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const errorResponse = (
  status: number,
  codes: readonly ErrorCode[],
  baseUrl: string,
): ResponseObject => {
  const errorWithCodes = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
  return {
    description: codes
      .map((code) => `\`${code}\`: ${errors[code].meaning} ${errors[code].fix}`)
      .join('\n\n'),
    headers: headerReferences(['Svc-Should-Retry', ...(headersOfStatus[status] ?? [])]),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { error: errorWithCodes } },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: exampleError(code, baseUrl) }]),
        ),
      },
    },
  }
}

/** The error envelope (specification 7). */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'The envelope of all errors.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'docs_url', 'request_id'],
      properties: {
        code: { type: 'string', enum: errorCodes, description: 'The kind of error.' },
        message: { type: 'string', description: 'What is wrong, and what to send instead.' },
        docs_url: {
          type: 'string',
          format: 'uri',
          description: 'The section of the docs about the code.',
        },
        request_id: { type: 'string', description: 'The Request-Id of this request.' },
        details: {
          type: 'object',
          description: 'Details that a program can act on; the fields depend on the code.',
        },
      },
    },
  },
}
