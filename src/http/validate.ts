/**
 * The third stage: does the content fit the declaration? Problems are collected, not thrown: a
 * stored response of the same Idempotency-Key takes precedence over them.
 */
import type { Problem } from '../contract/problem.ts'
import { dateAt } from '../core/dates.ts'
import { isEtagList } from '../core/etag.ts'
import type { AnyInput } from '../operations/operation.ts'
import { checkBodyRequirement, isDryRun } from './admission/request-checks.ts'
import type { ParsedRequest } from './parse.ts'
import { semanticProblems } from './validation/semantic-validation.ts'

export interface ValidatedRequest {
  parsed: ParsedRequest
  input: AnyInput
  problems: readonly Problem[]
  dryRun: boolean
}

export const validate = (parsed: ParsedRequest): ValidatedRequest => {
  const { route, caller, exchange, upload, body, query } = parsed
  const { operation } = route
  if (caller !== undefined) checkBodyRequirement(operation, body, caller, exchange)
  const found = problemsOf(parsed)
  const input = { params: exchange.params, query: query.values, body: body ?? {} }
  return {
    parsed,
    input: input as unknown as AnyInput,
    problems: upload === undefined ? found : [...upload.problems, ...found],
    dryRun: isDryRun(operation, exchange.request),
  }
}

const malformedIfMatch: Problem = {
  param: 'If-Match',
  code: 'invalid_value',
  message: 'If-Match takes ETags in their quotes, like "1".',
  fix: 'send the ETag as it was answered, with its quotes, or leave If-Match out',
}

const problemsOf = ({
  route,
  exchange,
  caller,
  body,
  query,
}: ParsedRequest): readonly Problem[] => {
  const { operation, validateBody, validateQuery, emptyQueryProblems } = route
  const { search, request } = exchange
  const ifMatch = request.headers['if-match']
  if (search === '' && body === undefined && ifMatch === undefined) return emptyQueryProblems
  const ofBody = validateBody?.(body) ?? []
  const problems = [
    ...(ifMatch === undefined || isEtagList(ifMatch) ? [] : [malformedIfMatch]),
    ...query.problems,
    ...(search === ''
      ? emptyQueryProblems
      : query.problems.length > 0
        ? []
        : validateQuery(query.values)),
    ...ofBody,
  ]
  if (problems.length > 0 && operation.problems !== undefined) {
    const today = dateAt(Date.now(), caller?.organization.clockOffsetSeconds ?? 0n)
    problems.push(...semanticProblems(operation.problems, body, ofBody, today))
  }
  return problems
}
