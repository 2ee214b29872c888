/**
 * The input schema of a tool: path, query and body of its operation as one flat object. A model
 * reads it with every request, so it is shortened until it fits: the service checks every argument
 * by the full schema anyway, and its refusals name the fix. A shortened schema says less, and never
 * forbids what the service takes: some clients send nothing else.
 */
import { isLive, isWrite, pathParameters, supportsIfMatch } from '../docs/operation-facts.ts'
import { type JsonSchema, inlineSchema } from '../docs/openapi/json-schema.ts'
import { parametersOf } from '../docs/openapi/parameters.ts'
import type { Operation } from '../operations/operation.ts'

/** As a tool shows it: a type that may be null is one of two. */
export interface ToolSchema extends Pick<JsonSchema, 'description' | 'format' | 'enum'> {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, ToolSchema>>
  required?: readonly string[]
  items?: ToolSchema
  anyOf?: readonly ToolSchema[]
}

export interface InputSchema {
  type: 'object'
  properties: Record<string, ToolSchema>
  required: string[]
  additionalProperties: false
}

/** Where an argument goes in the HTTP request of the call. */
export type ArgumentPlace = 'path' | 'query' | 'body' | 'header'

/** Arguments that become headers, and `data_base64`, which becomes the file of a form. */
export const headerOfArgument = {
  idempotency_key: 'idempotency-key',
  dry_run: 'svc-dry-run',
  if_match: 'if-match',
  last_event_id: 'last-event-id',
} as const

interface Argument {
  place: ArgumentPlace
  schema: JsonSchema
  isRequired: boolean
}

const headerArguments = (operation: Operation): Record<string, Argument> => ({
  ...(isWrite(operation)
    ? {
        idempotency_key: {
          place: 'header',
          schema: { type: 'string', description: 'New per intention, same to retry.' },
          isRequired: true,
        },
        dry_run: { place: 'header', schema: { type: 'boolean' }, isRequired: false },
      }
    : {}),
  ...(supportsIfMatch(operation)
    ? {
        if_match: {
          place: 'header',
          schema: { type: 'string', description: 'Only if at this `revision`.' },
          isRequired: false,
        },
      }
    : {}),
  ...(isLive(operation)
    ? {
        last_event_id: {
          place: 'header',
          schema: { type: 'string', description: 'The last `id` of an earlier call.' },
          isRequired: false,
        },
      }
    : {}),
})

const fileDescriptions = {
  filename: 'Like order.pdf.',
  content_type: 'Its media type, like application/pdf.',
  data_base64: 'Its bytes in base64.',
}

const fileArguments: Record<string, Argument> = Object.fromEntries(
  Object.entries(fileDescriptions).map(([name, description]) => [
    name,
    { place: 'body', schema: { type: 'string', description }, isRequired: true },
  ]),
)

/** Every argument of the tool; a name that means two things would be our own mistake. */
export const argumentsOf = (operation: Operation): Record<string, Argument> => {
  const all: Record<string, Argument> = {}
  const add = (name: string, argument: Argument) => {
    if (name in all) throw new Error(`${operation.id}: the argument ${name} has two meanings`)
    all[name] = argument
  }
  for (const name of pathParameters(operation)) {
    add(name, { place: 'path', schema: pathSchema(operation, name), isRequired: true })
  }
  const { takesFile } = operation
  for (const place of ['query', 'body'] as const) {
    const { properties = {}, required = [] } = inlineSchema(operation[place], noNames)
    for (const [name, schema] of Object.entries(properties)) {
      if (takesFile !== undefined && place === 'body' && name === 'file') continue
      const shown = place === 'query' ? querySchema(operation, name, schema) : schema
      add(name, { place, schema: shown, isRequired: required.includes(name) })
    }
  }
  if (takesFile !== undefined)
    for (const [name, argument] of Object.entries(fileArguments)) add(name, argument)
  for (const [name, argument] of Object.entries(headerArguments(operation))) add(name, argument)
  return all
}

const noNames = new Map<unknown, string>()

const pathSchema = (operation: Operation, name: string): JsonSchema => {
  const parameter = parametersOf(operation).find((one) => one.name === name && one.in === 'path')!
  const prefix = /^\^(\w+_)/.exec(parameter.schema.pattern ?? '')?.[1]
  return { type: 'string', ...(prefix === undefined ? {} : { description: `${prefix}…` }) }
}

/** The fields of a list's rows that its tool shows unless it is asked for others. */
export const defaultFields = ({
  summaryFields = [],
  toolFields = summaryFields,
}: Pick<Operation, 'summaryFields' | 'toolFields'>): string => toolFields.join(',')

/** With the defaults that are those of the tool. */
const querySchema = (operation: Operation, name: string, schema: JsonSchema): JsonSchema => {
  const { toolPageDefault } = operation
  if (name === 'fields') {
    return { type: 'string', description: `Default ${defaultFields(operation)}` }
  }
  if (name === 'limit' && toolPageDefault !== undefined) {
    return { ...schema, description: `Default ${toolPageDefault}` }
  }
  return schema
}

/** What is left out, from nothing to nearly everything that is no name, type or choice. */
const levels: readonly Shortening[] = [
  { sentences: Infinity, nestedDescriptions: true },
  { sentences: 1, nestedDescriptions: true },
  { sentences: 1, nestedDescriptions: false },
  { sentences: 0, nestedDescriptions: false },
  { sentences: 0, nestedDescriptions: false, optionalNested: false },
]

interface Shortening {
  /** How many sentences of each description are kept. */
  sentences: number
  nestedDescriptions: boolean
  /** Shows the fields of a nested object that may be left out. */
  optionalNested?: boolean
}

/** As much of the schema as fits into this many characters. */
export const inputSchemaOf = (operation: Operation, maxLength: number): InputSchema => {
  const all = argumentsOf(operation)
  const required = Object.keys(all).filter((name) => all[name]!.isRequired)
  const candidates = levels.map((level): InputSchema => ({
    type: 'object',
    properties: Object.fromEntries(
      // What a list shows by default is said nowhere else.
      Object.entries(all).map(([name, { schema }]) => [
        name,
        name === 'fields' ? schema : shortened(schema, level, 0),
      ]),
    ),
    required,
    additionalProperties: false,
  }))
  return candidates.find((one) => JSON.stringify(one).length <= maxLength) ?? candidates.at(-1)!
}

/** A depth of 0 is an argument; an array adds none. */
const shortened = (schema: JsonSchema, level: Shortening, depth: number): ToolSchema => {
  const { anyOf, type, format, items, properties, required, enum: values, default: _ } = schema
  const isOptional = anyOf?.some((one) => one.type === 'null') === true
  const [only, ...others] = (anyOf ?? []).filter((one) => one.type !== 'null')
  if (isOptional && only !== undefined && others.length === 0) {
    return orNull(shortened({ description: schema.description ?? '', ...only }, level, depth))
  }
  const isShown = (name: string) => level.optionalNested !== false || required?.includes(name)
  const fields = Object.entries(properties ?? {}).filter(([name]) => isShown(name))
  const hidden = Object.keys(properties ?? {}).filter((name) => !isShown(name))
  const description =
    hidden.length > 0 ? `Optional: ${hidden.join(', ')}` : shortDescription(schema, level, depth)
  return {
    ...(type === undefined ? {} : { type }),
    ...(format === 'date' || format === 'date-time' ? { format } : {}),
    ...(values === undefined ? {} : { enum: values }),
    ...(anyOf === undefined ? {} : anyOfFormats(anyOf)),
    ...(items === undefined ? {} : { items: shortened(items, level, depth + 1) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            fields.map(([name, field]) => [name, shortened(field, level, depth + 1)]),
          ),
          ...(required === undefined ? {} : { required }),
        }),
    ...(description === '' ? {} : { description }),
  }
}

/** In the fewest tokens. */
const orNull = ({ type, enum: values, ...rest }: ToolSchema): ToolSchema => ({
  ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
  ...(values === undefined ? {} : { enum: [...values, null] }),
  ...rest,
})

/** A date or a timestamp: both are strings, and the description tells which. */
const anyOfFormats = (anyOf: readonly JsonSchema[]): ToolSchema =>
  anyOf.every(({ type }) => type === 'string') ? { type: 'string' } : { anyOf: [...anyOf] }

const shortDescription = (
  { description = '' }: JsonSchema,
  { sentences, nestedDescriptions }: Shortening,
  depth: number,
): string => {
  if (depth > 0 && !nestedDescriptions) return ''
  return firstSentences(description, sentences)
}

/** A sentence ends with a full stop before a capital letter, a backtick or a quote. */
export const firstSentences = (text: string, count: number): string =>
  text
    .split(/(?<=\.)\s+(?=[A-Z`"])/)
    .slice(0, count)
    .join(' ')

/** The response, one level deep and open; only where a path narrows the list of tools. */
export const outputSchemaOf = ({ response }: Operation): object => {
  const { properties = {} } = inlineSchema(response, noNames)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, { type }]) => [
        name,
        type === undefined ? {} : { type },
      ]),
    ),
  }
}
