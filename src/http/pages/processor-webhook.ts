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
  serve: async ({ context, rates }, request, response) => {
    const answer = (status: number) => {
      response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': 0 })
      response.end()
    }
    if (rates.count('processor', request.socket.remoteAddress ?? '').refusal !== undefined) {
      return answer(429)
    }
    try {
      const raw = await readBody(request, limits.bodyMaxBytes)
      const signature = request.headers['stripe-signature']
      const taken = await context.takeRailEvent(raw, typeof signature === 'string' ? signature : '')
      // 503 makes the processor send it again; anything else that is signed is done with.
      answer(taken === undefined ? 400 : taken === 'early' ? 503 : 200)
    } catch (error) {
      context.log.failure('rail_event_failed', error, {})
      answer(503)
    }
  },
}
