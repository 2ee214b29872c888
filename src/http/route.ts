/** An operation with its validators, compiled once at the start. */
import type { Problem } from '../contract/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { type Validator, compileBody, compileQuery } from './validation/schema-validation.ts'

export interface Route {
  operation: Operation
  /** Undefined when the operation takes no JSON body. */
  validateBody: Validator | undefined
  validateQuery: Validator
  /** The problems of a request without a query string. */
  emptyQueryProblems: readonly Problem[]
}

/** The paths that a declared path stands for. */
export const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

const noParameters = { type: 'object', additionalProperties: false, properties: {} }

export const routeOf = (operation: Operation): Route => {
  const { body, query, response, takesFile, unknownFieldHints } = operation
  const takesJson = body !== undefined && takesFile !== true
  const validateQuery = compileQuery(query ?? noParameters)
  return {
    operation,
    validateBody: takesJson ? compileBody(body, response, unknownFieldHints) : undefined,
    validateQuery,
    emptyQueryProblems: validateQuery({}).listed,
  }
}
