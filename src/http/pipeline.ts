/** Every request of the API: admit → parse → validate → execute → respond. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '../contract/limits.ts'
import { recordRequest } from './access-log.ts'
import { admit } from './admit.ts'
import { type Exchange, type Pipeline, type RouteMatch, openExchange } from './exchange.ts'
import { type OperationResult, execute } from './execute.ts'
import { lingerOnClose } from './lingering-close.ts'
import { parse } from './parse.ts'
import { removeTemporaryFile } from './parsing/upload.ts'
import { asRefusal } from './refusals.ts'
import { respond } from './respond.ts'
import { sendChanges } from './streaming/live-changes.ts'
import { sendStream } from './streaming/streamed-response.ts'
import type { SpanOptions } from '../telemetry/tracing.ts'
import { validate } from './validate.ts'

export const handleRequest = async (
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  match?: RouteMatch,
): Promise<void> => {
  const exchange = openExchange(pipeline, request, response, match)
  const { context } = pipeline
  // The route, not the path: a path may hold what only its caller should know.
  const route = exchange.route?.operation.path ?? 'unknown'
  const span: SpanOptions = {
    kind: 'server',
    attributes: { 'http.route': route },
    headers: request.headers,
  }
  const name = `${request.method} ${route}`
  const result = await context.tracing.span(name, span, () => resultOf(exchange))
  if (isLargeBodyLeft(request)) response.shouldKeepAlive = false
  if (!request.complete) lingerOnClose(response, exchange.caller !== undefined)
  if ('stream' in result) await sendStream(exchange, result)
  else if ('changes' in result) await sendChanges(exchange, result.changes)
  else respond(exchange, result)
  recordRequest(exchange)
}

/** Node.js reads the rest of a body that was refused. That of a large one is not worth it. */
const isLargeBodyLeft = ({ complete, headers }: IncomingMessage): boolean =>
  !complete &&
  (headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > limits.bodyMaxBytes)

const resultOf = async (exchange: Exchange): Promise<OperationResult> => {
  try {
    const parsed = await parse(await admit(exchange))
    try {
      return await execute(validate(parsed))
    } finally {
      if (parsed.upload !== undefined) await removeTemporaryFile(parsed.upload)
    }
  } catch (error) {
    return { refusal: await asRefusal(error, exchange) }
  }
}
