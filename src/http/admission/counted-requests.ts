/**
 * What counts against a rate limit: every request of a caller, whatever becomes of it, and for a
 * network those without a credential and those whose credential is refused.
 */
import { Refusal } from '../../contract/errors.ts'
import type { Exchange } from '../exchange.ts'
import type { AuthenticatedCaller } from './authenticator.ts'

/** Keys share windows of their organization, and so do sessions: more of them admit no more. */
export const countCaller = (
  exchange: Exchange,
  { credential, organization }: AuthenticatedCaller,
): void => countRequest(exchange, credential.kind, credential.id, organization.id)

/** Counts a request without a credential, per network of its sender. */
export const countAnonymous = (exchange: Exchange): void =>
  countRequest(exchange, 'address', exchange.pipeline.addressOf(exchange.request).network)

/** Counts a refused request, so that its response shows what is left for its network. */
export const countRefused = (exchange: Exchange, error: unknown): void => {
  if (!(error instanceof Refusal)) return
  const { rateLimits, addressOf } = exchange.pipeline
  exchange.rateLimitStatus = rateLimits.count('address', addressOf(exchange.request).network)
}

/** Counts the request in the windows of its caller; throws `rate_limited` when one is full. */
const countRequest = (
  exchange: Exchange,
  kind: string,
  id: string,
  organization?: string,
): void => {
  const status = exchange.pipeline.rateLimits.count(kind, id, organization)
  exchange.rateLimitStatus = status
  if (status.refusal !== undefined) throw status.refusal
}
