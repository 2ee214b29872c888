/** What is noted of every answered call: a count, a line in the log, an entry for its caller. */
import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { maskSecrets } from '../core/identity/credentials.ts'
import { encodeId } from '../core/ids.ts'
import type { Operation } from '../operations/operation.ts'
import type { Caller } from './admission/authenticate.ts'
import type { Sending } from './respond.ts'

export interface Finished {
  request: IncomingMessage
  /** As sent, but for what is a secret in it. */
  path: string
  sending: Sending
  caller: Caller | undefined
  startedAt: number
  status: number
  operation: Pick<Operation, 'id' | 'showsSecret' | 'outside'> | undefined
}

export const finish = (context: Context, call: Finished): void => {
  const { request, path, sending, caller, startedAt, status, operation } = call
  const { log, metrics } = context
  const method = request.method ?? ''
  const durationMs = performance.now() - startedAt
  metrics.count('docex_requests_total', `operation="${operation?.id ?? 'none'}",status="${status}"`)
  if (log.takesCall(status)) {
    log.call({
      request_id: encodeId('req', sending.requestId),
      method,
      path,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      ...(caller === undefined ? {} : { key: caller.credential.prefix ?? 'session' }),
    })
  }
  if (caller === undefined || operation?.outside === true) return
  const { id: organization_id } = caller.organization
  context.requestAnswered(organization_id, () => ({
    organization_id,
    id: sending.requestId,
    method,
    path: maskSecrets(path).slice(0, limits.requestPathMaxLength),
    status,
    key_id: caller.credential.kind === 'key' ? caller.credential.id : null,
    duration_ms: Math.round(durationMs),
    idempotency_key: idempotencyKeyOf(request, operation),
  }))
}

/** Of writes that could be one; that of an answer with a secret opens it, and is kept nowhere. */
const idempotencyKeyOf = (
  { method, headers }: IncomingMessage,
  operation: Finished['operation'],
): string | null => {
  const key = headers['idempotency-key']
  if (method === 'GET' || operation?.showsSecret === true || typeof key !== 'string') return null
  return key.length <= limits.idempotencyKeyMaxLength ? maskSecrets(key) : null
}
