/**
 * All problems of a body at once, also when its schema has found some: what no schema can say is
 * asked of the parts that are sound.
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

/** The place itself or one around it is refused already. */
const isReported = (param: string, params: ReadonlySet<string>): boolean =>
  params.has(param) || [...params].some((one) => param.startsWith(`${one}/`))

/** A copy that lacks these places; the entries of a list keep theirs, so it has an empty one. */
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
