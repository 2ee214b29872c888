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
  const copy: unknown = structuredClone(body)
  for (const param of params) {
    const path = param.split('/').slice(1)
    const last = path.pop()!
    const around = path.reduce<unknown>(
      (node, part) => (node as JsonObject | undefined)?.[part],
      copy,
    )
    if (Array.isArray(around)) around[Number(last)] = {}
    else if (typeof around === 'object' && around !== null) delete (around as JsonObject)[last]
  }
  return copy
}

type JsonObject = Record<string, unknown>
