/** The functions of `docex/functions`, and the resources whose methods call them. */
import type { OpenApi } from '../../src/docs/openapi/openapi-document.ts'
import { type SdkOperation, camelCase, pascalCase, referencedName } from './names.ts'
import { docComment, queryTypeName, responseTypeName } from './types.ts'

/** Operations whose response is not just data. */
const special: Readonly<Record<string, { type: string; call: string }>> = {
  'documents.export': { type: 'Promise<Proof>', call: 'proof' },
}

interface Signature {
  /** Each with its type, in order. */
  parameters: string[]
  /** What is passed on, in order. */
  passed: string[]
  returns: string
}

const signatureOf = (operation: SdkOperation): Signature => {
  const { id, pathParameters, query, body, method, row, takesIfMatch } = operation
  const path = pathParameters.map(({ name, schema }) => [
    camelCase(name),
    schema.type === 'integer' ? 'number' : 'string',
  ])
  const needsQuery = query.some(({ required }) => required)
  const parameters = path.map(([name, type]) => `${name}: ${type}`)
  const passed = path.map(([name]) => name!)
  if (query.length > 0) {
    parameters.push(`query${needsQuery ? '' : '?'}: ${queryTypeName(operation)}`)
    passed.push('query')
  }
  if (body !== undefined) {
    const type = body.kind === 'file' ? 'FileInput' : referencedName(body.schema)!
    const isOptional = body.kind === 'json' && !body.required
    const name = body.kind === 'file' ? 'file' : 'body'
    parameters.push(`${name}${isOptional ? '?' : ''}: ${type}`)
    passed.push(name)
  }
  const options = method === 'GET' ? 'ReadOptions' : takesIfMatch ? 'ChangeOptions' : 'WriteOptions'
  const type = responseTypeName(operation)
  const returns = special[id]?.type ?? (row === undefined ? `ApiPromise<${type}>` : type)
  return {
    parameters: [...parameters, `options?: ${options}`],
    passed: [...passed, 'options'],
    returns,
  }
}

const pathText = ({ path, pathParameters }: SdkOperation): string => {
  const filled = pathParameters.reduce(
    (text, { name }) => text.replace(`{${name}}`, `\${segment(${camelCase(name)})}`),
    path,
  )
  return pathParameters.length === 0 ? `'${path}'` : `\`${filled}\``
}

const callText = (operation: SdkOperation): string => {
  const { id, method, query, body, row, response } = operation
  if (special[id]) return `${special[id].call}(client, ${pathText(operation)}, options)`
  if (row !== undefined) {
    return `list(client, ${pathText(operation)}, ${query.length > 0 ? 'query' : 'undefined'}, options)`
  }
  const parts = [
    `method: '${method}'`,
    `path: ${pathText(operation)}`,
    ...(query.length > 0 ? ['query'] : []),
    ...(body === undefined ? [] : [body.kind === 'file' ? 'file' : 'body']),
  ]
  const type = referencedName(response) ?? responseTypeName(operation)
  return `client.json<${type}>({ ${parts.join(', ')} }, options)`
}

const hasChanges = ({ query }: SdkOperation): boolean => query.some(({ name }) => name === 'sort')

const changesSignature = (operation: SdkOperation): Signature => ({
  parameters: [
    `query?: Omit<${queryTypeName(operation)}, 'sort' | 'updated_since'> & { since?: string | Date | undefined }`,
    'options?: ReadOptions',
  ],
  passed: ['query', 'options'],
  returns: `AsyncGenerator<${rowName(operation)}, void, undefined>`,
})

const rowName = ({ row }: SdkOperation): string => referencedName(row!)!

const changesComment =
  'Everything that has changed since then, oldest change first: once per change seen, and once each\nwhen nothing changes meanwhile. Start the next sweep with the newest `updated_at` of this one.'

export const functionsModule = (operations: readonly SdkOperation[]): string => {
  const functions = operations.flatMap((operation) => {
    const { functionName, source, resource } = operation
    const { parameters, returns } = signatureOf(operation)
    const own = `${docComment(`${source.summary}.`)}export const ${functionName} = (\n  client: Client,\n${parameters
      .map((one) => `  ${one},\n`)
      .join('')}): ${returns} =>\n  ${callText(operation)}\n`
    if (!hasChanges(operation)) return [own]
    const sweep = changesSignature(operation)
    const name = camelCase([...resource, 'changes'].join('.'))
    const text = `${docComment(changesComment)}export const ${name} = (\n  client: Client,\n${sweep.parameters
      .map((one) => `  ${one},\n`)
      .join('')}): ${sweep.returns} =>\n  changes(client, ${pathText(operation)}, query, options)\n`
    return [own, text]
  })
  return `${imports(functions.join('\n'))}\n${functions.join('\n')}`
}

const runtimeNames: readonly [from: string, names: readonly string[]][] = [
  ['../api-promise.ts', ['type ApiPromise']],
  ['../changes.ts', ['changes']],
  ['../client.ts', ['type Client', 'type ClientOptions', 'createClient']],
  ['../follow.ts', ['type FollowOptions', 'eventsFollow']],
  ['../lists.ts', ['type ListPromise', 'list']],
  ['../proof.ts', ['type Proof', 'proof']],
  [
    '../request.ts',
    ['type ChangeOptions', 'type FileInput', 'type ReadOptions', 'type WriteOptions', 'segment'],
  ],
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

/** The body of the declared example, as an object literal. */
const exampleOf = (operation: SdkOperation): string => {
  const { resource, verb, pathParameters, body, query, source, row } = operation
  const values = pathParameters.map(({ name, schema }) =>
    JSON.stringify(schema.examples?.[0] ?? name).replaceAll('"', "'"),
  )
  const content = Object.values(source.requestBody?.content ?? {})[0] as {
    example?: unknown
    examples?: Record<string, { value?: unknown }>
  }
  const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value
  if (body?.kind === 'file') values.push("{ filename: 'order.pdf', content }")
  else if (body !== undefined && (example !== undefined || body.required)) {
    values.push(objectLiteral(example ?? {}))
  }
  const required = query.filter((one) => one.required)
  if (required.length > 0) {
    values.push(`{ ${required.map(({ name }) => `${name}: 0`).join(', ')} }`)
  }
  const call = `docex.${[...resource, verb].join('.')}(${values.join(', ')})`
  return row === undefined ? `await ${call}` : `for await (const row of ${call}) console.log(row)`
}

const objectLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll("'", "\\'")
    .replaceAll('"', "'")
    .replaceAll(/\n\s*/g, ' ')

/** The comment of the class names them once. */
const everyCallsErrors = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]

const methodComment = (document: OpenApi, operation: SdkOperation): string => {
  const { source } = operation
  const [description, access] = splitDescription(source.description)
  const codes = Object.entries(source.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, response]) => referencedName(response as { $ref: string })!.split('_or_'))
    .filter((code) => !everyCallsErrors.includes(code))
  return docComment(
    [
      `${source.summary}.`,
      ...(description === '' ? [] : ['', ...wrapped(description)]),
      '',
      ...wrapped(access),
      ...(codes.length === 0 ? [] : wrapped(`Errors: ${codes.join(', ')}.`)),
      '@example',
      exampleOf(operation),
    ].join('\n'),
    '  ',
  )
}

/** The description proper, and who may call. The rules of headers are the SDK's own matter. */
const splitDescription = (text: string): [description: string, access: string] => {
  const paragraphs = text
    .split('\n\n')
    .map((one) => one.replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1'))
  const at = paragraphs.findIndex((one) => one.startsWith('Access: '))
  return [paragraphs.slice(0, at).join(' '), paragraphs[at] ?? '']
}

const wrapped = (text: string): string[] => {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length > 92) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

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

const className = (name: readonly string[]): string => `${pascalCase(name.join('.'))}Resource`

const methodTexts = (document: OpenApi, operation: SdkOperation): string[] => {
  const { functionName, verb, resource } = operation
  const method = (name: string, comment: string, target: string, signature: Signature) =>
    `${comment}  ${name}(${signature.parameters.join(', ')}): ${signature.returns} {\n` +
    `    return f.${target}(this.#client, ${signature.passed.join(', ')})\n  }\n`
  const own = method(verb, methodComment(document, operation), functionName, signatureOf(operation))
  if (!hasChanges(operation)) return [own]
  const sweep = `${changesComment}\n@example\nfor await (const one of docex.${resource.join('.')}.changes({ since })) console.log(one.id)`
  const target = camelCase([...resource, 'changes'].join('.'))
  return [own, method('changes', docComment(sweep, '  '), target, changesSignature(operation))]
}

const followMethod = `  /**
   * Follows the feed in commit order, without gaps, through outages, until the signal aborts.
   * @example
   * for await (const event of docex.events.follow({ after, signal })) console.log(event.type)
   */
  follow(options?: FollowOptions): AsyncGenerator<Event, void, undefined> {
    return eventsFollow(this.#client, options)
  }
`

const classText = (document: OpenApi, resource: Resource): string => {
  const { name, operations, children } = resource
  const methods = operations.flatMap((operation) => methodTexts(document, operation))
  if (name.join('.') === 'events') methods.push(followMethod)
  const fields = children.map(
    (child) => `  readonly ${child.name.at(-1)}: ${className(child.name)}\n`,
  )
  const made = children.map(
    (child) => `    this.${child.name.at(-1)} = new ${className(child.name)}(client)\n`,
  )
  const own = methods.length === 0 ? '' : '  readonly #client: Client\n'
  const kept = methods.length === 0 ? '' : '    this.#client = client\n'
  const text = `export class ${className(name)} {\n${fields.join('')}${own}\n  constructor(client: Client) {\n${kept}${made.join('')}  }\n\n${methods.join('\n')}}\n`
  return [...children.map((child) => classText(document, child)), text].join('\n')
}

const classComment = `Every operation of the service, by resource. A method names the errors that are its own; every\ncall can also fail with ${everyCallsErrors.join(', ')}.`

export const resourcesModule = (document: OpenApi, operations: readonly SdkOperation[]): string => {
  const { children } = resourceTree(operations)
  const fields = children.map((child) => `  readonly ${child.name[0]}: ${className(child.name)}\n`)
  const made = children.map(
    (child) => `    this.${child.name[0]} = new ${className(child.name)}(client)\n`,
  )
  const classes = children.map((child) => classText(document, child))
  const docex = `${docComment(classComment)}export class Docex {\n${fields.join('')}\n  constructor(options: ClientOptions = {}) {\n    const client = createClient(options)\n${made.join('')}  }\n}\n`
  const text = [...classes, docex].join('\n')
  return `${imports(text, "import * as f from './functions.ts'")}\n${text}`
}
