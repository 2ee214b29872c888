/**
 * The form of headers that a tool takes as arguments: `param` is the name that the caller has used.
 * That of the Idempotency-Key is in `contract/idempotency-key.ts`.
 */
import type { Problem } from '../contract/problem.ts'
import { isEtagList } from './etag.ts'

const malformed = (param: string, message: string, fix: string): Problem => ({
  param,
  code: 'invalid_value',
  message,
  fix,
})

export const dryRunProblem = (text: string, param: string): Problem | undefined =>
  text === 'true' || text === 'false'
    ? undefined
    : malformed(param, 'Must be true or false.', `send ${param}: true`)

export const ifMatchProblem = (text: string, param: string): Problem | undefined =>
  isEtagList(text)
    ? undefined
    : malformed(
        param,
        'Must be ETags in their quotes, like "1".',
        `send the ETag as it was answered, with its quotes, or leave ${param} out`,
      )

/** An empty one is none. */
export const lastEventIdProblem = (text: string, param: string): Problem | undefined =>
  /^\d{0,18}$/.test(text)
    ? undefined
    : malformed(
        param,
        'This is not the id of an event of this stream.',
        `send the last id that you received, or leave ${param} out`,
      )
