/** What is noted of every answered call: a count, a line in the log, an entry for its caller. */
import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { redactSecrets } from '../core/identity/credentials.ts'
import { encodeId } from '../core/ids.ts'
import type { Operation } from '../operations/operation.ts'
import type { AuthenticatedCaller } from './admission/authenticate.ts'
import type { ResponseContext } from './respond.ts'

export interface CompletedRequest {
  request: IncomingMessage
  /** As sent, but for what is a secret in it. */
  path: string
  responseContext: ResponseContext
  caller: AuthenticatedCaller | undefined
  startedAt: number
  status: number
  operation: Pick<Operation, 'id' | 'showsSecret' | 'isUnversioned'> | undefined
}

export const recordRequest = (context: Context, call: CompletedRequest): void => {
  const { request, path, responseContext, caller, startedAt, status, operation } = call
  const { log, metrics } = context
  const method = request.method ?? ''
  const durationMs = performance.now() - startedAt
  metrics.count('docex_requests_total', `operation="${operation?.id ?? 'none'}",status="${status}"`)
  if (log.logsStatus(status)) {
    log.request({
      request_id: encodeId('req', responseContext.requestId),
      method,
      path,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      ...(caller === undefined ? {} : { key: caller.credential.prefix ?? 'session' }),
    })
  }
  if (caller === undefined || operation?.isUnversioned === true) return
  const { id: organization_id } = caller.organization
  context.logRequest(organization_id, () => ({
    organization_id,
    id: responseContext.requestId,
    method,
    path: redactSecrets(path).slice(0, limits.requestPathMaxLength),
    status,
    key_id: caller.credential.kind === 'key' ? caller.credential.id : null,
    duration_ms: Math.round(durationMs),
    idempotency_key: loggedIdempotencyKey(request, operation),
  }))
}

/** Of writes that could be one; that of an answer with a secret opens it, and is kept nowhere. */
const loggedIdempotencyKey = (
  { method, headers }: IncomingMessage,
  operation: CompletedRequest['operation'],
): string | null => {
  const key = headers['idempotency-key']
  if (method === 'GET' || operation?.showsSecret === true || typeof key !== 'string') return null
  return key.length <= limits.idempotencyKeyMaxLength ? redactSecrets(key) : null
}
