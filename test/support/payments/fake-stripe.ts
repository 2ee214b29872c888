/**
 * A fake Stripe with the same HTTP API and Idempotency-Keys. It can fail before or after it
 * executes a request, with a 500 or without a response. Tests compare the service with what it
 * executed.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Stripe } from 'stripe'

export type StripeFault =
  | 'none'
  | 'silence before'
  | 'silence after'
  | '500 before'
  | '500 after'
  | 'redirect after'
  | 'endless after'

interface Intent {
  id: string
  object: 'payment_intent'
  status: string
  amount: number
  currency: string
  metadata: { payment_id: string }
  transfer: string
  last_payment_error?: { code: string }
}

type EventFields = { id?: string; account?: string }

export const webhookSecret = 'whsec_stand_in'

/** Sends a body without end, until the client disconnects. */
const sendEndlessly = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const sendMore = () => {
    while (response.writable && response.write(chunk));
  }
  response.on('drain', sendMore)
  sendMore()
}

export const startFakeStripe = async () => {
  const intents = new Map<string, Intent>()
  const byKey = new Map<string, Intent>()
  const faults: StripeFault[] = []
  /** An event about an intent; one about a dispute is about all of it, unless it says otherwise. */
  const eventOf = (type: string, object: object, more: EventFields = {}) => {
    const id = `evt_${randomUUID()}`
    const { payment_intent: about } = object as { payment_intent?: string | null }
    const { amount = 0, currency = 'usd' } = intents.get(about ?? '') ?? {}
    const disputed = type.startsWith('charge.dispute.') ? { amount, currency } : {}
    return { id, object: 'event', type, data: { object: { ...disputed, ...object } }, ...more }
  }
  const fakeStripe = {
    baseUrl: '',
    intents,
    /** One fault for each of the next calls; later calls succeed. */
    faults,
    /** The status that a new debit gets at once. */
    statusOfNewIntents: 'processing' as string,
    callCount: 0,
    /** Redirects that the client followed. */
    redirectsFollowed: 0,
    settings: () => ({
      STRIPE_SECRET_KEY: 'sk_test_stand_in',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: fakeStripe.baseUrl,
    }),
    /** What the list of past events has, the newest first, whether or not it was delivered. */
    pastEvents: [] as { id: string; type: string }[],
    eventOf,
    /** Signs an event: its body and its signature header. */
    signedEvent: (...event: Parameters<typeof eventOf>) => {
      const payload = JSON.stringify(eventOf(...event))
      const stripe = new Stripe('sk_test_stand_in')
      const header = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
      return { payload, header }
    },
    /** As Stripe does after 24 hours. */
    forgetKeys: () => byKey.clear(),
    intentsOfPayment: (payment: string) =>
      [...intents.values()].filter(({ metadata }) => metadata.payment_id === payment),
  }
  const execute = (body: URLSearchParams, key: string): Intent => {
    const existing = byKey.get(key)
    if (existing !== undefined) return existing
    const intent: Intent = {
      id: `pi_${intents.size + 1}_${key}`,
      object: 'payment_intent',
      status: fakeStripe.statusOfNewIntents,
      amount: Number(body.get('amount')),
      currency: body.get('currency')!,
      metadata: { payment_id: body.get('metadata[payment_id]')! },
      transfer: body.get('transfer_data[destination]')!,
    }
    intents.set(intent.id, intent)
    byKey.set(key, intent)
    return intent
  }
  const sendPastEvents = (url: string, response: ServerResponse): void => {
    const { searchParams: query } = new URL(url, 'http://fake-stripe')
    const types = [...query].flatMap(([name, value]) => (name.startsWith('types[') ? [value] : []))
    const matching = fakeStripe.pastEvents.filter(({ type }) => types.includes(type))
    const first = matching.findIndex(({ id }) => id === query.get('starting_after')) + 1
    const data = matching.slice(first, first + Number(query.get('limit')))
    const has_more = first + data.length < matching.length
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', url: '/v1/events', data, has_more }))
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A task of its own asks for past events.
    if (request.url!.startsWith('/v1/events')) return sendPastEvents(request.url!, response)
    fakeStripe.callCount += 1
    if (request.url === '/elsewhere') fakeStripe.redirectsFollowed += 1
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    const fault = faults.shift() ?? 'none'
    const send = (status: number, value: object) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    const broken = { error: { type: 'api_error', message: 'broken on purpose' } }
    if (fault === 'silence before') return void request.socket.destroy()
    if (fault === '500 before') return send(500, broken)
    const path = (request.url ?? '').split('?')[0]!
    const isCreate = request.method === 'POST' && path === '/v1/payment_intents'
    const key = String(request.headers['idempotency-key'])
    const intent = isCreate ? execute(body, key) : intents.get(path.split('/').at(-1)!)
    if (fault === 'silence after') return void request.socket.destroy()
    if (fault === '500 after') return send(500, broken)
    if (fault === 'redirect after') {
      response.writeHead(302, { Location: `${fakeStripe.baseUrl}/elsewhere` })
      return void response.end()
    }
    if (fault === 'endless after') return sendEndlessly(response)
    if (path.endsWith('/search')) {
      const query = new URL(request.url!, 'http://fake-stripe').searchParams.get('query') ?? ''
      const data = [...intents.values()].filter((one) => query.includes(one.metadata.payment_id))
      return send(200, { object: 'search_result', data, has_more: false })
    }
    if (intent === undefined) {
      return send(404, { error: { type: 'invalid_request_error', code: 'resource_missing' } })
    }
    if (isCreate && intent.status === 'requires_payment_method') {
      return send(402, { error: { type: 'card_error', code: 'insufficient_funds' } })
    }
    send(200, intent)
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fakeStripe.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return fakeStripe
}

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>
