/**
 * POST /processors/stripe/webhooks: events of the payment processor. No caller of ours: the
 * signature over the raw bytes is what counts, and only the status of the answer.
 */
import type { Page } from './docs.ts'
import { limits } from '../../contract/limits.ts'
import { readBody } from '../parsing/body.ts'

export const processorWebhook: Page = {
  path: '/processors/stripe/webhooks',
  method: 'POST',
  serve: async ({ context, rateLimits }, request, response) => {
    const respond = (status: number) => {
      response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': 0 })
      response.end()
    }
    if (rateLimits.count('processor', request.socket.remoteAddress ?? '').refusal !== undefined) {
      return respond(429)
    }
    try {
      const raw = await readBody(request, limits.bodyMaxBytes)
      const signature = request.headers['stripe-signature']
      const applied = await context.receiveRailEvent(
        raw,
        typeof signature === 'string' ? signature : '',
      )
      // 503 makes the processor send it again; anything else that is signed is done with.
      respond(applied === undefined ? 400 : applied === 'early' ? 503 : 200)
    } catch (error) {
      context.log.error('rail_event_failed', error, {})
      respond(503)
    }
  },
}
