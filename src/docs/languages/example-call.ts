/**
 * One call of an operation, as data, from which every language of the examples is written. A text
 * may name variables: `$DOCUMENT_ID`.
 */
import type { ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { exampleIds } from '../examples/ids.ts'
import { examples } from '../examples/index.ts'
import { pathParameters, takesIdempotencyKey } from '../operation-facts.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'
import { parametersOf, resourceOf } from '../openapi/parameters.ts'

export interface ExampleCall {
  operation: Operation
  baseUrl: string
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  /** In a form, `file` is the name of the file. */
  body?: Readonly<Record<string, unknown>>
  /** The variable that has the credential. */
  credential?: string
  idempotencyKey?: string
  /** Another call has the same key, so it is not left to the client. */
  sharesKey?: boolean
  /** The variables that get a part of the response, which a JSON pointer names. */
  keeps?: Readonly<Record<string, string>>
  /** The rows of a list come about by themselves: it is read again until there is one. */
  isAwaited?: boolean
  /** The call is refused, and that is what it is to show. */
  refusal?: ErrorCode
  /** The name of the variable that holds the response. */
  name?: string
}

/** The call that the reference shows, with the ids of the example story. */
export const exampleCallOf = (operation: Operation, baseUrl: string): ExampleCall => {
  const { query, body } = examples[operation.id] ?? {}
  const file = operation.takesFile && { file: 'delivery-note.pdf' }
  return {
    operation,
    baseUrl,
    path: Object.fromEntries(
      pathParameters(operation).map((name) => [name, exampleValue(operation, name)]),
    ),
    query: typedQuery(operation, new URLSearchParams(query)),
    ...((body ?? file) === undefined ? {} : { body: { ...(body ?? file) } }),
    ...credentialOf(operation),
    ...(takesIdempotencyKey(operation) ? { idempotencyKey: exampleKey(operation) } : {}),
  }
}

/** The records of the example story in whose place the reader's shell has its own. */
export const exampleVariables: Readonly<Record<string, string>> = {
  DOCUMENT_ID: exampleIds.document,
  CONNECTION_ID: exampleIds.connection,
}

/** The call as it can be pasted, after the variables have been set. */
export const withVariables = ({ path, query, body, ...call }: ExampleCall): ExampleCall => ({
  ...call,
  path: withNames(path),
  query: withNames(query),
  ...(body === undefined ? {} : { body: withNames(body) }),
})

const withNames = <T extends object>(values: T): T =>
  JSON.parse(JSON.stringify(values), (_, value: unknown) => {
    const [name] = Object.entries(exampleVariables).find(([, id]) => id === value) ?? []
    return name === undefined ? value : `$${name}`
  }) as T

const credentialOf = ({ allowed }: Operation): Pick<ExampleCall, 'credential'> => {
  if (allowed === 'public') return {}
  // Keys of a practice pair lack the scopes that administer.
  const isForPeople = ['session', 'admin', 'admin or scoped', 'approver'].includes(allowed)
  return { credential: isForPeople ? 'ADMIN_SESSION_TOKEN' : 'API_KEY' }
}

/** Each example has its own key, so that all of them can be tried one after the other. */
const exampleKey = ({ id }: Operation): string => `${id.replaceAll(/[._]/g, '-')}-0117`

/** The id from the example story if it has one, else the example of the parameter. */
const exampleValue = (operation: Operation, name: string): string => {
  const parameter = parametersOf(operation).find((one) => one.name === name)
  const storyIds: Readonly<Record<string, string>> = name === 'key' ? {} : exampleIds
  return storyIds[resourceOf(operation, name)] ?? String(parameter?.schema.examples?.[0])
}

/** Each parameter as the clients take it: numbers, and lists of several. */
export const typedQuery = (
  operation: Operation,
  given: Iterable<readonly [name: string, value: string]>,
): Record<string, unknown> => {
  const schemas = new Map(parametersOf(operation).map(({ name, schema }) => [name, schema]))
  return Object.fromEntries(
    [...given].map(([name, value]) => {
      const { type, items } = schemas.get(name) ?? {}
      const isNumeric = ['integer', 'number'].includes(items?.type ?? type ?? '')
      const values = (type === 'array' ? value.split(',') : [value]).map((one) =>
        isNumeric && !one.startsWith('$') ? Number(one) : one,
      )
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

export const isNumber = (operation: Operation, name: string): boolean =>
  parametersOf(operation).find((one) => one.name === name)?.schema.type === 'integer'

/** The path with the values of its parameters. */
export const filledPath = ({ operation, path }: ExampleCall): string =>
  Object.entries(path).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, () => value),
    operation.path,
  )

/** `/data/0/id` → `['data', '0', 'id']` */
export const pointerSteps = (pointer: string): string[] => pointer.split('/').slice(1)

export const mediaTypeOf = (file: string): string =>
  file.endsWith('.xml') ? 'application/xml' : 'application/pdf'

/** Whether the clients return a page, whose rows are `data`. */
export const isList = ({ response }: Operation): boolean =>
  (response as JsonSchema).properties?.['next_cursor'] !== undefined
