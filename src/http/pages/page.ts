/** Pages: what is served beside the operations, without a credential. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnonymousCaller } from '../../operations/operation.ts'
import { recordRequest } from '../access-log.ts'
import { countAnonymous } from '../admission/counted-requests.ts'
import { type Exchange, type Pipeline, openExchange, requesterOf } from '../exchange.ts'
import { sendOrRefuse } from '../streaming/streamed-response.ts'

export interface Page {
  path: string
  /** Paths below this prefix that match no route are served by this page as well. */
  pathPrefix?: string
  /** GET and HEAD when absent. */
  method?: 'POST'
  serve(
    pipeline: Pipeline,
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
  ): Promise<void>
}

/**
 * A page whose requests are counted per address, like those of public operations. Logs show
 * `path` instead of the real one, which may hold a secret.
 */
export const publicPage = (
  path: string,
  serve: (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<void> | void,
): Page => ({
  path,
  serve: async (pipeline, request, response, params) => {
    const exchange = openExchange(pipeline, request, response)
    exchange.path = path
    await sendOrRefuse(exchange, async () => {
      countAnonymous(exchange)
      await serve(exchange, params)
    })
    recordRequest(exchange, `page ${path}`)
  },
})

/** Whoever asks for a page that writes; their writes take the turns of their network. */
export const anonymousCallerOf = (exchange: Exchange): AnonymousCaller => {
  const { request, pipeline, requestId } = exchange
  const { address, network } = pipeline.addressOf(request)
  const requester = requesterOf(exchange, network)
  return { address, requestId, headers: request.headers, requester, dryRun: false }
}
