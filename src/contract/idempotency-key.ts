/** The form of an Idempotency-Key, as a header and as an argument of a tool. */
import { limits } from './limits.ts'
import type { Problem } from './problem.ts'

const { idempotencyKeyMinLength: least, idempotencyKeyMaxLength: most } = limits

export const idempotencyKeyFix = `send a fresh value of ${least} to ${most} printable characters per request, and the same one to retry it`

export const idempotencyKeyProblem = (key: string, param: string): Problem | undefined => {
  if (key.length >= least && key.length <= most && /^[\x21-\x7e]+$/.test(key)) return undefined
  const message = `Must be ${least} to ${most} printable ASCII characters without spaces.`
  const code = key.length > most ? 'too_long' : 'invalid_value'
  return { param, code, message, fix: idempotencyKeyFix }
}
