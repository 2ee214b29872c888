/** The second stage: bytes → values. Media type, JSON or form, and the query string. */
import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import type { RequestSignature } from '../core/provenance/signed-slots.ts'
import { notUtf8, parseJson } from '../core/strict-json.ts'
import { bodyOf, signatureOf } from './admission/party-signature.ts'
import type { AdmittedRequest } from './admit.ts'
import { type BodyText, checkMediaType } from './parsing/body.ts'
import { checkFormMediaType } from './parsing/multipart-form.ts'
import { parseQuery } from './parsing/query.ts'
import { type Upload, receiveUpload } from './parsing/upload.ts'
import type { Route } from './route.ts'

export interface ParsedRequest extends Omit<AdmittedRequest, 'received'> {
  /** In bytes; its text is not held while the request waits for its turn. */
  bodyLength: number
  query: { values: Record<string, unknown>; problems: readonly Problem[] }
  /** Undefined for reads. */
  body: unknown
  upload: Upload | undefined
  /** The signature of the party, if its key signs. */
  signature: RequestSignature | null
}

export const parse = async (admitted: AdmittedRequest): Promise<ParsedRequest> => {
  const { received, ...rest } = admitted
  const { exchange, route } = rest
  const { request, search, pipeline } = exchange
  const { method, query, checkBeforeFile } = route.operation
  let body: unknown
  let upload: Upload | undefined
  let signature: RequestSignature | null = null
  if (route.form !== undefined) {
    checkFormMediaType(request)
    const { organization } = rest.caller!
    await checkBeforeFile?.(pipeline.context, organization, exchange.params)
    upload = await receiveUpload(exchange, rest.caller!, route.form)
    signature = upload.signature
    body = upload.file === undefined ? {} : { ...upload.fields, file: upload.file }
  } else if (method !== 'GET') {
    body = parseBody(request, received, route)
    signature = signatureOf(exchange, rest.caller?.credential.signingKey, bodyOf(received))
  }
  const bodyLength = received.length
  return { ...rest, bodyLength, query: parseQuery(search, query), body, upload, signature }
}

/** An empty body equals {}; operations without a body accept {} only. */
const parseBody = (
  request: IncomingMessage,
  { length, text }: BodyText,
  { validateBody }: Route,
): unknown => {
  if (length === 0) return {}
  checkMediaType(request)
  const parsed = text === undefined ? notUtf8 : parseJson(text)
  if (!parsed.ok) {
    const { param, code, message } = parsed
    throw invalidRequest({ param, code, message })
  }
  if (validateBody === undefined && !isEmptyObject(parsed.value)) {
    throw invalidRequest({
      param: '',
      code: 'invalid_value',
      message: 'This operation takes no body.',
      fix: 'send no body',
    })
  }
  return parsed.value
}

const isEmptyObject = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  for (const _ in value) return false
  return true
}
