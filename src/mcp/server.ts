/**
 * The MCP server of one HTTP request, for both eras of the protocol: tools, resources and prompts.
 * It keeps nothing between requests, and a tool call is the request of its operation.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpHttpHandler,
  type McpRequestContext,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
  createMcpHandler,
} from '@modelcontextprotocol/server'
import type { Config } from '../config.ts'
import { closestMatch } from '../core/did-you-mean.ts'
import { oncePerDeployment } from '../docs/rendering/render-once.ts'
import type { Operation } from '../operations/operation.ts'
import { serverInfo } from './direct-call.ts'
import { type Resource, resourcesOf } from './guide.ts'
import { offeredInstructions, offeredPrompts, promptFor } from './offered-texts.ts'
import { type Selection, type ToolCaller, withheld, withheldInPart } from './offered-tools.ts'
import { ExplainingServer, checkCursor, invalidParams } from './request-parameters.ts'
import { type ToolResponse, resultOf } from './tool-result.ts'
import { type OperationTool, explainName, explainTool, toolsOf } from './tools.ts'
import { type RequestStates, type ToolCall, askedOfClient, clientTurn } from './waiting-calls.ts'

/** What is known of the HTTP request. */
export interface McpRequest {
  config: Config
  caller: ToolCaller
  selection: Selection
  states: RequestStates
  perform(tool: OperationTool, values: Readonly<Record<string, unknown>>): Promise<ToolResponse>
}

interface Catalog {
  resources(config: Config): readonly Resource[]
  tools: readonly OperationTool[]
  byName: ReadonlyMap<string, OperationTool>
}

/** Nothing here changes while a client is connected, so there is nothing to subscribe to. */
const noSubscriptions = { maxSubscriptions: 0 }

export interface Mcp {
  respond: McpHttpHandler['fetch']
  authInfoOf: typeof authInfoOf
  toolNamed(name: string): OperationTool | undefined
}

export const openMcp = (operations: readonly Operation[]): Mcp => {
  const tools = toolsOf(operations)
  const byName = new Map(tools.map((tool) => [tool.listed.name, tool]))
  const resources = oncePerDeployment((config) => resourcesOf(operations, config))
  const catalog: Catalog = { resources, tools, byName }
  const handler = createMcpHandler(
    ({ authInfo, era }) => serverFor(catalog, authInfo!.extra!['request'] as McpRequest, era),
    noSubscriptions,
  )
  return {
    authInfoOf,
    toolNamed: (name) => byName.get(name),
    respond: (request, options) => {
      const message = options?.parsedBody
      return isSubscription(message) ? noSuchMethod(message) : handler.fetch(request, options)
    },
  }
}

interface Subscription {
  id: string | number
}

const isSubscription = (message: unknown): message is Subscription =>
  typeof message === 'object' &&
  message !== null &&
  (message as { method?: unknown }).method === 'subscriptions/listen' &&
  ['string', 'number'].includes(typeof (message as { id?: unknown }).id)

/** The SDK would say that the limit of subscriptions is reached, as if some were offered. */
const noSuchMethod = async ({ id }: Subscription): Promise<Response> => {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 404 })
}

/** The SDK hands this on to the server of the request; the token is checked before and not here. */
const authInfoOf = (request: McpRequest) => ({
  token: '',
  clientId: request.caller.credential.id,
  scopes: [...request.caller.scopes],
  extra: { request },
})

const oneHour = { ttlMs: 3_600_000, cacheScope: 'public' } as const
const forThisCaller = { ttlMs: 0, cacheScope: 'private' } as const

const cacheHints = {
  'tools/list': forThisCaller,
  'prompts/list': forThisCaller,
  'resources/list': oneHour,
  'resources/templates/list': oneHour,
  'resources/read': oneHour,
  'server/discover': forThisCaller,
}

const serverFor = (
  catalog: Catalog,
  request: McpRequest,
  era: McpRequestContext['era'],
): Server => {
  const { byName } = catalog
  const offer = { byName, ...request }
  const server = new ExplainingServer(serverInfo, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: offeredInstructions(offer),
    cacheHints,
  })
  server.setRequestHandler('tools/list', ({ params }) => {
    checkCursor(params)
    return { tools: offeredTools(catalog, request) as never }
  })
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const call = { name: params.name, values: params.arguments ?? {} }
    return callTool(catalog, { ...request, era, context }, call)
  })
  const resources = () => catalog.resources(request.config)
  server.setRequestHandler('resources/list', ({ params }) => {
    checkCursor(params)
    return { resources: resources().map(listedResource) }
  })
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    checkCursor(params)
    return { resourceTemplates: [] }
  })
  server.setRequestHandler('resources/read', ({ params }) => readResource(resources(), params.uri))
  server.setRequestHandler('prompts/list', ({ params }) => {
    checkCursor(params)
    return { prompts: offeredPrompts(offer) }
  })
  server.setRequestHandler('prompts/get', ({ params }) =>
    promptFor(params.name, params.arguments ?? {}, offer),
  )
  return server
}

const listedResource = ({ uri, name, description, mimeType }: Resource) => ({
  uri,
  name,
  description,
  mimeType,
})

/** Under a narrowing path there is room for the shapes of the responses. */
const offeredTools = ({ tools }: Catalog, { caller, selection }: McpRequest) => [
  ...tools
    .filter((tool) => withheld(tool, caller, selection) === undefined)
    .map(({ listed, listedWithOutput }) =>
      selection.toolsets === undefined ? listed : listedWithOutput,
    ),
  explainTool,
]

interface SdkRequest extends McpRequest {
  era: McpRequestContext['era']
  context: ServerContext
}

const callTool = async (
  catalog: Catalog,
  request: SdkRequest,
  call: ToolCall,
): Promise<CallToolResult | InputRequiredResult> => {
  const { name, values } = call
  const turn = await clientTurn(request, call, request.context)
  if (name === explainName) return explained(catalog, request, values)
  const tool = catalog.byName.get(name)
  if (tool === undefined) throw invalidParams(unknownTool(catalog, name))
  const response = await request.perform(tool, values)
  return (await askedOfClient(request, call, turn, response)) ?? resultOf(response)
}

const unknownTool = ({ byName }: Catalog, name: string): string => {
  const names = [...byName.keys(), explainName]
  const meant =
    closestMatch(name, names) ??
    names.find((one) => endsInWords(name, one) || endsInWords(one, name))
  const suggestion = meant === undefined ? 'tools/list names all of them' : `did you mean ${meant}`
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}: ${suggestion}.`
}

/** Such as comments_list for documents_comments_list, and the other way round. */
const endsInWords = (longer: string, shorter: string): boolean =>
  shorter.includes('_') && longer.endsWith(`_${shorter}`)

const explained = (
  catalog: Catalog,
  { caller, selection }: McpRequest,
  { name }: Readonly<Record<string, unknown>>,
): CallToolResult => {
  if (typeof name !== 'string') return failedExplanation(nameRequired)
  const tool = catalog.byName.get(name)
  const shown = { name: name.slice(0, 100) }
  if (tool !== undefined) {
    const why = withheld(tool, caller, selection)
    if (why !== undefined) return explanation({ ...shown, offered: false, ...why })
    return explanation({ ...shown, ...offerOf(withheldInPart(tool, caller, selection)) })
  }
  if (name === explainName) return explanation({ ...shown, ...offerOf(undefined) })
  return failedExplanation({ ...shown, offered: false, message: unknownTool(catalog, name) })
}

const nameRequired = {
  offered: false,
  message: 'The argument name is required: the name of a tool, such as documents_get.',
}

const explanation = (body: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: body,
})

const failedExplanation = (body: Record<string, unknown>): CallToolResult => ({
  ...explanation(body),
  isError: true,
})

const offerOf = (inPart: ReturnType<typeof withheldInPart>) => ({
  offered: true,
  ...inPart,
  message:
    inPart === undefined
      ? 'The tool is offered. If a call is refused, its error says why.'
      : `The tool is offered, but not with every argument. ${inPart.message}`,
})

const readResource = (resources: readonly Resource[], uri: string) => {
  const resource = resources.find((one) => one.uri === uri)
  if (resource === undefined) {
    throw new ResourceNotFoundError(uri, 'There is no such resource: list them first.')
  }
  return { contents: [{ uri, mimeType: resource.mimeType, text: resource.read() }] }
}
