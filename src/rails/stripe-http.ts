/**
 * The official library over the one client for calls to the outside (docs/decisions/0077): one
 * resolution, checked addresses, no redirects, bounds on time and size.
 */
import { Stripe } from 'stripe'
import { limits } from '../contract/limits.ts'
import type { Exchanged, Line } from '../outbound/client.ts'

export class GuardedHttp extends Stripe.HttpClient {
  readonly #line: Line

  constructor(line: Line) {
    super()
    this.#line = line
  }

  override getClientName(): string {
    return 'guarded'
  }

  /** Host, port and protocol are those of the line: the library is configured with the same. */
  override async makeRequest(
    ...[, , path, method, headers, body]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> {
    const answered = await this.#line.send({
      method,
      path,
      headers: textHeaders(headers),
      body: body ?? '',
      bounds: {
        totalMs: limits.railTimeoutMs,
        answerMaxBytes: limits.railAnswerMaxBytes,
        answerKeptBytes: limits.railAnswerMaxBytes,
      },
    })
    // Nobody knows whether it was executed: the library says so to its caller.
    if (answered.status === null || answered.error !== null) throw new Error(answered.error ?? '')
    return new Answer(answered)
  }
}

const textHeaders = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

class Answer extends Stripe.HttpClientResponse {
  readonly #answered: Exchanged

  constructor(answered: Exchanged) {
    super(answered.status!, answered.headers as Record<string, string>)
    this.#answered = answered
  }

  override getRawResponse(): Exchanged {
    return this.#answered
  }

  override toStream(): never {
    throw new Error('answers are read whole')
  }

  /** A text that was cut is no JSON, and nothing is concluded from it. */
  override toJSON(): Promise<unknown> {
    return Promise.resolve().then(() => JSON.parse(this.#answered.body ?? ''))
  }
}
