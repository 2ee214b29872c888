/**
 * Finds the problems that a schema cannot express. They are also checked in a body that failed its
 * schema, without its invalid fields, so that one response reports all problems.
 */
import type { Problem } from '../../contract/problem.ts'
import type { SemanticContext } from '../../operations/operation.ts'

export const semanticProblems = (
  check: (body: never, further: SemanticContext) => readonly Problem[],
  body: unknown,
  schemaProblems: readonly Problem[],
  today: string,
): Problem[] => {
  const params = new Set(schemaProblems.map(({ param }) => param))
  if (params.has('')) return []
  const isSound = (param: string) =>
    !params.has(param) && !schemaProblems.some((one) => one.param.startsWith(`${param}/`))
  return check(withoutFields(body, params) as never, { today, isSound }).filter(
    ({ param }) => !isReported(param, params),
  )
}

/** The field, or one around it, has a problem already. */
const isReported = (param: string, params: ReadonlySet<string>): boolean =>
  params.has(param) || [...params].some((one) => param.startsWith(`${one}/`))

/** A copy without these fields. An invalid list entry becomes {}: the others keep their index. */
const withoutFields = (body: unknown, params: ReadonlySet<string>): unknown => {
  const ours = new Set<object>()
  let copy = body
  for (const param of params) copy = without(copy, param.split('/').slice(1), ours)
  return copy
}

/** Copies only what is around the place, once: a body may be large, and its problems are few. */
const without = (node: unknown, [part, ...rest]: readonly string[], ours: Set<object>): unknown => {
  if (typeof node !== 'object' || node === null || part === undefined) return node
  const copy = ours.has(node) ? node : Array.isArray(node) ? [...(node as unknown[])] : { ...node }
  ours.add(copy)
  const fields = copy as JsonObject
  if (!(part in fields)) return copy
  if (rest.length > 0) fields[part] = without(fields[part], rest, ours)
  else if (Array.isArray(copy)) fields[part] = {}
  else delete fields[part]
  return copy
}

type JsonObject = Record<string, unknown>
