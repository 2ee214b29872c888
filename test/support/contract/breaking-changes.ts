/**
 * Specification 9.2: within v1 nothing is removed, renamed, newly required or tightened. Compares
 * two OpenAPI documents of this service and lists every change that could break a client of the
 * older one. Requests may only become more permissive, and responses may only grow.
 */
import type { JsonSchema } from '../../../src/docs/openapi/json-schema.ts'
import type { ResponseObject } from '../../../src/docs/openapi/responses.ts'
import type { OpenApi, OperationObject } from '../../../src/docs/openapi/openapi-types.ts'
import type { Parameter } from '../../../src/docs/openapi/parameters.ts'
import type { WebhookOperation } from '../../../src/docs/openapi/webhooks.ts'

type Direction = 'request' | 'response'

/** Returns one line for each breaking change; none if the newer document only adds. */
export const breakingChanges = (older: OpenApi, newer: OpenApi): string[] => {
  const breaks: string[] = []
  for (const [path, methods] of Object.entries(older.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const where = `${method.toUpperCase()} ${path}`
      const now = newer.paths[path]?.[method]
      if (now === undefined) breaks.push(`${where}: removed`)
      else breaks.push(...operationBreaks(operation, now, { where, older, newer }))
    }
  }
  for (const [type, { post }] of Object.entries(older.webhooks)) {
    const now = newer.webhooks[type]
    const where = `webhook ${type}`
    if (now === undefined) breaks.push(`${where}: removed`)
    else breaks.push(...webhookBreaks(post, now.post, { where, older, newer }))
  }
  const errorSchemas = [older, newer].map(({ components }) => components.schemas['ErrorEnvelope'])
  breaks.push(
    ...schemaBreaks(errorSchemas, { where: 'Error', older, newer, direction: 'response' }),
  )
  return [...new Set([...breaks, ...versionBreaks(older, newer)])]
}

interface Comparison {
  where: string
  older: OpenApi
  newer: OpenApi
}

const dereferenced = <T extends object>(
  item: T | { $ref: string } | undefined,
  document: OpenApi,
): T => {
  if (item === undefined || !('$ref' in item) || typeof item.$ref !== 'string') return item as T
  const steps = item.$ref.slice(2).split('/')
  let node: unknown = document
  for (const step of steps) node = (node as Record<string, unknown>)[step]
  return node as T
}

const operationBreaks = (
  was: OperationObject,
  is: OperationObject,
  comparison: Comparison,
): string[] => {
  const { where } = comparison
  const names = (security: OperationObject['security']) => security.flatMap(Object.keys)
  const callers = names(is.security)
  const isOpen = is.security.length === 0
  return [
    ...(was.operationId === is.operationId ? [] : [`${where}: renamed to ${is.operationId}`]),
    ...(was.security.length === 0 && !isOpen ? [`${where}: now needs a credential`] : []),
    ...names(was.security)
      .filter((name) => !isOpen && !callers.includes(name))
      .map((name) => `${where}: no longer for ${name}`),
    ...is['x-scopes']
      .filter((scope) => !was['x-scopes'].includes(scope))
      .map((scope) => `${where}: now needs ${scope}`),
    ...parameterBreaks(was, is, comparison),
    ...bodyBreaks(was, is, comparison),
    ...Object.entries(was.responses).flatMap(([status, response]) =>
      responseBreaks(response, is.responses[status], {
        ...comparison,
        where: `${where} ${status}`,
      }),
    ),
  ]
}

const parameterBreaks = (
  was: OperationObject,
  is: OperationObject,
  comparison: Comparison,
): string[] => {
  const { where, older, newer } = comparison
  const before = was.parameters.map((one) => dereferenced<Parameter>(one, older))
  const after = is.parameters.map((one) => dereferenced<Parameter>(one, newer))
  const same = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in
  const added = after.filter((one) => one.required && !before.some(same(one)))
  return [
    ...added.map(({ name }) => `${where} ${name}: newly required`),
    ...before.flatMap((old) => {
      const now = after.find(same(old))
      const place = `${where} ${old.name}`
      if (now === undefined) return [`${place}: removed`]
      return [
        ...(now.required && !old.required ? [`${place}: newly required`] : []),
        ...(now.explode === old.explode ? [] : [`${place}: lists are encoded differently`]),
        ...schemaBreaks([old.schema, now.schema], {
          ...comparison,
          where: place,
          direction: 'request',
        }),
      ]
    }),
  ]
}

const bodyBreaks = (
  was: OperationObject,
  is: OperationObject,
  comparison: Comparison,
): string[] => {
  const where = `${comparison.where} body`
  if (was.requestBody === undefined) {
    return is.requestBody?.required === true ? [`${where}: newly required`] : []
  }
  if (is.requestBody === undefined) return [`${where}: removed`]
  const isNewlyRequired = is.requestBody.required && !was.requestBody.required
  const lost = Object.keys(was.requestBody.content).filter(
    (type) => !(type in is.requestBody!.content),
  )
  const schemas = [was, is].map(({ requestBody }) => Object.values(requestBody!.content)[0]?.schema)
  return [
    ...(isNewlyRequired ? [`${where}: newly required`] : []),
    ...lost.map((type) => `${where}: no longer accepts ${type}`),
    ...schemaBreaks(schemas, { ...comparison, where, direction: 'request' }),
  ]
}

/** Clients read a delivery as they read a response. */
const webhookBreaks = (
  was: WebhookOperation,
  is: WebhookOperation,
  comparison: Comparison,
): string[] => {
  const names = ({ parameters }: WebhookOperation) => parameters.map(({ $ref }) => $ref)
  const lost = names(was).filter((name) => !names(is).includes(name))
  const schemas = [was, is].map(({ requestBody: { content } }) => Object.values(content)[0]?.schema)
  return [
    ...lost.map((name) => `${comparison.where} ${name}: removed`),
    ...schemaBreaks(schemas, { ...comparison, direction: 'response' }),
  ]
}

type ResponseItem = OperationObject['responses'][string]

const responseBreaks = (
  was: ResponseItem,
  is: ResponseItem | undefined,
  comparison: Comparison,
): string[] => {
  const { where, older, newer } = comparison
  if (is === undefined) return [`${where}: removed`]
  const [before, after] = [
    dereferenced<ResponseObject>(was, older),
    dereferenced<ResponseObject>(is, newer),
  ]
  const headers = Object.keys(before.headers).filter((name) => !(name in after.headers))
  const lost = headers.map((name) => `${where} ${name}: removed`)
  // An error status may have any codes; the shared envelope is compared once.
  if ('$ref' in was || before.content === undefined) return lost
  const schemas = [before, after].map(({ content }) => content?.['application/json']?.schema)
  return [...lost, ...schemaBreaks(schemas, { ...comparison, direction: 'response' })]
}

type Schemas = readonly (JsonSchema | undefined)[]

const schemaBreaks = (
  [was, is]: Schemas,
  comparison: Comparison & { direction: Direction },
): string[] => {
  const { where, older, newer, direction } = comparison
  if (was === undefined)
    return is === undefined || direction === 'response' ? [] : [`${where}: now constrained`]
  if (is === undefined) return direction === 'request' ? [] : [`${where}: removed`]
  const [variants, variantsNow] = [variantsOf(was, older), variantsOf(is, newer)]
  if (variants !== undefined) {
    return [...variants].flatMap(([value, old]) =>
      schemaBreaks([old, variantsNow?.get(value)], { ...comparison, where: `${where} ${value}` }),
    )
  }
  const before = alternativesOf(dereferenced<JsonSchema>(was, older), older)
  const after = alternativesOf(dereferenced<JsonSchema>(is, newer), newer)
  const [required, offered] = direction === 'request' ? [before, after] : [after, before]
  const changed = [...required.keys()].filter((form) => !offered.has(form))
  const word = direction === 'request' ? 'no longer accepts' : 'may now return'
  return [
    ...changed.map((form) => `${where}: ${word} ${form}`),
    ...[...before].flatMap(([form, old]) => {
      const now = after.get(form)
      return now === undefined ? [] : alternativeBreaks(old, now, comparison)
    }),
  ]
}

/** The schemas of a union, by the value that tells them apart. */
const variantsOf = (schema: JsonSchema, document: OpenApi): Map<string, JsonSchema> | undefined => {
  const { discriminator } = dereferenced<JsonSchema>(schema, document)
  if (discriminator === undefined) return undefined
  return new Map(Object.entries(discriminator.mapping).map(([value, $ref]) => [value, { $ref }]))
}

/** The alternatives of a schema, by type and format. */
const alternativesOf = (schema: JsonSchema, document: OpenApi): Map<string, JsonSchema> => {
  const all = (schema.anyOf ?? [schema]).map((one) => dereferenced<JsonSchema>(one, document))
  return new Map(all.map((one) => [[one.type ?? 'any', one.format].filter(Boolean).join(' '), one]))
}

const alternativeBreaks = (
  was: JsonSchema,
  is: JsonSchema,
  comparison: Comparison & { direction: Direction },
): string[] => {
  const { where, direction } = comparison
  const inner = (name: string, pair: Schemas) =>
    schemaBreaks(pair, { ...comparison, where: `${where}${name}` })
  const before = { ...was.properties, ...was.patternProperties }
  const after = { ...is.properties, ...is.patternProperties }
  return [
    ...(was.enum ?? [])
      .filter((value) => is.enum !== undefined && !is.enum.includes(value))
      .map((value) => `${where}: ${String(value)} removed`),
    ...(direction === 'request' ? tightened(was, is) : loosened(was, is)).map(
      (what) => `${where}: ${what}`,
    ),
    ...Object.keys(before).flatMap((name) =>
      name in after
        ? inner(`.${name}`, [before[name], after[name]])
        : [`${where}.${name}: removed`],
    ),
    ...(was.items === undefined && is.items === undefined
      ? []
      : inner('[]', [was.items, is.items])),
  ]
}

const lowest = ['minLength', 'minItems', 'minimum'] as const
const highest = ['maxLength', 'maxItems', 'maxProperties', 'maximum'] as const

const tightened = (was: JsonSchema, is: JsonSchema): string[] => [
  ...lowest.filter((bound) => (is[bound] ?? -Infinity) > (was[bound] ?? -Infinity)),
  ...highest.filter((bound) => (is[bound] ?? Infinity) < (was[bound] ?? Infinity)),
  ...(is.pattern !== undefined && is.pattern !== was.pattern ? ['pattern'] : []),
  ...(is.enum !== undefined && was.enum === undefined ? ['enum'] : []),
  ...(is.additionalProperties === false && was.additionalProperties !== false ? ['closed'] : []),
  ...(is.required ?? [])
    .filter((name) => !was.required?.includes(name))
    .map((name) => `${name} newly required`),
]

const loosened = (was: JsonSchema, is: JsonSchema): string[] => [
  ...(was.pattern !== undefined && is.pattern !== was.pattern ? ['pattern'] : []),
  ...(was.enum !== undefined && is.enum === undefined ? ['enum'] : []),
  ...(was.required ?? [])
    .filter((name) => !is.required?.includes(name))
    .map((name) => `${name} no longer guaranteed`),
]

/** A changed contract needs a higher version; prose and examples do not count. */
const versionBreaks = (older: OpenApi, newer: OpenApi): string[] => {
  const [was, is] = [older, newer].map(({ info }) => String(info['version']))
  const order = was!.localeCompare(is!, 'en', { numeric: true })
  if (order > 0) return [`version: fell from ${was} to ${is}`]
  const isSame = contractText(older) === contractText(newer)
  return order === 0 && !isSame ? [`version: still ${is}, although the contract changed`] : []
}

const proseKeys = new Set(['description', 'summary', 'example', 'examples', 'tags'])

const contractText = ({ paths, webhooks, components: { schemas, parameters } }: OpenApi): string =>
  JSON.stringify([paths, webhooks, schemas, parameters], (name, value: unknown) =>
    proseKeys.has(name) && !isSchemaNamed(value) ? undefined : value,
  )

/** A property called `description` is a schema, not prose. */
const isSchemaNamed = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  ('type' in value || 'anyOf' in value)
