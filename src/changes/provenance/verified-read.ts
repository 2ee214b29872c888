/** Verified reads: tried again while a change of the log may be the cause, then refused. */
import { limits } from '../../contract/limits.ts'
import {
  type AlarmDependencies,
  IntegrityFailure,
  hasNewServerKey,
  raiseIntegrityAlarm,
} from './integrity-failure.ts'

/**
 * Runs a verified read; a failure raises the alarm, puts the document on hold and is refused with
 * integrity_failure. Every `seq` before the failing one was verified.
 */
export const failClosed = async <T>(
  dependencies: AlarmDependencies,
  read: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof IntegrityFailure)) throw error
      // What could not be verified may be written under a server key that is new to this process.
      if (await hasNewServerKey(dependencies)) continue
      if (!error.isTransient || attempt === limits.verifiedReadRetriesMax) {
        throw await raiseIntegrityAlarm(dependencies, error)
      }
      await new Promise((resolve) => setTimeout(resolve, limits.verifiedReadRetryMs))
    }
  }
}
