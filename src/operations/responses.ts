/** The HTTP responses of what operations reply. */
import type { OperationResponse } from '../engine/write-request.ts'
import { selectFields } from './field-selection.ts'
import type { Reply } from './operation.ts'
import { ExactBytes, JsonText } from './reply-bodies.ts'

const textOf = ({ body }: Reply<unknown>): string | readonly string[] =>
  body instanceof JsonText ? body.text : JSON.stringify(body)

const joinedText = (text: string | readonly string[]): string =>
  typeof text === 'string' ? text : text.join('')

export const writeResponseOf = (
  declared: { status?: 200 | 201 | 202 },
  reply: Reply<unknown>,
): OperationResponse =>
  withMetadata<OperationResponse>(
    { status: declared.status ?? 200, body: joinedText(textOf(reply)) },
    reply,
  )

/** The response of a read; a long body stays in pieces. With `fields` it is a list. */
export const readResponseOf = (
  reply: Reply<unknown>,
  fields: readonly string[] | undefined,
): ReadResponse => {
  if (reply.body instanceof ExactBytes) {
    return withMetadata<ReadResponse>({ status: 200, body: reply.body.bytes }, reply)
  }
  const text = textOf(reply)
  const body = fields === undefined ? text : selectFields(joinedText(text), fields)
  return withMetadata<ReadResponse>({ status: 200, body }, reply)
}

type ReplyMetadata = Omit<OperationResponse, 'status' | 'body'>
export type ReadResponse = ReplyMetadata & {
  status: number
  body: string | readonly string[] | Buffer
}

const withMetadata = <R extends ReplyMetadata>(response: R, reply: ReplyMetadata): R => {
  const { etag, location, resourceId, document, receipt, headers } = reply
  if (etag !== undefined) response.etag = etag
  if (location !== undefined) response.location = location
  if (resourceId !== undefined) response.resourceId = resourceId
  if (document !== undefined) response.document = document
  if (receipt !== undefined) response.receipt = receipt
  if (headers !== undefined) response.headers = headers
  return response
}
