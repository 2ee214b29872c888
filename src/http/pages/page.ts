/** Pages: what is served beside the operations, without a credential. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { recordRequest } from '../access-log.ts'
import { countAnonymous } from '../admission/counted-requests.ts'
import { type Exchange, type Pipeline, openExchange } from '../exchange.ts'
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
