/**
 * One problem with the input, as it appears in `details.errors` (contract 2). Core reports all
 * problems of an input at once; the caller wraps them in `invalid_request`.
 */

/**
 * `param` is a JSON pointer, a query name or a header name, and empty for the body as a whole.
 * `message` follows `param` in the message of the refusal, so it does not repeat its name; only
 * that of the body as a whole names its subject. `fix` says what to send instead.
 */
export interface Problem {
  param: string
  code: ProblemCode
  message: string
  fix?: string
}

/** The closed list of contract 2. */
export const problemCodes = [
  'required',
  'unknown_field',
  'read_only',
  'wrong_type',
  'invalid_value',
  'out_of_range',
  'too_precise',
  'too_long',
  'missing_header',
  'invalid_cursor',
  'tax_is_per_line',
] as const

export type ProblemCode = (typeof problemCodes)[number]
