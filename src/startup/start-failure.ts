/** What an operator reads of a start that failed. */
import { isRefusal } from '../contract/errors.ts'
import { MissingServerKey } from '../core/server-keys.ts'
import { isOutage } from '../database/outages.ts'
import { SettingError } from './setting.ts'

export const startFailureText = (error: unknown): string => {
  const reason = reasonOf(error)
  return error instanceof SettingError ? reason : `The service could not start: ${reason}`
}

/** With its causes: alone, a lost connection to PostgreSQL says nothing of the reason. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof MissingServerKey)
    return `${error.message}: see "A new server key, while the service runs" in docs/operating/commands.md`
  // What it tells a caller, to send the request again, is not for an operator.
  if (isRefusal(error, 'service_unavailable'))
    return error.cause instanceof MissingServerKey
      ? reasonOf(error.cause)
      : 'PostgreSQL did not do what the start needs: see database_unavailable above for the reason, and start again.'
  return isOutage(error) && error.cause !== undefined
    ? `${error.message} (${reasonOf(error.cause)})`
    : error.message
}
