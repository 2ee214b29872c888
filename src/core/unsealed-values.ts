/**
 * Values of columns that no seal covers (database/unsealed-columns.ts). Whoever writes to the
 * database may have put anything there; what does not have the form of its field is left out.
 */

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** PostgreSQL also has infinity, and years of more than four digits. */
export const timeOrNull = (value: string | null): string | null =>
  value !== null && timeForm.test(value) ? value : null

/** Zero for what is no time. */
export const timeOrZeroMs = (value: string): number => Date.parse(value) || 0

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The uuids of a JSON array. */
export const uuidsIn = (json: string | null): string[] => {
  const values = valueIn(json)
  return Array.isArray(values) ? values.filter((one) => isText(one) && uuidForm.test(one)) : []
}

/** The texts of a JSON object by their names. */
export const textsIn = (json: string | null): Record<string, string> | null => {
  const object = valueIn(json)
  return isObject(object) && Object.values(object).every(isText)
    ? (object as Record<string, string>)
    : null
}

/** The whole numbers of a JSON object that have one of these names; the others are null. */
export const integersIn = <N extends string>(
  json: string | null,
  names: readonly N[],
): Record<N, number | null> | null => {
  const object = valueIn(json)
  if (!isObject(object)) return null
  const entries = names.map((name) => [name, integerOrNull(object[name])] as const)
  return Object.fromEntries(entries) as Record<N, number | null>
}

/** Undefined if it is not JSON. */
export const valueIn = (json: string | null): unknown => {
  if (json === null) return undefined
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether all of these are texts. */
export const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => isText(value[name]))

const isText = (value: unknown): value is string => typeof value === 'string'

const integerOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null
