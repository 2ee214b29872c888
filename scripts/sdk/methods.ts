/** The functions of `docex/functions`, and the resources whose methods call them. */
import { camelCase, pascalCase } from '../../src/docs/languages/names.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { OperationObject } from '../../src/docs/openapi/openapi-types.ts'
import { methodDescription, usualErrors, usualErrorsOfWrites } from './comments.ts'
import { type SdkOperation, referencedName } from './names.ts'
import { docComment, queryTypeName, responseTypeName } from './types.ts'

/** Operations whose response is not just data. */
const special: Readonly<Record<string, { type: string; made: string }>> = {
  'documents.export': { type: 'Promise<Proof>', made: 'exporting' },
  'finance.agreements.export': { type: 'Promise<Proof<PledgeProof>>', made: 'exporting' },
}

interface Signature {
  /** Each with its type, in order. */
  parameters: string[]
  returns: string
}

const signatureOf = (operation: SdkOperation): Signature => {
  const { id, pathParameters, query, body, method, row, takesIfMatch, isLive } = operation
  const path = pathParameters.map(({ name, schema }) => [
    camelCase(name),
    schema.type === 'integer' ? 'number' : 'string',
  ])
  const needsQuery = query.some(({ required }) => required)
  const parameters = path.map(([name, type]) => `${name}: ${type}`)
  if (query.length > 0) {
    parameters.push(`query${needsQuery ? '' : '?'}: ${queryTypeName(operation)}`)
  }
  if (body !== undefined) {
    const type = body.kind === 'file' ? 'FileInput' : referencedName(body.schema)!
    const isOptional = body.kind === 'json' && !body.required
    const name = body.kind === 'file' ? 'file' : 'body'
    parameters.push(`${name}${isOptional ? '?' : ''}: ${type}`)
  }
  if (isLive) {
    const returns = 'AsyncGenerator<DocumentChange, void, undefined>'
    return { parameters: [...parameters, 'options?: StreamOptions'], returns }
  }
  const options = method === 'GET' ? 'ReadOptions' : takesIfMatch ? 'ChangeOptions' : 'WriteOptions'
  const type = responseTypeName(operation)
  const returns = special[id]?.type ?? (row === undefined ? `ApiPromise<${type}>` : type)
  return { parameters: [...parameters, `options?: ${options}`], returns }
}

/** How the function of an operation is made. */
const madeBy = (operation: SdkOperation): string => {
  const { id, method, path, query, body, row, isLive } = operation
  if (isLive) return `following('${path}')`
  if (special[id]) return `${special[id].made}('${path}')`
  const takes =
    body === undefined
      ? query.length > 0
        ? 'query'
        : undefined
      : body.kind === 'file'
        ? 'file'
        : 'body'
  if (body !== undefined && query.length > 0) throw new Error(`${id} has a query and a body.`)
  const taken = takes === undefined ? '' : `, '${takes}'`
  if (row !== undefined) return `listing('${path}'${taken})`
  return `operation('${method}', '${path}'${taken})`
}

const hasChanges = ({ query }: SdkOperation): boolean => query.some(({ name }) => name === 'sort')

const changesSignature = (operation: SdkOperation): Signature => ({
  parameters: [
    `query?: Omit<${queryTypeName(operation)}, 'sort' | 'updated_since'> & { since?: string | Date | undefined }`,
    'options?: ReadOptions',
  ],
  returns: `AsyncGenerator<${rowName(operation)}, void, undefined>`,
})

const changesName = ({ resource }: SdkOperation): string =>
  camelCase([...resource, 'changes'].join('.'))

const rowName = ({ row }: SdkOperation): string => referencedName(row!)!

const changesComment =
  'Everything that has changed since then, oldest change first: once per change seen, and once each\nwhen nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.'

export const functionsModule = (operations: readonly SdkOperation[]): string => {
  const exported = (name: string, [resource, verb]: [readonly string[], string], made: string) =>
    `export const ${name}: Standalone<${interfaceName(resource)}['${verb}']> =\n  /* @__PURE__ */ ${made}\n`
  const functions = operations.flatMap((operation) => {
    const { functionName, source, resource, verb, path } = operation
    const comment = docComment(`${source.summary}.`)
    const own = `${comment}${exported(functionName, [resource, verb], madeBy(operation))}`
    if (!hasChanges(operation)) return [own]
    const changes = exported(changesName(operation), [resource, 'changes'], `sweep('${path}')`)
    return [own, `/** Everything that has changed, oldest change first. */\n${changes}`]
  })
  const names = [...new Set(operations.map(({ resource }) => interfaceName(resource)))]
  return `import { type Standalone, exporting, following, listing, operation, sweep } from '../operation.ts'
import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './resources.ts'\n\n${functions.join('\n')}`
}

const runtimeNames: readonly [from: string, names: readonly string[]][] = [
  ['../api-promise.ts', ['type ApiPromise']],
  ['../client.ts', ['type ClientOptions', 'createClient']],
  ['../follow.ts', ['type FollowOptions', 'eventsFollow']],
  ['../lists.ts', ['type ListPromise']],
  ['../operation.ts', ['withClient']],
  ['../proof.ts', ['type Proof']],
  [
    '../request.ts',
    ['type ChangeOptions', 'type FileInput', 'type ReadOptions', 'type WriteOptions'],
  ],
  ['../stream.ts', ['type DocumentChange', 'type StreamOptions']],
]

/** Imports what the text mentions. */
const imports = (text: string, types = ''): string => {
  const mentions = (name: string) => new RegExp(`\\b${name.replace('type ', '')}\\b`).test(text)
  const lines = runtimeNames.flatMap(([from, names]) => {
    const used = names.filter(mentions)
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${from}'`]
  })
  return [...lines, types, "import type * as t from './types.ts'"].filter(Boolean).join('\n') + '\n'
}

/** A call with the names of ids, and with what a body must have. */
const exampleOf = (operation: SdkOperation): string => {
  const { resource, verb, pathParameters, body, query, row, isLive, source } = operation
  const values = pathParameters.map(({ name }) => camelCase(name))
  if (body?.kind === 'file') values.push("{ filename: 'order.pdf', content }")
  if (body?.kind === 'json') {
    const given = exampleBody(body.shape, source)
    if (body.required || Object.keys(given).length > 0) values.push(objectLiteral(given))
  }
  const required = query.filter((one) => one.required)
  if (required.length > 0) {
    const given = required.map(({ name, example }) => [name, example ?? 0])
    values.push(objectLiteral(Object.fromEntries(given)))
  }
  const call = `docex.${[...resource, verb].join('.')}(${values.join(', ')})`
  if (isLive) return `for await (const { type, id } of ${call}) console.log(type, id)`
  return row === undefined ? `await ${call}` : `for await (const row of ${call}) console.log(row)`
}

/** The required fields of the declared example; its first field if none is required. */
const exampleBody = (shape: JsonSchema, source: OperationObject): object => {
  const content = source.requestBody!.content['application/json'] as {
    example?: object
    examples?: Record<string, { value: object }>
  }
  const fields = Object.entries(
    content.example ?? Object.values(content.examples ?? {})[0]?.value ?? {},
  )
  const required = fields.filter(([name]) => shape.required?.includes(name))
  return Object.fromEntries(required.length > 0 ? required : fields.slice(0, 1))
}

const objectLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll("'", "\\'")
    .replaceAll('"', "'")
    .replaceAll(/\n\s*/g, ' ')

const methodComment = (operation: SdkOperation): string =>
  docComment([...methodDescription(operation), '@example', exampleOf(operation)].join('\n'), '  ')

interface Resource {
  name: string[]
  operations: SdkOperation[]
  children: Resource[]
}

const resourceTree = (operations: readonly SdkOperation[]): Resource => {
  const root: Resource = { name: [], operations: [], children: [] }
  for (const operation of operations) {
    let at = root
    for (const [i] of operation.resource.entries()) {
      const name = operation.resource.slice(0, i + 1)
      let child = at.children.find((one) => one.name.join('.') === name.join('.'))
      if (child === undefined) at.children.push((child = { name, operations: [], children: [] }))
      at = child
    }
    at.operations.push(operation)
  }
  return root
}

/** The client itself has the operations whose id is one word, such as `search`. */
const interfaceName = (name: readonly string[]): string =>
  name.length === 0 ? 'Docex' : `${pascalCase(name.join('.'))}Resource`

const methodTexts = (operation: SdkOperation): string[] => {
  const { verb, resource } = operation
  const method = (name: string, comment: string, { parameters, returns }: Signature) =>
    `${comment}  ${name}(${parameters.join(', ')}): ${returns}\n`
  const own = method(verb, methodComment(operation), signatureOf(operation))
  if (!hasChanges(operation)) return [own]
  const example = `for await (const one of docex.${resource.join('.')}.changes({ since })) console.log(one.id)`
  const comment = docComment(`${changesComment}\n@example\n${example}`, '  ')
  return [own, method('changes', comment, changesSignature(operation))]
}

const followMethod = `  /**
   * Follows the feed in commit order, without gaps, through outages, until the signal aborts.
   * @example
   * for await (const event of docex.events.follow({ after, signal })) console.log(event.type)
   */
  follow(options?: FollowOptions): AsyncGenerator<Event, void, undefined>
`

const isEvents = ({ name }: Resource): boolean => name.join('.') === 'events'

const interfaceText = (resource: Resource): string => {
  const { name, operations, children } = resource
  const methods = operations.flatMap((operation) => methodTexts(operation))
  if (isEvents(resource)) methods.push(followMethod)
  const fields = children.map(
    (child) => `  readonly ${child.name.at(-1)}: ${interfaceName(child.name)}\n`,
  )
  const text = `export interface ${interfaceName(name)} {\n${[...fields, ...methods].join('')}}\n`
  return [...children.map((child) => interfaceText(child)), text].join('\n')
}

/** The functions behind the methods, by resource and verb. */
const functionsOf = (resource: Resource): string[] => {
  const { operations, children } = resource
  const functions = operations.flatMap((operation) => {
    const own = `${operation.verb}: f.${operation.functionName}`
    return hasChanges(operation) ? [own, `changes: f.${changesName(operation)}`] : [own]
  })
  if (isEvents(resource)) functions.push('follow: eventsFollow')
  const below = children.map(
    (child) => `${child.name.at(-1)}: { ${functionsOf(child).join(', ')} }`,
  )
  return [...functions, ...below]
}

const classComment = `Every operation of the service, by resource. A method names the errors that are its own; every
call can also fail with ${usualErrors.join(', ')}; every
write with ${usualErrorsOfWrites.join(', ')}.`

export const resourcesModule = (operations: readonly SdkOperation[]): string => {
  const root = resourceTree(operations)
  const table = `const methods = {\n${functionsOf(root)
    .map((one) => `  ${one},\n`)
    .join('')}}\n`
  const docex = `${docComment(classComment)}export class Docex {
  constructor(options: ClientOptions = {}) {
    Object.assign(this, withClient(createClient(options), methods))
  }
}
`
  const text = [interfaceText(root), table, docex].join('\n')
  return `${imports(text, "import * as f from './functions.ts'")}\n${text}`
}
