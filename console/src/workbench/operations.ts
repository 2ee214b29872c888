/** The operations of the API, as its OpenAPI description has them. */

export interface Parameter {
  name: string
  place: 'path' | 'query'
  isRequired: boolean
  hint: string
  example: string
  /** Of an id: `doc`. */
  prefix: string | undefined
  /** How a client that knows types sends it. */
  kind: 'text' | 'number' | 'truth' | 'list'
}

export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  parameters: readonly Parameter[]
  /** An example as JSON; undefined where nothing is sent. */
  body: string | undefined
}

interface Schema {
  type?: string
  pattern?: string
}

export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>
}

interface OpenApiOperation {
  operationId: string
  summary: string
  parameters: {
    name?: string
    in?: string
    required?: boolean
    description?: string
    schema?: Schema
    example?: unknown
  }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** All but those that take a file, and those that never end. */
export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        isForShell(operation) ? [operationOf(path, method, operation)] : [],
      ),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

const json = 'application/json'

const isForShell = ({ requestBody, responses }: OpenApiOperation): boolean =>
  (requestBody === undefined || json in requestBody.content) &&
  !Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content)

const operationOf = (path: string, method: string, operation: OpenApiOperation): Operation => ({
  id: operation.operationId,
  method: method.toUpperCase(),
  path,
  summary: operation.summary,
  parameters: operation.parameters.flatMap(
    ({ name, in: place, required, description, schema, example }) =>
      name !== undefined && (place === 'path' || place === 'query')
        ? [
            {
              name,
              place,
              isRequired: required === true,
              hint: description ?? '',
              example: String(example ?? ''),
              prefix: /^\^([a-z]+)_/.exec(schema?.pattern ?? '')?.[1],
              kind: kindOf(schema?.type),
            },
          ]
        : [],
  ),
  body:
    operation.requestBody === undefined
      ? undefined
      : JSON.stringify(operation.requestBody.content[json]?.example ?? {}, null, 2),
})

const kinds: Readonly<Record<string, Parameter['kind']>> = {
  integer: 'number',
  number: 'number',
  boolean: 'truth',
  array: 'list',
}

const kindOf = (type: string | undefined): Parameter['kind'] => kinds[type ?? ''] ?? 'text'

/** What one would send. */
export interface ShellCall {
  operation: Operation
  values: Readonly<Record<string, string>>
  body: string
  idempotencyKey: string
  isDry: boolean
}

export const isWrite = ({ method }: Operation): boolean => method !== 'GET'

export const pathOf = ({ operation: { path }, values }: ShellCall): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.trim() ?? ''))

export const queryOf = ({ operation, values }: ShellCall): Record<string, string> =>
  Object.fromEntries(
    operation.parameters.flatMap(({ name, place }) => {
      const value = values[name]?.trim() ?? ''
      return place === 'query' && value !== '' ? [[name, value]] : []
    }),
  )

/** Undefined when nothing is sent; throws when it is no JSON. */
export const bodyOf = ({ operation, body }: ShellCall): unknown =>
  operation.body === undefined || body.trim() === '' ? undefined : JSON.parse(body)

/** The path parameters that have no value yet. */
export const missingIn = ({ operation, values }: ShellCall): string[] =>
  operation.parameters.flatMap(({ name, isRequired }) =>
    isRequired && (values[name]?.trim() ?? '') === '' ? [name] : [],
  )
