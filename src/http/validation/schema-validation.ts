/**
 * Validates parts of a request against their compiled schemas, and reports all problems at once,
 * each with a pointer and what to send instead (contract 2).
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { limits } from '../../contract/limits.ts'
import type { Problem, ProblemCode } from '../../contract/problem.ts'
import type { UnknownFieldHints } from '../../contract/unknown-field-hints.ts'
import { visiblePattern } from '../../contract/shapes/field-types.ts'
import { isDate } from '../../core/dates.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import { suggestedValues, fixFor, describeSchema } from './schema-hints.ts'

const timestampPattern =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

const isTimestamp = (text: string): boolean =>
  timestampPattern.test(text) && isDate(text.slice(0, 10))

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  verbose: true,
  formats: {
    date: isDate,
    'date-time': isTimestamp,
    'date-or-time': (text: string) => isDate(text) || isTimestamp(text),
  },
})

/** Returns the problems of a value. */
export type Validator = (value: unknown) => Problem[]

/** The words of messages about a part of the request, and what is known besides its schema. */
interface ValidationTarget {
  noun: 'field' | 'parameter'
  name(path: readonly string[]): string
  /** The schema of the response, if the service sets the fields that the body does not have. */
  record: TSchema | undefined
  hints: UnknownFieldHints
}

/**
 * When every field of the body is also a field of the response, the other fields of the response
 * are set by the service: sending one is refused as read-only.
 */
export const compileBody = (
  schema: TSchema,
  response: TSchema,
  hints: UnknownFieldHints = {},
): Validator =>
  compile(schema, {
    noun: 'field',
    name: (path) => `/${path.join('/')}`,
    record: hasOnlyFieldsOf(schema, response) ? response : undefined,
    hints,
  })

const hasOnlyFieldsOf = (body: TSchema, response: TSchema): boolean => {
  const fields = fieldsAt(body, [])
  const known = fieldsAt(response, [])
  return fields.length > 0 && fields.every((field) => known.includes(field))
}

export const compileQuery = (schema: TSchema): Validator =>
  compile(schema, {
    noun: 'parameter',
    name: ([first = '']) => first,
    record: undefined,
    hints: {},
  })

const compile = (schema: TSchema, place: ValidationTarget): Validator => {
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? [] : explain(validate, place))
}

const explain = (validate: ValidateFunction, place: ValidationTarget): Problem[] => {
  const problems = new Map<string, Problem>()
  for (const error of validate.errors ?? []) {
    const problem = explainOne(error, place)
    // The first error about a field is the useful one; those of a union's alternatives follow it.
    if (problem !== undefined && !problems.has(problem.param)) problems.set(problem.param, problem)
  }
  return [...problems.values()]
}

const pathOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const escapePointer = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1')

const explainOne = (error: ErrorObject, place: ValidationTarget): Problem | undefined => {
  const { keyword, params } = error
  // The error of the union's other schema says more.
  if (keyword === 'type' && params['type'] === 'null') return undefined
  // The error of propertyNames itself names the key.
  if (error.propertyName !== undefined && keyword !== 'propertyNames') return undefined
  const complaint = violations[keyword]?.(error, place)
  if (complaint === undefined) return undefined
  const { field, ...finding } = complaint
  const path = pathOf(error.instancePath).map(escapePointer)
  const full = field === undefined ? path : [...path, escapePointer(field)]
  return { param: full.length === 0 ? '' : place.name(full), ...finding }
}

/** A problem of the value at the error's path, or of one of its fields. */
interface Violation {
  field?: string
  code: ProblemCode
  message: string
  fix: string
}

type ViolationOf = (error: ErrorObject, place: ValidationTarget) => Violation

const outOfRange: ViolationOf = ({ params }) => {
  const bound = `${String(params['comparison'])} ${String(params['limit'])}`
  return { code: 'out_of_range', message: `Must be ${bound}.`, fix: `send a value ${bound}` }
}

const wrongCount: ViolationOf = ({ keyword, params }) => {
  const bound = `${keyword === 'minItems' ? 'at least' : 'at most'} ${String(params['limit'])}`
  const what = keyword === 'maxProperties' ? 'keys' : 'entries'
  return { code: 'out_of_range', message: `Must have ${bound} ${what}.`, fix: `send ${bound}` }
}

const invalidValue: ViolationOf = ({ data, parentSchema }) => ({
  code: 'invalid_value',
  message: `${quoted(data)} is not ${describeSchema(parentSchema)}.`,
  fix: fixFor(parentSchema),
})

const blank: ViolationOf = ({ data, parentSchema }) => ({
  code: 'invalid_value',
  message: data === '' ? 'Must not be empty.' : 'Must not be blank.',
  fix: fixFor(parentSchema),
})

const visibleText = new RegExp(visiblePattern, 'u')

/** By the violated keyword of the schema. */
const violations: Readonly<Record<string, ViolationOf>> = {
  required: ({ params, parentSchema }) => {
    const field = String(params['missingProperty'])
    const fix = fixFor(parentSchema?.properties?.[field])
    return { field, code: 'required', message: `${field} is required.`, fix }
  },
  additionalProperties: unknownField,
  type: ({ params, parentSchema }) => ({
    code: 'wrong_type',
    message: `Must be ${withArticle(String(params['type']))}.`,
    fix: fixFor(parentSchema),
  }),
  enum: ({ data, parentSchema }) => ({
    code: 'invalid_value',
    message: `${quoted(data)} is not known.`,
    fix: enumFix(data, parentSchema as EnumSchema),
  }),
  format: invalidValue,
  pattern: (error, place) =>
    error.parentSchema?.pattern === visiblePattern
      ? blank(error, place)
      : invalidValue(error, place),
  maxLength: ({ params }) => ({
    code: 'too_long',
    message: `Longer than ${String(params['limit'])} characters.`,
    fix: `send at most ${String(params['limit'])} characters`,
  }),
  minLength: blank,
  minimum: outOfRange,
  maximum: outOfRange,
  minItems: wrongCount,
  maxItems: wrongCount,
  maxProperties: wrongCount,
  propertyNames: ({ params }) => {
    const field = String(params['propertyName'])
    const fix = `use keys of 1 to ${limits.openMapKeyMaxLength} characters, not blanks alone`
    return visibleText.test(field)
      ? { field, code: 'too_long', message: 'A key is too long.', fix }
      : { field, code: 'invalid_value', message: 'A key is blank.', fix }
  },
}

function unknownField(
  { instancePath, params, parentSchema }: ErrorObject,
  { noun, record, hints }: ValidationTarget,
): Violation {
  const field = String(params['additionalProperty'])
  const path = pathOf(instancePath)
  const fields = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const hint = path.length === 0 && Object.hasOwn(hints, field) ? hints[field] : undefined
  if (hint !== undefined) return { field, ...hint }
  if (fieldsAt(record, path).includes(field)) {
    const message = `${field} is set by the service.`
    return { field, code: 'read_only', message, fix: `leave ${field} out` }
  }
  const near = closestMatch(field, fields)
  const suggestion = near === undefined ? '' : ` Did you mean ${near}?`
  const known = fields.length === 0 ? `no ${noun}s` : fields.join(', ')
  return {
    field,
    code: 'unknown_field',
    message: `${field} is not a ${noun} here.${suggestion}`,
    fix: near === undefined ? `use ${known}` : `send ${near}`,
  }
}

/** The fields of a schema at this path. */
const fieldsAt = (schema: TSchema | undefined, path: readonly string[]): string[] => {
  type Node = { properties?: Record<string, Node>; items?: Node }
  let node = schema as Node | undefined
  for (const part of path) node = /^\d+$/.test(part) ? node?.items : node?.properties?.[part]
  return Object.keys(node?.properties ?? {})
}

const withArticle = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'This'
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

interface EnumSchema {
  enum: string[]
  description?: string
}

const enumFix = (value: unknown, schema: EnumSchema): string => {
  const { description } = schema
  const values = suggestedValues(schema)
  const near =
    typeof value === 'string'
      ? (closestMatch(value, values) ?? matchByWord(value, values))
      : undefined
  const all = `one of ${values.join(', ')}`
  if (near !== undefined) return `did you mean ${near}? ${all}`
  return `send ${all}.${description === undefined ? '' : ` ${description}`}`
}

/** The only value that contains this word, or that is one word with this beginning. */
const matchByWord = (value: string, values: readonly string[]): string | undefined => {
  const word = value.toLowerCase()
  const [one, ...others] = values.filter(
    (name) =>
      name.split('_').includes(word) ||
      (word.length > 2 && /^[a-z]+$/.test(name) && name.startsWith(word)),
  )
  return others.length === 0 ? one : undefined
}
