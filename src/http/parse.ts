/** The second stage: bytes → values. Media type, JSON or form, and the query string. */
import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { parseJson } from '../core/strict-json.ts'
import type { AdmittedRequest } from './admit.ts'
import { checkMediaType } from './parsing/body.ts'
import { checkFormMediaType } from './parsing/multipart-form.ts'
import { parseQuery } from './parsing/query.ts'
import { type Upload, receiveUpload } from './parsing/upload.ts'
import type { Route } from './route.ts'

export interface ParsedRequest extends AdmittedRequest {
  query: { values: Record<string, unknown>; problems: readonly Problem[] }
  /** Undefined for reads. */
  body: unknown
  upload: Upload | undefined
}

export const parse = async (admitted: AdmittedRequest): Promise<ParsedRequest> => {
  const { exchange, route, bodyBytes } = admitted
  const { request, search, pipeline } = exchange
  const { method, query, takesFile } = route.operation
  let body: unknown
  let upload: Upload | undefined
  if (takesFile === true) {
    checkFormMediaType(request)
    upload = await receiveUpload(request, pipeline.context)
    body = upload.file === undefined ? {} : { file: upload.file }
  } else if (method !== 'GET') body = parseBody(request, bodyBytes, route)
  return { ...admitted, query: parseQuery(search, query), body, upload }
}

/** An empty body equals {}; operations without a body accept {} only. */
const parseBody = (request: IncomingMessage, bytes: Buffer, { validateBody }: Route): unknown => {
  if (bytes.length === 0) return {}
  checkMediaType(request)
  const parsed = parseJson(bytes)
  if (!parsed.ok) {
    throw invalidRequest({ param: parsed.param, code: 'invalid_value', message: parsed.message })
  }
  if (validateBody === undefined && JSON.stringify(parsed.value) !== '{}') {
    throw invalidRequest({
      param: '',
      code: 'invalid_value',
      message: 'This operation takes no body.',
      fix: 'send no body',
    })
  }
  return parsed.value
}
