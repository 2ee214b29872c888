/**
 * Runs the official Stripe library over the guarded outbound client (docs/decisions/0014): one
 * resolution, checked addresses, no redirects, limits on time and size.
 */
import { Stripe } from 'stripe'
import { limits } from '../contract/limits.ts'
import type { OutboundResponse, OutboundClient } from '../outbound/client.ts'

export class GuardedHttpClient extends Stripe.HttpClient {
  readonly #client: OutboundClient

  constructor(client: OutboundClient) {
    super()
    this.#client = client
  }

  override getClientName(): string {
    return 'guarded'
  }

  /** Host, port and protocol are the client's: the library is configured with the same URL. */
  override async makeRequest(
    ...[, , path, method, headers, body]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> {
    const response = await this.#client.send({
      method,
      path,
      headers: textHeaders(headers),
      body: body ?? '',
      bounds: {
        totalMs: limits.railTimeoutMs,
        responseMaxBytes: limits.railResponseMaxBytes,
        responseKeptBytes: limits.railResponseMaxBytes,
      },
    })
    // The outcome is unknown: the library reports a connection error to its caller.
    if (response.status === null || response.error !== null) throw new Error(response.error ?? '')
    return new GuardedHttpResponse(response)
  }
}

const textHeaders = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

class GuardedHttpResponse extends Stripe.HttpClientResponse {
  readonly #response: OutboundResponse

  constructor(response: OutboundResponse) {
    super(response.status!, response.headers as Record<string, string>)
    this.#response = response
  }

  override getRawResponse(): OutboundResponse {
    return this.#response
  }

  override toStream(): never {
    throw new Error('responses are not streamed')
  }

  /** Fails on a truncated body, so that nothing is concluded from it. */
  override toJSON(): Promise<unknown> {
    return Promise.resolve().then(() => JSON.parse(this.#response.body ?? ''))
  }
}
