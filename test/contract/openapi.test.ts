/** The OpenAPI document describes exactly the served operations, each once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { errorCodes } from '../../src/contract/error-codes.ts'
import { errors } from '../../src/contract/errors.ts'
import { examples } from '../../src/docs/examples/index.ts'
import { possibleErrorCodes } from '../../src/docs/openapi/error-codes.ts'
import { toYaml } from '../../src/docs/openapi/yaml.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { ResponseObject } from '../../src/docs/openapi/responses.ts'
import { openApiDocument } from '../../src/docs/openapi/openapi-document.ts'
import type { OperationObject } from '../../src/docs/openapi/openapi-types.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const baseUrl = 'https://docs.example'
// Plain JSON, as clients read it, without the markers that TypeBox adds to schemas.
const text = JSON.stringify(openApiDocument(operations, baseUrl))
const specification = JSON.parse(text) as ReturnType<typeof openApiDocument>
const served = operations.filter(isVersioned)

const items: OperationObject[] = Object.values(specification.paths).flatMap((path) =>
  Object.values(path),
)

/** Every object inside a value, with its JSON pointer. */
const objects = (
  value: unknown,
  pointer = '#',
): [pointer: string, object: Record<string, unknown>][] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, child]) => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
    return objects(child, `${pointer}/${step}`)
  })
  return [[pointer, { ...value }], ...inner]
}

const allObjects = objects(specification)

const at = (reference: string): unknown =>
  allObjects.find(([pointer]) => pointer === reference)?.[1]

test('every operation appears exactly once under its path and method', () => {
  assert.equal(items.length, served.length)
  for (const { id, path, method } of served) {
    assert.equal(specification.paths[path]?.[method.toLowerCase()]?.operationId, id)
  }
})

test('operation ids are unique', () => {
  assert.equal(new Set(served.map(({ id }) => id)).size, served.length)
})

test('an operation outside of the contract is left out', () => {
  const outside = {
    ...served[0]!,
    id: 'sessions.create',
    path: '/auth/sessions',
    isUnversioned: true,
  }
  assert.deepEqual(
    openApiDocument([...operations, outside], baseUrl),
    openApiDocument(operations, baseUrl),
  )
})

test('every reference resolves', () => {
  const references = allObjects.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
  assert(references.length > 100)
  for (const reference of references) assert(at(reference), `${reference} does not resolve`)
})

test('no schema contains a marker of TypeBox or a custom format', () => {
  assert(!text.includes('"~'))
  // A property may be named format, and an example may have one: neither has a type.
  const formats = new Set(
    allObjects.map(([, { format, type }]) => (type === 'string' ? format : undefined)),
  )
  assert.deepEqual(formats, new Set([undefined, 'date', 'date-time', 'uri']))
})

const compiler = () => {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    formats: { date: true, 'date-time': true, uri: true },
  })
  ajv.addVocabulary(['components', 'discriminator'])
  ajv.addSchema({ $id: 'document', components: specification.components }, 'document', false, false)
  return (schema: object) => {
    const own = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
    return ajv.compile(JSON.parse(own) as object)
  }
}

const isSchema = (pointer: string): boolean =>
  /\/schema$|^#\/components\/schemas\/[^/]+$/.test(pointer)

test('every schema compiles, and every example is valid against its schema', () => {
  const compile = compiler()
  const schemas = allObjects.filter(([pointer]) => isSchema(pointer))
  assert(schemas.length > 50)
  for (const [pointer, schema] of schemas) {
    const validate = compile(schema)
    const holder = at(pointer.replace(/\/schema$/, '')) as { example?: unknown; examples?: object }
    const shown = Object.values(holder.examples ?? {}).map(
      (example: { value: unknown }) => example.value,
    )
    const values = 'example' in holder ? [holder.example] : pointer.endsWith('/schema') ? shown : []
    for (const value of values) {
      assert(validate(value), `${pointer}: ${JSON.stringify(validate.errors)}`)
    }
  }
})

test('an operation shows its example, and a body only where it accepts one', () => {
  const ids = operations.map(({ id }) => id)
  for (const id of Object.keys(examples)) assert(ids.includes(id), id)
  for (const { id, body, status = 200 } of served) {
    const item = items.find(({ operationId }) => operationId === id)!
    const response = item.responses[status] as ResponseObject
    const example = JSON.parse(JSON.stringify(examples[id]?.response ?? null)) as unknown
    assert.deepEqual(Object.values(response.content!)[0]!.example, example, id)
    assert.equal(item.requestBody === undefined, body === undefined)
  }
})

test('an operation with a body or required parameters shows an example of them', () => {
  // The bodies of these are optional and rarely sent.
  const bare = ['documents.pay', 'sandboxes.create']
  type Fields = { properties?: object; required?: string[] }
  const fieldsOf = (schema: unknown) => Object.keys((schema as Fields).properties ?? {})
  for (const { id, body, query, takesFile } of served) {
    const example = examples[id]
    if (body !== undefined && takesFile === undefined && !bare.includes(id)) {
      assert.equal(example?.body !== undefined, fieldsOf(body).length > 0, `${id} shows a body`)
    }
    const shownParameters = [...new URLSearchParams(example?.query).keys()]
    for (const name of (query as Fields | undefined)?.required ?? []) {
      assert(shownParameters.includes(name), `${id} shows ${name}`)
    }
  }
})

test('the codes of the error envelope are the codes of the contract', () => {
  const { schemas } = specification.components
  const { mapping } = schemas['ErrorBody']!.discriminator!
  assert.deepEqual(Object.keys(mapping), errorCodes)
  assert.deepEqual(Object.keys(errors), errorCodes)
  for (const [code, reference] of Object.entries(mapping)) {
    const error = at(reference) as JsonSchema
    assert.deepEqual(error.properties!['code']!.enum, [code])
  }
})

test('4.2.1 every write accepts an Idempotency-Key, and no read does', () => {
  for (const { operationId, parameters } of items) {
    const isWrite = served.find(({ id }) => id === operationId)!.method !== 'GET'
    const takesKey = parameters.some(
      (parameter) => '$ref' in parameter && parameter.$ref.endsWith('/IdempotencyKey'),
    )
    assert.equal(takesKey, isWrite, operationId)
  }
})

test('an operation lists every error code it can answer under the status of the code', () => {
  for (const operation of served) {
    const item = items.find(({ operationId }) => operationId === operation.id)!
    for (const code of possibleErrorCodes(operation)) {
      const reference = item.responses[errors[code].status] as { $ref: string }
      const response = at(reference.$ref) as ResponseObject
      assert(code in response.content!['application/json']!.examples!, `${operation.id} ${code}`)
    }
  }
})

const codesOf = (change: Partial<Operation>) =>
  possibleErrorCodes({ ...served[0]!, scopes: [], ...change })

test('5 the possible refusals follow from the allowed callers', () => {
  const anyone = codesOf({ allowed: 'public' })
  assert(!anyone.includes('unauthorized') && !anyone.includes('forbidden'))
  const anyCaller = codesOf({ allowed: 'any' })
  assert(anyCaller.includes('unauthorized') && !anyCaller.includes('insufficient_scope'))
  assert(codesOf({ allowed: 'admin' }).includes('insufficient_scope'))
  const treasury = codesOf({ allowed: 'scoped', scopes: ['treasury:read'], family: 'treasury' })
  assert(treasury.includes('capability_unavailable') && treasury.includes('not_enabled'))
  assert(!codesOf({ method: 'GET' }).includes('idempotency_conflict'))
  assert(codesOf({ method: 'POST' }).includes('idempotency_conflict'))
})

test('a comma-separated list is one parameter, not one per value', () => {
  const { parameters } = items.find(({ operationId }) => operationId === 'documents.list')!
  const status = parameters.find((parameter) => 'name' in parameter && parameter.name === 'status')
  assert(status !== undefined && 'style' in status)
  assert.deepEqual([status.style, status.explode], ['form', false])
})

test('what has `fields`, and nothing else, says that its schema is that of whole rows', () => {
  for (const { operationId, parameters, responses } of items) {
    const takesFields = parameters.some((one) => 'name' in one && one.name === 'fields')
    const saysIt = /with `fields`, a row has those alone/.test(
      (responses['200'] as ResponseObject | undefined)?.description ?? '',
    )
    assert.equal(saysIt, takesFields, operationId)
  }
})

test('an id in a path has the pattern of its resource', () => {
  const { parameters } = items.find(({ operationId }) => operationId === 'documents.get')!
  const id = parameters.find((parameter) => 'name' in parameter && parameter.name === 'id')
  assert(id !== undefined && 'schema' in id)
  assert.match(String(id.schema.pattern), /^\^doc_/)
})

test('contract 2: the description of an id in a path names its record in words', () => {
  const ids = items.flatMap(({ parameters }) =>
    parameters.filter((one) => 'in' in one && one.in === 'path' && 'description' in one),
  )
  assert(ids.length > 30)
  for (const { description } of ids as { description: string }[]) {
    const named = description.replaceAll(/`[^`]*`/g, '')
    assert.doesNotMatch(named, /\w_\w/)
  }
})

test('every address uses the base URL of the deployment', () => {
  assert(!text.includes('localhost'))
  assert.deepEqual(specification.servers, [{ url: baseUrl, description: 'This deployment.' }])
})

test('an address of the reader’s own machine is the default of a variable', () => {
  const serverFor = (address: string) => {
    const [server] = openApiDocument(operations, address).servers
    return { url: server?.url, host: server?.variables?.['host']?.default }
  }
  assert.deepEqual(serverFor('http://localhost:8080'), {
    url: 'http://{host}',
    host: 'localhost:8080',
  })
  assert.deepEqual(serverFor('http://[::1]:8080/a'), { url: 'http://{host}/a', host: '[::1]:8080' })
})

/** Readers of YAML 1.1 are still common, and take `no` for a boolean. */
const yamlVersions = ['1.2', '1.1'] as const

test('the YAML form holds the same document, for older readers too', () => {
  for (const version of yamlVersions)
    assert.deepEqual(parse(toYaml(specification), { version }), specification)
})

test('YAML quotes a string that looks like another type', () => {
  const tricky = {
    yes: ['no', '~', '', ' x ', '- a', 'a: b', '#', '1.0', 'null', '0x1f', '2026-11-21', "it's"],
    '200': {
      'a b': 'line\nbreak "quoted" \\ \u2028\u0085\u007f',
      empty: {},
      none: [],
      nested: [[1, [2]], [{}]],
    },
    null: [{ a: 1, b: [{ c: null }] }, true, -1.5e-7],
  }
  const written = toYaml(tricky)
  for (const version of yamlVersions) assert.deepEqual(parse(written, { version }), tricky)
  assert.match(written, /^[\x20-\x7e\n]*$/)
})
