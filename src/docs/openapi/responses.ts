/** The responses of an operation in the OpenAPI document: every status and its headers. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { version } from '../../contract/version.ts'
import { exampleError } from '../examples/errors.ts'
import { exampleIds, exampleReceipt } from '../examples/ids.ts'
import { examples } from '../examples/index.ts'
import {
  carriesEvent,
  isWrite,
  returnsEtag,
  supportsIfNoneMatch,
  takesFields,
  isVersioned,
} from '../operation-facts.ts'
import { possibleErrorCodes } from './error-codes.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { type BodyContent, type ReferenceObject, jsonContent } from './parameters.ts'
import { errorEnvelope } from './unions.ts'

export interface HeaderObject {
  description: string
  schema: JsonSchema
}

export interface ResponseObject {
  description: string
  headers: Record<string, ReferenceObject>
  content?: BodyContent
  /** The error codes that the status may have. */
  'x-codes'?: readonly ErrorCode[]
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
  Location: textHeader(
    'The path of the new record, if it can be read by itself; none in a dry run.',
    `/v1/documents/${exampleIds.document}`,
  ),
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
  'Svc-Bundle-Digest': textHeader(
    'The SHA-256 of the exact bytes of the body, in hex.',
    '5d'.repeat(32),
  ),
  'Repr-Digest': textHeader(
    'The same digest in the form of RFC 9530.',
    `sha-256=:${Buffer.from('5d'.repeat(32), 'hex').toString('base64')}:`,
  ),
  'Content-Disposition': textHeader(
    'A name for the file.',
    `attachment; filename="${exampleIds.document}.4.svc-proof.json"`,
  ),
  'Cache-Control': textHeader('Who may store the response.', 'private, no-transform'),
  Link: textHeader(
    'The entry of the request log, which an admin session reads, if the caller is known.',
    `</v1/requests/${exampleIds.request}>; rel="about"`,
  ),
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

const proofHeaders = [
  'Svc-Bundle-Digest',
  'Repr-Digest',
  'Content-Disposition',
  'Cache-Control',
] as const satisfies readonly HeaderName[]

const fileHeaders: readonly HeaderName[] = ['Content-Disposition']

/** Headers that only these operations send, in addition to those of all. */
const headersOfOperation: Readonly<Record<string, readonly HeaderName[]>> = {
  'documents.export': proofHeaders,
  'finance.agreements.export': proofHeaders,
  'documents.receipt': ['Cache-Control'],
  'documents.render': fileHeaders,
  stream: ['Cache-Control'],
}

/** What an operation returns beside JSON. */
const otherContent: Readonly<Record<string, BodyContent>> = {
  'documents.render': {
    'application/xml': { schema: { type: 'string' } },
    'text/csv': { schema: { type: 'string' } },
    'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } },
  },
  'treasury.statement': { 'application/xml': { schema: { type: 'string' } } },
}

const headerReferences = (names: readonly HeaderName[]): Record<string, ReferenceObject> =>
  Object.fromEntries(
    [...commonHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

const successContent = ({ id, response, mediaType }: Operation): BodyContent => {
  const json = jsonContent(response, examples[id]?.response)
  if (mediaType === undefined) return { ...json, ...otherContent[id] }
  return { [mediaType]: json['application/json']!, ...otherContent[id] }
}

const requestedData = 'The requested data.'

/** A schema for both would make every field optional to those who ask for whole rows. */
const partialRows =
  'The schema is that of whole rows: with `fields`, a row has those alone, and lacks others that it requires.'

export const successResponses = (operation: Operation): Record<string, ResponseObject> => {
  const { id, status = 200, mediaType } = operation
  const content = successContent(operation)
  const etag: HeaderName[] = returnsEtag(operation) ? ['ETag'] : []
  const own = mediaType === 'text/csv' ? fileHeaders : (headersOfOperation[id] ?? [])
  const success = (description: string, ...names: HeaderName[]): ResponseObject => ({
    description,
    headers: headerReferences([...etag, ...own, ...names]),
    content,
  })
  if (!isWrite(operation)) {
    const unchanged = {
      description: 'Nothing has changed.',
      headers: headerReferences([...etag, ...own]),
    }
    return {
      '200': success(takesFields(operation) ? `${requestedData} ${partialRows}` : requestedData),
      ...(supportsIfNoneMatch(operation) ? { '304': unchanged } : {}),
    }
  }
  const event: HeaderName[] = carriesEvent(operation) ? ['Svc-Event'] : []
  const replay: HeaderName[] = ['Idempotent-Replay', 'Svc-Original-Request-Id', ...event]
  if (!isVersioned(operation)) return { [status]: success('Success.', 'Svc-Dry-Run') }
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
): Record<string, ResponseObject> => {
  const isLogged = operations.some(isVersioned)
  return Object.fromEntries(
    operations.flatMap(codesByStatus).map(([status, codes]) => {
      const link: HeaderName[] = isLogged && status !== 401 ? ['Link'] : []
      return [responseName(codes), errorResponse(status, codes, { baseUrl, link })]
    }),
  )
}

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const errorResponse = (
  status: number,
  codes: readonly ErrorCode[],
  { baseUrl, link }: { baseUrl: string; link: readonly HeaderName[] },
): ResponseObject => {
  return {
    description: codes
      .map((code) => `\`${code}\`: ${errors[code].meaning} ${errors[code].fix}`)
      .join('\n\n'),
    'x-codes': codes,
    headers: headerReferences(['Svc-Should-Retry', ...link, ...(headersOfStatus[status] ?? [])]),
    content: {
      'application/json': {
        schema: errorEnvelope,
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: exampleError(code, baseUrl) }]),
        ),
      },
    },
  }
}
