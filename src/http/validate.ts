/**
 * The schema of a part of the request, compiled once, and its complaints in the contract's words:
 * all problems at once, each with a pointer and what to send instead (contract 2).
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { limits } from '../contract/limits.ts'
import type { Problem, ProblemCode } from '../contract/problem.ts'
import { isDate } from '../core/calendar.ts'
import { nearest } from '../core/suggest.ts'

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

/** Answers what is wrong with a value; an empty list when nothing is. */
export type Check = (value: unknown) => Problem[]

/**
 * Where the body is made of the record's fields, the record's other fields are the service's own:
 * read-only.
 */
export const compileBody = (schema: TSchema, answer: TSchema): Check => {
  const validate = ajv.compile(schema)
  const known = namesItsFields(schema, answer) ? answer : undefined
  return (value) =>
    validate(value) ? [] : explain(validate, (path) => `/${path.join('/')}`, known)
}

const namesItsFields = (body: TSchema, answer: TSchema): boolean => {
  const fields = fieldsAt(body, [])
  const known = fieldsAt(answer, [])
  return fields.length > 0 && fields.every((field) => known.includes(field))
}

export const compileQuery = (schema: TSchema): Check => {
  const validate = ajv.compile(schema)
  return (value) =>
    validate(value) ? [] : explain(validate, (path) => String(path[0] ?? ''), undefined)
}

type Name = (path: string[]) => string

const explain = (validate: ValidateFunction, name: Name, known: TSchema | undefined): Problem[] => {
  const problems = new Map<string, Problem>()
  for (const error of validate.errors ?? []) {
    const problem = explainOne(error, name, known)
    // The first complaint about a place is the one that helps; alternatives of a union follow it.
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

const escaped = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1')

const explainOne = (
  error: ErrorObject,
  name: Name,
  known: TSchema | undefined,
): Problem | undefined => {
  const path = pathOf(error.instancePath).map(escaped)
  const { keyword, params, parentSchema } = error
  // Why a key is refused is said by propertyNames itself, at the key's own place.
  if (error.propertyName !== undefined && keyword !== 'propertyNames') return undefined
  const at = (code: ProblemCode, message: string, fix?: string, field?: string): Problem => {
    const param =
      path.length === 0 && field === undefined
        ? ''
        : name(field === undefined ? path : [...path, escaped(field)])
    return { param, code, message, ...(fix === undefined ? {} : { fix }) }
  }
  switch (keyword) {
    case 'required': {
      const field = String(params['missingProperty'])
      return at(
        'required',
        `${field} is required.`,
        describe(parentSchema?.properties?.[field]),
        field,
      )
    }
    case 'additionalProperties': {
      const field = String(params['additionalProperty'])
      const fields = Object.keys(parentSchema?.properties ?? {})
      return unknownField(field, fields, path, known, at)
    }
    case 'type':
      return at(
        'wrong_type',
        `Must be ${articled(String(params['type']))}.`,
        describe(parentSchema),
      )
    case 'enum': {
      const values = params['allowedValues'] as string[]
      return at('invalid_value', `${shown(error.data)} is not known.`, meant(error.data, values))
    }
    case 'format':
      return at(
        'invalid_value',
        `${shown(error.data)} is not ${formats[String(params['format'])] ?? 'valid'}.`,
        describe(parentSchema),
      )
    case 'pattern':
      return at(
        'invalid_value',
        `${shown(error.data)} has not the form of this field.`,
        describe(parentSchema),
      )
    case 'maxLength':
      return at(
        'too_long',
        `Longer than ${String(params['limit'])} characters.`,
        `send at most ${String(params['limit'])} characters`,
      )
    case 'minLength':
      return at('invalid_value', 'Must not be empty.', describe(parentSchema))
    case 'minimum':
    case 'maximum':
      return at(
        'out_of_range',
        `Must be ${String(params['comparison'])} ${String(params['limit'])}.`,
        `send a value ${String(params['comparison'])} ${String(params['limit'])}`,
      )
    case 'minItems':
    case 'maxItems':
    case 'maxProperties': {
      const most = keyword === 'minItems' ? 'at least' : 'at most'
      const what = keyword === 'maxProperties' ? 'keys' : 'entries'
      return at(
        'out_of_range',
        `Must have ${most} ${String(params['limit'])} ${what}.`,
        `send ${most} ${String(params['limit'])}`,
      )
    }
    case 'propertyNames': {
      const key = String(params['propertyName'])
      const fix = `use keys of 1 to ${limits.openMapKeyMaxLength} characters`
      return key === ''
        ? at('invalid_value', 'A key is empty.', fix, key)
        : at('too_long', 'A key is too long.', fix, key)
    }
    default:
      return undefined
  }
}

const documentTaxFields = new Set(['tax', 'tax_rate', 'tax_amount', 'vat'])

const unknownField = (
  field: string,
  fields: readonly string[],
  path: readonly string[],
  known: TSchema | undefined,
  at: (code: ProblemCode, message: string, fix: string | undefined, field: string) => Problem,
): Problem => {
  if (path.length === 0 && documentTaxFields.has(field) && fields.includes('line_items')) {
    return at(
      'tax_is_per_line',
      "Tax is a matter of each line; the document's tax is the sum of its rate groups.",
      'set line_items[].tax_rate on each line',
      field,
    )
  }
  const owned = fieldsAt(known, path)
  if (owned.includes(field)) {
    return at('read_only', `${field} is set by the service.`, `leave ${field} out`, field)
  }
  const near = nearest(field, fields)
  return at(
    'unknown_field',
    `${field} is not a field here.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    near === undefined
      ? `use ${fields.length === 0 ? 'no fields' : fields.join(', ')}`
      : `send ${near}`,
    field,
  )
}

/**
 * The fields of the answer at the same place: those that are not accepted are the service's own.
 */
const fieldsAt = (schema: TSchema | undefined, path: readonly string[]): string[] => {
  type Node = { properties?: Record<string, Node>; items?: Node }
  let node = schema as Node | undefined
  for (const part of path) node = /^\d+$/.test(part) ? node?.items : node?.properties?.[part]
  return Object.keys(node?.properties ?? {})
}

const formats: Record<string, string> = {
  date: 'a calendar date like 2026-11-21',
  'date-time': 'a timestamp like 2026-11-21T01:40:00.123Z',
  'date-or-time': 'a date, or a timestamp with Z or an offset (+ is written %2B in a URL)',
}

const describe = (schema: unknown): string | undefined => {
  const { description, examples } = (schema ?? {}) as { description?: string; examples?: unknown[] }
  const example = examples?.[0] === undefined ? '' : ` For example ${JSON.stringify(examples[0])}.`
  return description === undefined ? undefined : `${description}${example}`
}

const articled = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'This'
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

const meant = (value: unknown, values: readonly string[]): string => {
  const near = typeof value === 'string' ? nearest(value, values) : undefined
  const all = `one of ${values.join(', ')}`
  return near === undefined ? all : `did you mean ${near}? ${all}`
}
