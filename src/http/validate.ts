/**
 * The third stage: does the content fit the declaration? Problems are collected, not thrown: a
 * stored response of the same Idempotency-Key takes precedence over them.
 */
import { type Refusal, invalidRequest } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { dateAt } from '../core/dates.ts'
import { ifMatchProblem } from '../core/header-problems.ts'
import type { AnyInput } from '../operations/operation.ts'
import { checkRequirements, isDryRun } from './admission/request-checks.ts'
import type { ParsedRequest } from './parse.ts'
import { type FoundProblems, nothingFound } from './validation/schema-validation.ts'
import { semanticProblems } from './validation/semantic-validation.ts'

export interface ValidatedRequest {
  parsed: ParsedRequest
  input: AnyInput
  /** All problems at once, thrown unless a stored response takes precedence. */
  refusal: Refusal | undefined
  /** What is wrong with the body itself although its schema takes it. */
  furtherProblems: () => readonly Problem[]
  /** The schema refuses the body, so no request with it ever succeeded. */
  isBodyInvalid: boolean
  dryRun: boolean
}

export const validate = (parsed: ParsedRequest): ValidatedRequest => {
  const { route, caller, exchange, upload, body, query } = parsed
  const { operation } = route
  if (caller !== undefined) {
    checkRequirements(operation, { body, query: query.values }, caller, exchange)
  }
  const ofBody = body === undefined ? nothingFound : (route.validateBody?.(body) ?? nothingFound)
  const { listed, unlisted } = problemsOf(parsed, ofBody)
  const problems = upload === undefined ? listed : [...upload.problems, ...listed]
  const input = { params: exchange.params, query: query.values, body: body ?? {} }
  return {
    parsed,
    input: input as unknown as AnyInput,
    refusal: problems.length > 0 ? invalidRequest(problems, unlisted) : undefined,
    furtherProblems: () => furtherProblems(parsed),
    isBodyInvalid: ofBody.listed.length > 0,
    dryRun: isDryRun(operation, exchange.request),
  }
}

const problemsOf = (parsed: ParsedRequest, ofBody: FoundProblems): FoundProblems => {
  const { exchange, body, query } = parsed
  const ifMatch = exchange.request.headers['if-match']
  const ofQuery = problemsOfQuery(parsed)
  if (exchange.search === '' && body === undefined && ifMatch === undefined) return ofQuery
  const ofIfMatch = ifMatch === undefined ? undefined : ifMatchProblem(ifMatch, 'If-Match')
  const listed = [
    ...(ofIfMatch === undefined ? [] : [ofIfMatch]),
    ...query.problems,
    ...ofQuery.listed,
    ...ofBody.listed,
  ]
  // What no schema can say is asked only when all that the schema says fits into the refusal.
  if (listed.length > 0 && ofBody.unlisted === 0)
    listed.push(...furtherProblems(parsed, ofBody.listed))
  return { listed, unlisted: ofQuery.unlisted + ofBody.unlisted }
}

const problemsOfQuery = ({ route, exchange, query }: ParsedRequest): FoundProblems => {
  if (exchange.search === '') return { listed: route.emptyQueryProblems, unlisted: 0 }
  // What was not parsed has no values to check.
  return query.problems.length > 0 ? nothingFound : route.validateQuery(query.values)
}

const furtherProblems = (
  { route, caller, body }: ParsedRequest,
  ofSchema: readonly Problem[] = [],
): readonly Problem[] => {
  const { problems } = route.operation
  if (problems === undefined) return []
  const today = dateAt(Date.now(), caller?.organization.clockOffsetSeconds ?? 0n)
  return semanticProblems(problems, body, ofSchema, today)
}
