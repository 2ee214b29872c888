/** Turns any error into the refusal that the caller reads; failures of ours are logged. */
import { Refusal, refuse, unavailable } from '../contract/errors.ts'
import { encodeId } from '../core/ids.ts'
import { RequestAbandoned } from '../database/fair-queue.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import { databaseError } from '../database/sql.ts'
import { isTransient, outageEvent, unavailableRefusal } from '../engine/database-failures.ts'
import { FilesUnavailable } from '../files/file-store.ts'
import { LogFolderUnavailable } from '../notary/log-folder.ts'
import type { Exchange } from './exchange.ts'

export const asRefusal = async (error: unknown, exchange: Exchange): Promise<Refusal> => {
  if (!(error instanceof BrokenSeal)) return failureOf(error, exchange)
  try {
    return await exchange.pipeline.context.refuseBrokenSeal(error)
  } catch (unraised) {
    // The next request that finds the row raises the alarm again.
    return failureOf(unraised, exchange)
  }
}

const failureOf = (error: unknown, { pipeline, requestId }: Exchange): Refusal => {
  if (error instanceof Refusal) return error
  const { log } = pipeline.context
  // Nobody reads this response.
  if (error instanceof RequestAbandoned) return unavailableRefusal(error)
  const fields = { request_id: encodeId('req', requestId) }
  if (isTransient(error)) {
    const sqlstate = databaseError(error)?.code
    log.error({ error, ...fields, sqlstate }, outageEvent(error))
    return unavailableRefusal(error)
  }
  if (error instanceof FilesUnavailable) {
    log.error({ error, ...fields }, 'files_unavailable')
    return unavailable('The file store is not reachable right now. Send the same request again.')
  }
  if (error instanceof LogFolderUnavailable) {
    log.error({ error, ...fields }, 'log_folder_unavailable')
    return unavailable(
      'The keys of the log are not reachable right now, so nothing can be verified. Send the same request again.',
    )
  }
  log.error({ error, ...fields }, 'internal_error')
  return refuse('internal_error', 'Something failed on our side. Nothing of this request was kept.')
}
