/** Parses the query string by the operation's schema: comma lists and whole numbers. */
import type { TSchema } from 'typebox'
import type { Problem } from '../../contract/problem.ts'

type Property = { type?: string; items?: Property }

export const parseQuery = (
  search: string,
  schema: TSchema | undefined,
): { values: Record<string, unknown>; problems: Problem[] } => {
  if (search === '') return { values: {}, problems: [] }
  const properties = ((schema as { properties?: Record<string, Property> } | undefined)
    ?.properties ?? {}) as Record<string, Property>
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const problems: Problem[] = []
  for (const [name, text] of new URLSearchParams(search)) {
    if (text.includes('\0')) problems.push(withNul(name))
    const list = values[name]
    if (Array.isArray(list)) {
      // `status=a&status=b` is `status=a,b`, as clients send that are generated from OpenAPI.
      values[name] = sortedSet([...list, ...(parseValue(text, properties[name]) as unknown[])])
    } else if (name in values) {
      problems.push({
        param: name,
        code: 'invalid_value',
        message: 'This parameter is given twice.',
        fix: 'send it once',
      })
    } else
      values[name] = parseValue(
        text,
        Object.hasOwn(properties, name) ? properties[name] : undefined,
      )
  }
  return { values, problems }
}

/** PostgreSQL, which filters are handed to, has no such text. */
const withNul = (param: string): Problem => ({
  param,
  code: 'invalid_value',
  message: 'The text contains the control character U+0000.',
  fix: 'leave it out',
})

/** Only the canonical form: 01, 1e3 and -0 remain texts. */
const wholeNumber = /^(0|-?[1-9]\d{0,14})$/

const parseValue = (text: string, property: Property | undefined): unknown => {
  if (property?.type === 'array')
    return sortedSet(text.split(',')).map((one) => parseValue(one, property.items))
  if (property?.type === 'integer' && wholeNumber.test(text)) return Number(text)
  return text
}

/** Sorted and without duplicates, because a cursor is bound to its filters. */
const sortedSet = <T>(values: readonly T[]): T[] => [...new Set(values)].toSorted()
