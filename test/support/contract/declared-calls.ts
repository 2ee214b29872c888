/** Calls of a running service that compare every response with its declaration. */
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { authOpenApiDocument, openApiDocument } from '../../../src/docs/openapi/openapi-document.ts'
import { operations } from '../../../src/operations/index.ts'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { isVersioned } from '../../../src/docs/operation-facts.ts'

interface OperationCall {
  credential?: string
  params?: Record<string, string>
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Calls an operation by its id and asserts that its declaration covers the response. */
export const declaredCalls = (running: TestService) => {
  const plain = (documentOf: typeof openApiDocument) =>
    JSON.parse(JSON.stringify(documentOf(operations, running.baseUrl))) as ReturnType<
      typeof openApiDocument
    >
  const documents = { v1: plain(openApiDocument), auth: plain(authOpenApiDocument) }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  for (const [$id, document] of Object.entries(documents)) ajv.addSchema({ ...document, $id })
  return async (id: string, options: OperationCall = {}): Promise<Reply> => {
    const operation = operations.find((candidate) => candidate.id === id)!
    const { method, path } = operation
    const { credential, params = {}, query, body, headers = {} } = options
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)
    const reply = await callApi(
      running,
      method,
      query === undefined ? filled : `${filled}?${query}`,
      {
        headers,
        ...(credential === undefined ? {} : { key: credential }),
        ...(body === undefined ? {} : { body }),
      },
    )
    const $id = isVersioned(operation) ? 'v1' : 'auth'
    const specification = documents[$id]
    const step = path.replaceAll('~', '~0').replaceAll('/', '~1')
    const place = `/paths/${step}/${method.toLowerCase()}/responses/${reply.status}`
    const declared = specification.paths[path]?.[method.toLowerCase()]?.responses[reply.status]
    assert(
      declared !== undefined,
      `${id} answers ${reply.status}, which it does not declare: ${reply.text}`,
    )
    const pointer = '$ref' in declared ? declared.$ref.slice(1) : place
    const response =
      '$ref' in declared
        ? specification.components.responses[pointer.split('/').at(-1)!]!
        : declared
    if (response.content !== undefined) {
      const schema = `${$id}#${pointer}/content/application~1json/schema`
      assert(ajv.validate(schema, reply.body), `${id}: ${ajv.errorsText()} in ${reply.text}`)
    }
    for (const name of serviceHeaders(reply)) {
      assert(name in lowerCased(response.headers), `${id} ${reply.status} does not declare ${name}`)
    }
    return reply
  }
}

/** Standard HTTP headers need no declaration. */
const standardHeaders = new Set([
  'connection',
  'content-encoding',
  'keep-alive',
  'date',
  'vary',
  'content-type',
  'content-length',
  'cache-control',
  'x-content-type-options',
])

const serviceHeaders = ({ headers }: Reply): string[] =>
  [...headers.keys()].filter((name) => !standardHeaders.has(name))

const lowerCased = (headers: object): object =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
