/** What is noted of every answered call: a count, a line in the log. */
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import type { Operation } from '../operations/operation.ts'
import type { Caller } from './authenticate.ts'
import type { Sending } from './reply.ts'

export interface Finished {
  method: string
  /** As sent, but for what is a secret in it. */
  path: string
  sending: Sending
  caller: Caller | undefined
  startedAt: number
  status: number
  operation: Pick<Operation, 'id'> | undefined
}

export const finish = ({ log, metrics }: Context, call: Finished): void => {
  const { method, path, sending, caller, startedAt, status, operation } = call
  metrics.count('docex_requests_total', `operation="${operation?.id ?? 'none'}",status="${status}"`)
  if (!log.takesCall(status)) return
  log.call({
    request_id: encodeId('req', sending.requestId),
    method,
    path,
    status,
    duration_ms: Math.round((performance.now() - startedAt) * 100) / 100,
    ...(caller === undefined ? {} : { key: caller.credential.prefix ?? 'session' }),
  })
}
