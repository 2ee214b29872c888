/**
 * The service log: one JSON line per event, written by pino. Bodies, headers and secrets are never
 * passed to it. A secret that a caller put into a path, or an error into its message, is redacted
 * in every line.
 */
import { type Logger, pino } from 'pino'
import { redactSecrets } from '../core/identity/credentials.ts'

export type { Logger }

export const openLogger = (write: (line: string) => void): Logger =>
  pino(
    {
      base: null,
      messageKey: 'event',
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      serializers: { error: describeError },
    },
    { write: (line) => write(redactSecrets(line)) },
  )

const describeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack } = error
  const cause = error.cause === undefined ? undefined : describeError(error.cause)
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack: stack?.split('\n').slice(1, 6).join('\n'), cause }
}
