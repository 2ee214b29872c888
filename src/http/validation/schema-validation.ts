/**
 * Validates parts of a request against their compiled schemas, and reports all problems at once,
 * each with a pointer and what to send instead (contract 2). The first ones are described and the
 * others counted, so that no body takes long to refuse.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { UnknownFieldHints } from '../../contract/unknown-field-hints.ts'
import { isDate } from '../../core/dates.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import { textKeywords } from './text-keywords.ts'
import { type Suggest, type ValidationTarget, fieldsAt, violations } from './violations.ts'

const timestampPattern =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

/** An offset can move a moment out of the years that the database and ISO 8601 share. */
const [firstMoment, lastMoment] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.998Z'].map(
  (moment) => Date.parse(moment),
) as [number, number]

const isTimestamp = (text: string): boolean => {
  if (!timestampPattern.test(text) || !isDate(text.slice(0, 10))) return false
  const moment = Date.parse(text)
  return moment >= firstMoment && moment <= lastMoment
}

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  verbose: true,
  formats: {
    date: isDate,
    'date-time': isTimestamp,
    'single-line': (text: string) => !/[\t\n\r]/.test(text),
    'date-or-time': (text: string) => isDate(text) || isTimestamp(text),
  },
})
for (const definition of textKeywords) {
  ajv.removeKeyword(definition.keyword)
  ajv.addKeyword(definition)
}

export interface FoundProblems {
  listed: readonly Problem[]
  /** How many more there are. */
  unlisted: number
}

/** Returns the problems of a value. */
export type Validator = (value: unknown) => FoundProblems

/**
 * When the body describes the record of the response, the other fields of that record are set by
 * the service: sending one is refused as read-only. It does when it creates the record, or when
 * every field of it is also a field of the record.
 */
export const compileBody = ({ body, response, status, unknownFieldHints = {} }: Body): Validator =>
  compile(body, {
    noun: 'field',
    name: (pointer) => pointer,
    record: status === 201 || hasOnlyFieldsOf(body, response) ? response : undefined,
    rowFields: [],
    hints: unknownFieldHints,
  })

interface Body {
  body: TSchema
  response: TSchema
  status?: number | undefined
  unknownFieldHints?: UnknownFieldHints | undefined
}

const hasOnlyFieldsOf = (body: TSchema, response: TSchema): boolean => {
  const fields = fieldsAt(body, [])
  const known = fieldsAt(response, [])
  return fields.length > 0 && fields.every((field) => known.includes(field))
}

export const compileQuery = (
  schema: TSchema,
  response: TSchema,
  hints: UnknownFieldHints = {},
): Validator =>
  compile(schema, {
    noun: 'parameter',
    name: (pointer) => pathOf(pointer)[0] ?? '',
    record: undefined,
    rowFields: fieldsAt(response, ['data', '0']),
    hints,
  })

export const nothingFound: FoundProblems = { listed: [], unlisted: 0 }

const compile = (schema: TSchema, target: ValidationTarget): Validator => {
  const validate = ajv.compile(schema)
  const maps = openMapsOf(schema)
  return (value) =>
    validate(withBoundedMaps(value, maps)) ? nothingFound : explain(validate, target)
}

type Fields = Record<string, unknown>

/** The fields that are open maps, with the number of keys that each may have. */
const openMapsOf = (schema: TSchema): [name: string, maxKeys: number][] => {
  const { properties = {} } = schema as { properties?: Record<string, { maxProperties?: number }> }
  return Object.entries(properties).flatMap(([name, { maxProperties }]) =>
    maxProperties === undefined ? [] : [[name, maxProperties]],
  )
}

/** A map with too many keys is refused for that: what is wrong with all of them is not asked. */
const withBoundedMaps = (value: unknown, maps: readonly [string, number][]): unknown => {
  let bounded = value
  for (const [name, maxKeys] of maps) {
    const map = (value as Fields | null)?.[name]
    if (typeof map !== 'object' || map === null || Array.isArray(map)) continue
    const tooMany = firstFields(map as Fields, maxKeys + 1)
    if (tooMany !== undefined) bounded = { ...(bounded as Fields), [name]: tooMany }
  }
  return bounded
}

/** As many fields, in an object of their own; undefined when there are fewer. */
const firstFields = (from: Fields, count: number): Fields | undefined => {
  const fields: [string, unknown][] = []
  for (const name in from) {
    fields.push([name, from[name]])
    if (fields.length === count) return Object.fromEntries(fields)
  }
  return undefined
}

const explain = (validate: ValidateFunction, target: ValidationTarget): FoundProblems => {
  const places = new Set<string>()
  const listed: Problem[] = []
  const suggest = boundedSuggestions()
  let unlisted = 0
  for (const error of validate.errors ?? []) {
    if (!isComplaint(error)) continue
    const isFull = listed.length === limits.problemsListedMax
    if (isFull && isOnlyComplaint(error)) {
      unlisted += 1
      continue
    }
    const param = target.name(placeOf(error))
    // The first error about a field is the useful one; those of a union's alternatives follow it.
    if (places.has(param)) continue
    places.add(param)
    if (isFull) {
      unlisted += 1
      continue
    }
    const { instancePath, keyword } = error
    const place = { path: pathOf(instancePath), target, suggest }
    listed.push({ param, ...violations[keyword]!(error, place) })
  }
  return { listed, unlisted }
}

/** Nothing else is said of a field that is missing or unknown, so its place is not remembered. */
const isOnlyComplaint = ({ keyword }: ErrorObject): boolean =>
  keyword === 'additionalProperties' || keyword === 'required'

/** Finding a similar name takes the most time, so only the first problems have one. */
const boundedSuggestions = (): Suggest => {
  let left: number = limits.suggestionsPerRefusalMax
  return (word, names) => {
    left -= 1
    return left < 0 ? undefined : closestMatch(word, names)
  }
}

const isComplaint = ({ keyword, params, propertyName }: ErrorObject): boolean => {
  // The error of the union's other schema says more.
  if (keyword === 'type' && params['type'] === 'null') return false
  // The error of propertyNames itself names the key.
  if (propertyName !== undefined && keyword !== 'propertyNames') return false
  return Object.hasOwn(violations, keyword)
}

/** The parameter of a keyword that names a field of the place. */
const fieldParameters: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  additionalProperties: 'additionalProperty',
  propertyNames: 'propertyName',
}

/** JSON pointer (RFC 6901) to what is wrong. */
const placeOf = ({ keyword, params, instancePath }: ErrorObject): string => {
  const parameter = fieldParameters[keyword]
  return parameter === undefined
    ? instancePath
    : `${instancePath}/${escapePointer(String(params[parameter]))}`
}

const pathOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const escapePointer = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1')
