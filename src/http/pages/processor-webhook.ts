/**
 * POST /processors/stripe/webhooks: events of the payment processor. It has no credential of ours:
 * the signature over the raw bytes authenticates it, and it reads only the status.
 */
import type { Page } from './page.ts'
import { limits } from '../../contract/limits.ts'
import { readBody } from '../parsing/body.ts'

export const processorWebhook: Page = {
  path: '/processors/stripe/webhooks',
  method: 'POST',
  serve: async ({ context, rateLimits, addressOf }, request, response) => {
    const respond = (status: number) => {
      response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': 0 })
      response.end()
    }
    if (rateLimits.count('processor', addressOf(request).network).refusal !== undefined) {
      return respond(429)
    }
    try {
      const raw = await readBody({ request, response }, limits.bodyMaxBytes)
      const signature = request.headers['stripe-signature']
      const applied = await context.receiveRailEvent(
        raw,
        typeof signature === 'string' ? signature : '',
      )
      // 503 makes the processor send the event again; every other signed event is finished.
      respond(applied === undefined ? 400 : applied === 'early' ? 503 : 200)
    } catch (error) {
      context.log.error({ error }, 'rail_event_failed')
      respond(503)
    }
  },
}
