/** An operation with its checks compiled, and what they find in a call. */
import type { IncomingMessage } from 'node:http'
import type { Problem } from '../contract/problem.ts'
import { dateAt } from '../core/calendar.ts'
import { isEtagList } from '../core/etag.ts'
import type { Operation } from '../operations/operation.ts'
import type { AuthenticatedCaller } from './admission/authenticate.ts'
import { semanticProblems } from './validation/semantic-validation.ts'
import { parseQuery } from './parsing/query.ts'
import { type Validator, compileBody, compileQuery } from './validation/schema-validation.ts'

/** An operation with its checks compiled; undefined when the path or the method is unknown. */
export interface Route {
  operation: Operation
  validateBody: Validator | undefined
  validateQuery: Validator
  /** What is wrong with no query at all. */
  emptyQueryProblems: readonly Problem[]
}

const noQuery = { type: 'object', additionalProperties: false, properties: {} }

export const routeOf = (operation: Operation): Route => {
  const validateQuery = compileQuery(operation.query ?? noQuery)
  return {
    operation,
    validateBody:
      operation.body === undefined || operation.takesFile === true
        ? undefined
        : compileBody(operation.body, operation.response),
    validateQuery,
    emptyQueryProblems: validateQuery({}),
  }
}

const malformedIfMatch: Problem = {
  param: 'If-Match',
  code: 'invalid_value',
  message: 'If-Match takes ETags in their quotes, like "1".',
  fix: 'send the ETag as it was answered, with its quotes, or leave If-Match out',
}

export const problemsOf = (
  { operation, validateBody, validateQuery, emptyQueryProblems }: Route,
  { search, body, caller, request }: RequestParts,
): { problems: readonly Problem[]; query: Record<string, unknown> } => {
  const ifMatch = request.headers['if-match']
  if (search === '' && body === undefined && ifMatch === undefined) {
    return { problems: emptyQueryProblems, query: {} }
  }
  const { values, problems } = parseQuery(search, operation.query)
  const ofBody = validateBody?.(body) ?? []
  const all = [
    ...(ifMatch === undefined || isEtagList(ifMatch) ? [] : [malformedIfMatch]),
    ...problems,
    ...(search === '' ? emptyQueryProblems : problems.length > 0 ? [] : validateQuery(values)),
    ...ofBody,
  ]
  if (all.length > 0 && operation.problems !== undefined) {
    const today = dateAt(Date.now(), caller?.organization.clockOffsetSeconds ?? 0n)
    all.push(...semanticProblems(operation.problems, body, ofBody, today))
  }
  return { problems: all, query: values }
}

interface RequestParts {
  search: string
  body: unknown
  caller: AuthenticatedCaller | undefined
  request: IncomingMessage
}
