/**
 * Records every answered request: the use of its key, a metric, a log line, an entry in the request
 * log of the organization.
 */
import { limits } from '../contract/limits.ts'
import { loggedProblemsMax } from '../contract/shapes/request-log.ts'
import { redactSecrets } from '../core/identity/credentials.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import type { Exchange } from './exchange.ts'

/** `page` names what was served when it is no operation. */
export const recordRequest = (exchange: Exchange, page?: string): void => {
  const { pipeline, request, response, route, path, caller, requestId, startedAt } = exchange
  const { context } = pipeline
  if (caller?.credential.kind === 'key') context.recordKeyUse(caller.credential.id)
  const operation = route?.operation
  const { method = '' } = request
  const { statusCode: status } = response
  const durationMs = performance.now() - startedAt
  const name = operation?.id ?? page ?? 'none'
  context.metrics.count('docex_requests_total', `operation="${name}",status="${status}"`)
  const labels = `operation="${name}",route="${operation?.path ?? name}"`
  context.metrics.observe('docex_request_duration_seconds', labels, durationMs / 1000)
  if (context.config.logsCalls || status === 500) {
    const entry = {
      request_id: encodeId('req', requestId),
      method,
      path,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      ...(caller === undefined ? {} : { key: caller.credential.prefix ?? 'session' }),
    }
    context.log.info(entry, 'call')
  }
  // A tool call is logged as its operation, not as the page that carried it.
  if (caller === undefined || page !== undefined || operation?.isUnversioned === true) return
  const { id: organization_id } = caller.organization
  context.logRequest(organization_id, () => ({
    organization_id,
    id: requestId,
    method,
    path: redactSecrets(path).slice(0, limits.requestPathMaxLength),
    status,
    key_id: caller.credential.kind === 'key' ? caller.credential.id : null,
    duration_ms: Math.round(durationMs),
    idempotency_key: loggedIdempotencyKey(exchange),
    error: loggedError(exchange),
    user_id: caller.credential.user?.id ?? null,
    address: pipeline.addressOf(request).address,
    ...loggedEffect(exchange),
  }))
}

/** Null where the response shows a secret: the key of such a write decrypts its stored response. */
const loggedIdempotencyKey = ({ request, showsSecret }: Exchange): string | null => {
  const key = request.headers['idempotency-key']
  if (request.method === 'GET' || showsSecret || typeof key !== 'string') return null
  return key.length <= limits.idempotencyKeyMaxLength ? redactSecrets(key) : null
}

/** A document that was not found is none of the organization's. */
const loggedEffect = ({ effect, route, params, refusal }: Exchange) => {
  const named = route?.operation.path.startsWith('/v1/documents/{id}') ? params['id'] : undefined
  const isFound = named !== undefined && refusal?.code !== 'not_found'
  const eventIds = effect?.eventIds ?? []
  return {
    document_id: effect?.documentId ?? (isFound ? (decodeId('doc', named) ?? null) : null),
    event_ids: eventIds.length === 0 ? null : JSON.stringify(eventIds),
    original_request_id: effect?.originalRequestId ?? null,
  }
}

/** The refusal, with the first of its problems, which quote at most a few words of the request. */
const loggedError = ({ refusal }: Exchange): string | null => {
  if (refusal === undefined) return null
  const { code, message, details } = refusal
  const problems = ((details?.['errors'] ?? []) as object[]).slice(0, loggedProblemsMax)
  return redactSecrets(JSON.stringify({ code, message, problems }))
}
