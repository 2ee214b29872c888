/** An operation with its checks compiled, and what they find in a call. */
import type { IncomingMessage } from 'node:http'
import type { Problem } from '../contract/problem.ts'
import { dayAt } from '../core/calendar.ts'
import { isTagList } from '../core/etag.ts'
import type { Operation } from '../operations/operation.ts'
import type { Caller } from './admission/authenticate.ts'
import { furtherProblems } from './validation/semantic-validation.ts'
import { readQuery } from './parsing/query.ts'
import { type Check, compileBody, compileQuery } from './validation/schema-validation.ts'

/** An operation with its checks compiled; undefined when the path or the method is unknown. */
export interface Route {
  operation: Operation
  checkBody: Check | undefined
  checkQuery: Check
  /** What is wrong with no query at all. */
  withoutQuery: readonly Problem[]
}

const noQuery = { type: 'object', additionalProperties: false, properties: {} }

export const routeOf = (operation: Operation): Route => {
  const checkQuery = compileQuery(operation.query ?? noQuery)
  return {
    operation,
    checkBody:
      operation.body === undefined || operation.takesFile === true
        ? undefined
        : compileBody(operation.body, operation.response),
    checkQuery,
    withoutQuery: checkQuery({}),
  }
}

const noTagList: Problem = {
  param: 'If-Match',
  code: 'invalid_value',
  message: 'If-Match takes ETags in their quotes, like "1".',
  fix: 'send the ETag as it was answered, with its quotes, or leave If-Match out',
}

export const problemsOf = (
  { operation, checkBody, checkQuery, withoutQuery }: Route,
  { search, body, caller, request }: Given,
): { problems: readonly Problem[]; query: Record<string, unknown> } => {
  const ifMatch = request.headers['if-match']
  if (search === '' && body === undefined && ifMatch === undefined) {
    return { problems: withoutQuery, query: {} }
  }
  const { values, problems } = readQuery(search, operation.query)
  const ofBody = checkBody?.(body) ?? []
  const all = [
    ...(ifMatch === undefined || isTagList(ifMatch) ? [] : [noTagList]),
    ...problems,
    ...(search === '' ? withoutQuery : problems.length > 0 ? [] : checkQuery(values)),
    ...ofBody,
  ]
  if (all.length > 0 && operation.problems !== undefined) {
    const today = dayAt(Date.now(), caller?.organization.clockOffsetSeconds ?? 0n)
    all.push(...furtherProblems(operation.problems, body, ofBody, today))
  }
  return { problems: all, query: values }
}

interface Given {
  search: string
  body: unknown
  caller: Caller | undefined
  request: IncomingMessage
}
