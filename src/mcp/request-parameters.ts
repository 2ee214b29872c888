/**
 * What is wrong with the parameters of a request. The SDK refuses them with the notes of its
 * schemas, and for most methods as a failure of its own (-32603).
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server'

type Handler = ReturnType<Server['_wrapHandler']>

/** A request that is answered costs no second look. */
export class ExplainingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    // oxlint-disable-next-line no-underscore-dangle -- the SDK gives its subclasses this hook
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        const [problem] = problemsOf(method, request.params)
        throw problem === undefined ? error : invalidParams(problem)
      }
    }
  }
}

const { PaginatedRequestParams } = specTypeSchemas

const schemas: Readonly<Record<string, (typeof specTypeSchemas)[keyof typeof specTypeSchemas]>> = {
  initialize: specTypeSchemas.InitializeRequestParams,
  'tools/list': PaginatedRequestParams,
  'tools/call': specTypeSchemas.CallToolRequestParams,
  'resources/list': PaginatedRequestParams,
  'resources/templates/list': PaginatedRequestParams,
  'resources/read': specTypeSchemas.ReadResourceRequestParams,
  'prompts/list': PaginatedRequestParams,
  'prompts/get': specTypeSchemas.GetPromptRequestParams,
}

const problemsOf = (method: string, params: object = {}): string[] => {
  const { issues = [] } = schemas[method]?.['~standard'].validate(params) ?? {}
  return issues.map(({ path = [], message }) => problemText(path.map(String).join('.'), message))
}

/** The schemas name types as zod does. */
const problemText = (name: string, message: string): string => {
  const [, expected, received] = /expected (\w+), received (\w+)/.exec(message) ?? []
  if (expected === undefined || received === undefined) return `${name}: ${message}.`
  const wanted = nouns[expected] ?? expected
  return received === 'undefined'
    ? `${name} is required: send ${wanted}.`
    : `${name} must be ${wanted}, not ${nouns[received] ?? received}: send ${wanted}.`
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Every list is one page, so no cursor is ever handed out. */
export const checkCursor = (params: { cursor?: string | undefined } | undefined): void => {
  if (params?.cursor === undefined) return
  throw invalidParams('There is no such cursor: the list is one page. Leave cursor out.')
}

export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)
