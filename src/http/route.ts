/** An operation with its validators, compiled at its first call: all of them take 0.4 s. */
import type { Problem } from '../contract/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { type FormShape, formOf } from './parsing/form-shape.ts'
import { type Validator, compileBody, compileQuery } from './validation/schema-validation.ts'

export interface Route {
  operation: Operation
  /** Undefined when the operation takes no JSON body. */
  validateBody: Validator | undefined
  /** Undefined when the operation takes no file. */
  form: FormShape | undefined
  validateQuery: Validator
  /** The problems of a request without a query string. */
  emptyQueryProblems: readonly Problem[]
}

/** The paths that a declared path stands for. */
export const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

const noParameters = { type: 'object', additionalProperties: false, properties: {} }

const routes = new WeakMap<Operation, Route>()

/** The same for every call: tool calls use the routes of the server. */
export const routeOf = (operation: Operation): Route => {
  let route = routes.get(operation)
  if (route === undefined) routes.set(operation, (route = compiledRoute(operation)))
  return route
}

const compiledRoute = (operation: Operation): Route => {
  const { body, query, response, takesFile, unknownFieldHints } = operation
  const takesJson = body !== undefined && takesFile === undefined
  const hints = body === undefined ? unknownFieldHints : undefined
  const validateQuery = compileQuery(query ?? noParameters, response, hints)
  return {
    operation,
    validateBody: takesJson ? compileBody({ ...operation, body }) : undefined,
    form: takesFile && formOf(takesFile, body),
    validateQuery,
    emptyQueryProblems: validateQuery({}).listed,
  }
}
