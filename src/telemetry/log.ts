/**
 * One JSON line per event on standard error, one function per kind of event. Nothing here takes a
 * body, a header or a secret: what is not passed cannot leak. Secrets that came where none belong,
 * in a path or in the message of an error, are masked in every line.
 */
import { redactSecrets } from '../core/identity/credentials.ts'

export interface Logger {
  /** Whether a call that ended so is written at all. */
  logsStatus(status: number): boolean
  /** A finished call. */
  request(entry: {
    request_id: string
    method: string
    path: string
    status: number
    duration_ms: number
    key?: string
    code?: string
  }): void
  /** Something that should not have happened, with its cause for the operator. */
  error(what: string, error: unknown, more?: Record<string, unknown>): void
  info(what: string, more?: Record<string, unknown>): void
}

export const jsonLogger = (write: (line: string) => void, options: { calls: boolean }): Logger => {
  const line = (level: string, event: string, fields: object) => {
    const entry = { at: new Date().toISOString(), level, event, ...fields }
    write(`${redactSecrets(JSON.stringify(entry))}\n`)
  }
  return {
    logsStatus: (status) => options.calls || status >= 500,
    request: (entry) => line('info', 'call', entry),
    error: (what, error, more) => line('error', what, { ...more, error: describe(error) }),
    info: (what, more) => line('info', what, more ?? {}),
  }
}

const describe = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack } = error
  const cause = error.cause === undefined ? undefined : describe(error.cause)
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack: stack?.split('\n').slice(1, 6).join('\n'), cause }
}
