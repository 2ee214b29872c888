/** Describes what is wrong with a value, by the violated keyword of its schema. */
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { documentTypes } from '../../contract/document-types.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { visiblePattern } from '../../contract/shapes/field-types.ts'
import { type UnknownFieldHints, fieldsCalled } from '../../contract/unknown-field-hints.ts'
import { shortenedText } from '../../core/shortened-text.ts'
import { suggestedValues, fixFor, describeSchema } from './schema-hints.ts'

/** The words of messages about a part of the request, and what is known besides its schema. */
export interface ValidationTarget {
  noun: 'field' | 'parameter'
  /** The `param` of a problem at this JSON pointer. */
  name(pointer: string): string
  /** The schema of the response, if the service sets the fields that the body does not have. */
  record: TSchema | undefined
  /** The fields of each row, if the response is a list. */
  rowFields: readonly string[]
  hints: UnknownFieldHints
}

/** The name that was probably meant. */
export type Suggest = (word: string, names: readonly string[]) => string | undefined

type Violation = Omit<Problem, 'param'>

export interface Place {
  path: readonly string[]
  target: ValidationTarget
  suggest: Suggest
}

type ViolationOf = (error: ErrorObject, place: Place) => Violation

const outOfRange: ViolationOf = ({ params }) => {
  const bound = `${String(params['comparison'])} ${String(params['limit'])}`
  return { code: 'out_of_range', message: `Must be ${bound}.`, fix: `send a value ${bound}` }
}

const wrongCount: ViolationOf = ({ keyword, params }) => {
  const bound = `${keyword === 'minItems' ? 'at least' : 'at most'} ${String(params['limit'])}`
  const [one, many] = keyword === 'maxProperties' ? ['key', 'keys'] : ['entry', 'entries']
  const what = params['limit'] === 1 ? one : many
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

const tooShort: ViolationOf = ({ schema, parentSchema }) => ({
  code: 'invalid_value',
  message: `Must be at least ${String(schema)} characters long.`,
  fix: fixFor(parentSchema),
})

const visibleText = new RegExp(visiblePattern, 'u')

export const violations: Readonly<Record<string, ViolationOf>> = {
  required: ({ params, parentSchema }, { target: { noun } }) => {
    const field = String(params['missingProperty'])
    const fix = fixFor(parentSchema?.properties?.[field])
    return { code: 'required', message: `This ${noun} is required.`, fix }
  },
  additionalProperties: unknownField,
  type: ({ params, parentSchema }, { path }) => {
    const subject = path.length === 0 ? 'The body must' : 'Must'
    const message = `${subject} be ${withArticle(String(params['type']))}.`
    return { code: 'wrong_type', message, fix: fixFor(parentSchema) }
  },
  enum: ({ data, parentSchema }, { suggest }) => ({
    code: 'invalid_value',
    message: `${quoted(data)} is not known.`,
    fix: enumFix(data, parentSchema as EnumSchema, suggest),
  }),
  format: invalidValue,
  pattern: (error, place) =>
    error.parentSchema?.pattern === visiblePattern
      ? blank(error, place)
      : invalidValue(error, place),
  maxLength: ({ schema }) => ({
    code: 'too_long',
    message: `Must be at most ${String(schema)} characters long.`,
    fix: `send at most ${String(schema)} characters`,
  }),
  minLength: (error, place) => (error.schema === 1 ? blank(error, place) : tooShort(error, place)),
  minimum: outOfRange,
  maximum: outOfRange,
  minItems: wrongCount,
  maxItems: wrongCount,
  maxProperties: wrongCount,
  propertyNames: ({ params }) => {
    const field = String(params['propertyName'])
    const max = limits.openMapKeyMaxLength
    const fix = `use keys of 1 to ${max} characters on one line, not blanks alone`
    if (!visibleText.test(field)) return { code: 'invalid_value', message: 'A key is blank.', fix }
    return [...field].length > max
      ? { code: 'too_long', message: 'A key is too long.', fix }
      : { code: 'invalid_value', message: 'A key has line breaks or tabs.', fix }
  },
}

function unknownField(
  { params, parentSchema }: ErrorObject,
  { path, target: { noun, record, rowFields, hints }, suggest }: Place,
): Violation {
  const field = String(params['additionalProperty'])
  const fields = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const hint = path.length === 0 && Object.hasOwn(hints, field) ? hints[field] : undefined
  if (hint !== undefined) return hint
  const meant = fieldsCalled(field, fields)
  if (fieldsAt(record, path).includes(field)) {
    const fix = meant === undefined ? `leave ${field} out` : `send ${meant} instead`
    return { code: 'read_only', message: `The service sets this ${noun}.`, fix }
  }
  const near = meant ?? suggest(field, fields)
  const suggestion = near === undefined ? '' : ` Did you mean ${near}?`
  const known = fields.length === 0 ? `no ${noun}s` : fields.join(', ')
  if (near === undefined && rowFields.includes(field)) {
    const message = `This is a field of each row, and no ${noun}.`
    return { code: 'unknown_field', message, fix: `read it in the rows, or use ${known}` }
  }
  return {
    code: 'unknown_field',
    message: `There is no such ${noun} here.${suggestion}`,
    fix: near === undefined ? `use ${known}` : `send ${near}`,
  }
}

/** The fields of a schema at this path. */
export const fieldsAt = (schema: TSchema | undefined, path: readonly string[]): string[] => {
  type Node = { properties?: Record<string, Node>; items?: Node }
  let node = schema as Node | undefined
  for (const part of path) node = /^\d+$/.test(part) ? node?.items : node?.properties?.[part]
  return Object.keys(node?.properties ?? {})
}

const withArticle = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const quotedMaxLength = 60

const quoted = (value: unknown): string => {
  const short = typeof value === 'string' ? shortenedText(value, quotedMaxLength) : value
  const text = JSON.stringify(short) ?? 'This'
  return text.length > quotedMaxLength ? `${text.slice(0, quotedMaxLength - 3)}…` : text
}

interface EnumSchema {
  enum: string[]
  description?: string
}

const enumFix = (value: unknown, schema: EnumSchema, suggest: Suggest): string => {
  const { description } = schema
  const values = suggestedValues(schema)
  const near =
    typeof value === 'string'
      ? (suggest(value, values) ?? matchByLabel(value, values) ?? matchByWord(value, values))
      : undefined
  const all = values.length === 1 ? values[0]! : `one of ${values.join(', ')}`
  if (near === all) return `send ${all}`
  if (near !== undefined) return `did you mean ${near}? ${all}`
  return `send ${all}.${description === undefined ? '' : ` ${description}`}`
}

/** The document type that one side calls so: a bill is an invoice to its issuer. */
const matchByLabel = (value: string, values: readonly string[]): string | undefined => {
  if (value.length > limits.echoedNameMaxLength) return undefined
  const label = value.toLowerCase().replaceAll(/[_-]/g, ' ')
  const [type] = Object.entries(documentTypes).find(([, { issuer, counterparty }]) =>
    [issuer, counterparty].some((side) => side.label.toLowerCase() === label),
  ) ?? ['']
  return values.includes(type) ? type : undefined
}

/** The only value that contains this word, or that is one word with this beginning. */
const matchByWord = (value: string, values: readonly string[]): string | undefined => {
  if (value.length > limits.echoedNameMaxLength) return undefined
  const word = value.toLowerCase()
  const [one, ...others] = values.filter(
    (name) =>
      name.split('_').includes(word) ||
      (word.length > 2 && /^[a-z]+$/.test(name) && name.startsWith(word)),
  )
  return others.length === 0 ? one : undefined
}
