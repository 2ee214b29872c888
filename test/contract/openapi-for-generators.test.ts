/**
 * Generators of clients take the OpenAPI documents as they are: values and responses have names,
 * unions are told apart by one field, and no name or pattern is invalid in another language.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventTypeNames } from '../../src/contract/events.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import { authOpenApiDocument, openApiDocument } from '../../src/docs/openapi/openapi-document.ts'
import { shapes } from '../../src/docs/shapes.ts'
import { operations } from '../../src/operations/index.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { inheritedEnvironment } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const baseUrl = 'https://docs.example'
const documents = [openApiDocument, authOpenApiDocument].map(
  (documentOf) => JSON.parse(JSON.stringify(documentOf(operations, baseUrl))) as Specification,
)
type Specification = ReturnType<typeof openApiDocument>
const [specification] = documents as [Specification]
const { schemas } = specification.components

/** Every object inside a value. */
const objects = (value: unknown): Record<string, unknown>[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objects)
  return Array.isArray(value) ? inner : [{ ...value }, ...inner]
}

test('every shape and every response that is not a file has a name', () => {
  for (const name of Object.keys(shapes)) assert(name in schemas, name)
  const unnamed = Object.values(specification.paths).flatMap((path) =>
    Object.values(path).filter(({ responses }) => {
      const response = responses['200']
      const content = response === undefined || '$ref' in response ? undefined : response.content
      const json = content?.['application/json']
      return json !== undefined && json.schema.$ref === undefined
    }),
  )
  assert.deepEqual(
    unnamed.map(({ operationId }) => operationId),
    ['specification.get'],
  )
})

test('a list of values that occurs in two places has a name', () => {
  // Values that mean different things in different places stay where they are.
  const isShared = (values: unknown[]) => values.length > 3
  const inline = Object.entries(schemas)
    .filter(([, { enum: values }]) => values === undefined)
    .flatMap(([, schema]) => objects(schema))
    .flatMap(({ enum: values }) => (Array.isArray(values) && isShared(values) ? [values] : []))
  const names = ['DocumentTypeName', 'DocumentStatus', 'Currency', 'PaymentStatus', 'EventType']
  for (const name of names) {
    const values = schemas[name]!.enum as unknown[]
    assert(!inline.some((list) => String(list) === String(values)), name)
  }
})

test('events are told by their type and errors by their code', () => {
  const unions: readonly [name: string, property: string][] = [
    ['EventEnvelope', 'type'],
    ['ErrorBody', 'code'],
  ]
  for (const [name, property] of unions) {
    const { discriminator, oneOf } = schemas[name]!
    assert.equal(discriminator!.propertyName, property)
    assert.deepEqual(
      Object.values(discriminator!.mapping),
      oneOf!.map(({ $ref }) => $ref),
    )
  }
  assert.deepEqual(Object.keys(schemas['EventEnvelope']!.discriminator!.mapping), eventTypeNames)
})

/** The global names of a browser, from the declarations of TypeScript. */
const browserGlobals = async (): Promise<Set<string>> => {
  const require = createRequire(new URL('../../tools/package.json', import.meta.url))
  const library = await readFile(require.resolve('typescript/lib/lib.dom.d.ts'), 'utf8')
  const declared = /^(?:declare var|interface) (\w+)/gm
  return new Set([...library.matchAll(declared)].map(([, name]) => name!))
}

/** The builtins of Python that a schema could be called. */
const pythonBuiltins = [
  'ConnectionError',
  'TimeoutError',
  'PermissionError',
  'ValueError',
  'KeyError',
  'TypeError',
  'AttributeError',
  'LookupError',
  'MemoryError',
  'SystemError',
  'Warning',
  'Exception',
]

test('no schema hides a global of JavaScript, of browsers or of Python', async (t) => {
  const browser = await browserGlobals().catch(() => undefined)
  if (browser === undefined) t.diagnostic('tools/ is not installed: browser globals not checked')
  for (const name of documents.flatMap(({ components }) => Object.keys(components.schemas))) {
    assert(!(name in globalThis), `${name} is a global of JavaScript`)
    assert(!pythonBuiltins.includes(name), `${name} is a builtin of Python`)
    assert(browser?.has(name) !== true, `${name} is a global of browsers`)
  }
})

test('no schema has a name that Orval derives from an operation', () => {
  const derived = documents
    .flatMap(({ paths }) => Object.values(paths).flatMap((path) => Object.values(path)))
    .map(({ operationId }) =>
      operationId.replaceAll(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase()),
    )
    .flatMap((operation) => ['Result', 'Params', 'Body'].map((part) => `${operation}${part}`))
  assert(derived.includes('DocumentsListParams'))
  assert.deepEqual(
    derived.filter((name) => name in schemas),
    [],
  )
})

describe('patterns are valid in Python and in Go', () => {
  const found = documents.flatMap(objects).flatMap(({ pattern }) => pattern)
  const patterns = [...new Set(found.filter((pattern) => typeof pattern === 'string'))]

  test('they have no \\p{L}, which re does not know, and no lookaround', () => {
    assert(patterns.length > 10)
    for (const pattern of patterns) {
      assert.doesNotMatch(pattern, /\\[pPkuc]|\\[1-9]|\(\?|\{\d{4,}/, pattern)
    }
  })

  const program = (name: string) =>
    fileURLToPath(new URL(`../support/contract/${name}`, import.meta.url))
  for (const [language, command, args, hint] of [
    ['Python', 'python3', [program('patterns.py')], 'The SDK for Python needs it, too.'],
    ['Go', 'go', ['run', program('patterns.go')], 'apt-get install golang-go installs it.'],
  ] as const) {
    test(`${language} itself compiles them`, { skip: !hasProgram(command) && hint }, () => {
      const env = { ...inheritedEnvironment, GOCACHE: temporaryFolder(), GO111MODULE: 'off' }
      const refused = (input: readonly string[]) => {
        const options = { input: JSON.stringify(input), encoding: 'utf8', env } as const
        const { status, stdout, stderr } = spawnSync(command, args, options)
        assert.equal(status, 0, stderr)
        return stdout
      }
      assert.match(refused(['a(b']), /a\(b/)
      assert.equal(refused(patterns), '')
    })
  }
})

test('every parameter, body, response and webhook has an example', () => {
  const isShown = (holder: object, schema: JsonSchema) =>
    'example' in holder || 'examples' in holder || schema.examples !== undefined
  for (const { paths, webhooks, components } of documents) {
    const parameters = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.parameters)
      .flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]))
    for (const parameter of [...parameters, ...Object.values(components.parameters)]) {
      assert(isShown(parameter, parameter.schema), parameter.name)
    }
    for (const [name, { schema }] of Object.entries(components.headers)) {
      assert(isShown({}, schema), name)
    }
    for (const content of objects({ paths, webhooks, components })) {
      const media = (content['application/json'] ?? content['multipart/form-data']) as
        | { schema: JsonSchema }
        | undefined
      if (media !== undefined) assert(isShown(media, {}), JSON.stringify(media.schema))
    }
  }
})

test('sign-in has a document of its own', () => {
  const [, auth] = documents as [Specification, Specification]
  assert.deepEqual(Object.keys(auth.paths), [
    '/auth/methods',
    '/auth/setup',
    '/auth/sessions',
    '/auth/sessions/refresh',
    '/auth/sessions/{id}',
    '/auth/session',
    '/auth/session/step-up',
    '/auth/session/switch',
    '/auth/invitations/accept',
    '/auth/totp',
    '/auth/totp/confirm',
    '/auth/recovery-codes',
    '/auth/passkeys/register/options',
    '/auth/passkeys/register/verify',
    '/auth/passkeys',
    '/auth/passkeys/{id}',
    '/auth/passkeys/sign-in/options',
    '/auth/passkeys/sign-in/verify',
    '/auth/device',
    '/auth/device/token',
    '/auth/device/claim',
    '/auth/device/approve',
    '/auth/device/deny',
    '/auth/links',
    '/auth/links/redeem',
    '/auth/identities',
    '/auth/identities/{provider}',
    '/auth/openapi.json',
  ])
  assert(!('IdempotencyKey' in auth.components.parameters), 'sign-in takes no Idempotency-Key')
  assert(Object.keys(specification.paths).every((path) => path.startsWith('/v1/')))
})
