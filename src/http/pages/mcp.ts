/**
 * POST /mcp: the MCP server over Streamable HTTP (contract 9). It admits the caller as any request
 * does, before it reads the body; a tool call is then performed inside of it (in-process.ts). The
 * SDK is loaded with the first request.
 */
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config.ts'
import { type Refusal, invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import { newId } from '../../database/new-ids.ts'
import { oncePerDeployment } from '../../docs/rendering/render-once.ts'
import {
  type Selection,
  type Withheld,
  toolsetNames,
  withheldCall,
} from '../../mcp/offered-tools.ts'
import { type DirectCall, directAnswer, directCallOf } from '../../mcp/direct-call.ts'
import type { Mcp, McpRequest } from '../../mcp/server.ts'
import { type ToolRequest, unusableArguments, toolRequestOf } from '../../mcp/tool-request.ts'
import type { ToolResponse } from '../../mcp/tool-result.ts'
import type { OperationTool } from '../../mcp/tools.ts'
import { operations } from '../../operations/index.ts'
import { recordRequest } from '../access-log.ts'
import { checkComplete, checkHeaders } from '../admission/request-checks.ts'
import type { AuthenticatedCaller } from '../admission/authenticator.ts'
import { countCaller } from '../admission/counted-requests.ts'
import { identifyCaller, prefetch } from '../admit.ts'
import { type Exchange, openExchange } from '../exchange.ts'
import { performInside } from '../in-process.ts'
import { checkMediaType, readText } from '../parsing/body.ts'
import { type McpMessage, parseMcpMessage } from '../parsing/mcp-message.ts'
import { asRefusal } from '../refusals.ts'
import { requestStatesOf } from '../waiting-calls.ts'
import { send, sendRefusal } from '../respond.ts'
import { routeOf } from '../route.ts'
import type { Page } from './page.ts'

const paths = ['/mcp', '/mcp/readonly', '/mcp/x/{toolsets}', '/mcp/readonly/x/{toolsets}']

export const mcpPages: readonly Page[] = paths.map((path) => ({
  path,
  method: 'POST',
  serve: async (pipeline, request, response, { toolsets }) => {
    const exchange = openExchange(pipeline, request, response)
    // A response may contain a new key.
    exchange.showsSecret = true
    try {
      await serveMcp(exchange, { isReadOnly: path.startsWith('/mcp/readonly'), toolsets })
    } catch (error) {
      sendRefusal(exchange, await asRefusal(error, exchange))
    }
    recordRequest(exchange, 'mcp')
  },
}))

const serveMcp = async (
  exchange: Exchange,
  path: { isReadOnly: boolean; toolsets: string | undefined },
): Promise<void> => {
  const { request, pipeline } = exchange
  const { config } = pipeline.context
  checkHeaders(request)
  checkComplete(pipeline.context)
  checkOrigin(request, config)
  const early = isSmall(request) ? receive(exchange) : undefined
  // Refusing the caller takes precedence over what is wrong with the body.
  early?.catch(() => undefined)
  const { caller } = await identifyCaller(exchange, pipeline.addressOf(request).address)
  countCaller(exchange, caller!)
  const selection = { ...path, toolsets: toolsetsOf(path.toolsets) }
  checkOnlyPathNarrows(exchange)
  checkMediaType(request)
  const { message, call } = await (early ?? receive(exchange))
  if (!message.ok) return send(exchange, 400, message.error)
  const { wrongArgument } = message
  const serving = { exchange, caller: caller!, selection, wrongArgument }
  if (call === undefined) return answerBySdk(serving, message.message)
  const response = await perform(serving, call)
  send(exchange, 200, directAnswer(call.direct, response), { 'Content-Type': 'application/json' })
}

/** It comes with the headers, and costs no more than they do, whoever sends it. */
const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] === 'application/json' &&
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined &&
  Number(headers['content-length'] ?? 0) <= limits.mcpEarlyBodyMaxBytes

interface Received {
  message: McpMessage
  /** Undefined: it is left to the SDK. */
  call: (ReceivedCall & { direct: DirectCall }) | undefined
}

interface ReceivedCall {
  tool: OperationTool
  values: Readonly<Record<string, unknown>>
  /** What it stands for. */
  inner: ToolRequest
  /** What that reads, as for a read over HTTP: loaded while the caller is looked up. */
  prefetched: Promise<unknown> | undefined
}

const receive = async (exchange: Exchange): Promise<Received> => {
  const { text } = await readText(exchange, limits.mcpBodyMaxBytes)
  const message = parseMcpMessage(text)
  const direct = message.ok ? directCallOf(message.message, exchange.request.headers) : undefined
  const tool = direct && mcp?.toolNamed(direct.name)
  if (tool === undefined) return { message, call: undefined }
  const { values } = direct!
  const inner = toolRequestOf(tool, values)
  const prefetched = prefetch(exchange, tool.operation, inner.params)
  return { message, call: { direct: direct!, tool, values, inner, prefetched } }
}

interface Serving {
  exchange: Exchange
  caller: AuthenticatedCaller
  selection: Selection
  /** What is wrong with the arguments, as they were written, of the only call. */
  wrongArgument: Problem | undefined
}

const answerBySdk = async (serving: Serving, message: unknown): Promise<void> => {
  const { exchange, caller, selection } = serving
  const { request, pipeline } = exchange
  const { context } = pipeline
  const isBatch = Array.isArray(message)
  if (isBatch) for (const _ of message.slice(1)) countCaller(exchange, caller)
  mcp ??= (await import('../../mcp/server.ts')).openMcp(operations)
  const mcpRequest: McpRequest = {
    config: context.config,
    caller: { ...caller, config: context.config },
    selection,
    states: requestStatesOf(exchange, caller),
    perform: (tool, values) => {
      const call = { tool, values, inner: toolRequestOf(tool, values), prefetched: undefined }
      // One id for a call and the response that carries it.
      return perform(serving, call, isBatch ? newId() : exchange.requestId)
    },
  }
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const url = new URL(request.url ?? '/', context.config.baseUrl)
  const response = await mcp.respond(new Request(url, { method: 'POST', headers }), {
    parsedBody: message,
    authInfo: mcp.authInfoOf(mcpRequest),
  })
  const type = response.headers.get('content-type')
  const headersOfType = type === null ? {} : { 'Content-Type': type }
  send(exchange, response.status, await response.text(), headersOfType)
}

let mcp: Mcp | undefined

const perform = (
  { exchange, caller, selection, wrongArgument }: Serving,
  { tool, values, inner, prefetched }: ReceivedCall,
  requestId = exchange.requestId,
): Promise<ToolResponse> => {
  const { operation } = tool
  const offer = { ...caller, config: exchange.pipeline.context.config }
  const why = withheldCall(tool, inner, offer, selection)
  const problems =
    wrongArgument === undefined ? unusableArguments(tool, values, inner) : [wrongArgument]
  // The operation itself refuses whoever is no sandbox.
  const isRefusedAnyway = why?.reason === 'sandbox_isolation'
  const notOffered = why && !isRefusedAnyway ? notOfferedRefusal(tool, why) : undefined
  const incomplete = problems.length === 0 ? undefined : invalidRequest(problems)
  const admission = {
    requestId,
    caller,
    rateLimitStatus: exchange.rateLimitStatus,
    refusal: notOffered ?? incomplete,
    prefetched,
  }
  const match = { route: routeOf(operation), params: inner.params, allowedMethods: [], admission }
  return performInside(exchange, match, inner)
}

/** Refusals of the API take precedence: its own reasons never reach this. */
const notOfferedRefusal = (
  { listed }: OperationTool,
  { reason, message, remedy }: Withheld,
): Refusal => refuse('forbidden', `${listed.name}: ${message} ${remedy}`, { reason })

const toolsetsOf = (list: string | undefined): ReadonlySet<string> | undefined => {
  if (list === undefined) return undefined
  const names = list.split(',')
  const unknown = names.find((name) => !toolsetNames.includes(name))
  if (unknown === undefined) return new Set(names)
  const meant = closestMatch(unknown, toolsetNames)
  throw invalidRequest({
    param: 'toolsets',
    code: 'invalid_value',
    message: `There is no toolset ${JSON.stringify(unknown.slice(0, limits.echoedNameMaxLength))}.`,
    fix: meant === undefined ? `choose from ${toolsetNames.join(', ')}` : `did you mean ${meant}`,
  })
}

/** As other servers take them. */
const narrowingHeaders = ['X-MCP-Readonly', 'X-MCP-Toolsets', 'X-MCP-Tools']

/** Whoever believes to have restricted an agent by anything else has not, and is told so. */
const checkOnlyPathNarrows = ({ request, search }: Exchange): void => {
  const inQuery = [...new URLSearchParams(search).keys()][0]
  const param =
    inQuery ?? narrowingHeaders.find((name) => request.headers[name.toLowerCase()] !== undefined)
  if (param === undefined) return
  throw invalidRequest({
    param: param.slice(0, limits.echoedNameMaxLength),
    code: inQuery === undefined ? 'invalid_value' : 'unknown_field',
    message: 'Only the path says which tools a connection has. This would restrict nothing.',
    fix: 'connect to /mcp/readonly for reads alone, or to /mcp/x/documents,payments',
  })
}

const allowedHosts = oncePerDeployment(({ baseUrl }): readonly string[] => [
  new URL(baseUrl).hostname,
  'localhost',
  '127.0.0.1',
  '[::1]',
])

/**
 * A page in a browser on the caller's machine must not reach this server under a name of its own
 * (DNS rebinding), nor from its own origin. Other clients send no Origin.
 */
const checkOrigin = ({ headers }: IncomingMessage, config: Config): void => {
  const allowed = allowedHosts(config)
  const { host = '', origin } = headers
  // Most are a plain name, for which no URL has to be parsed.
  const plain = /^([a-z\d.-]+)(?::\d+)?$/.exec(host)?.[1]
  if (!allowed.includes(plain ?? hostnameOf(`http://${host}`))) {
    throw refuse('forbidden', `Host ${host} is not allowed: use ${allowed[0]}.`, { reason: 'host' })
  }
  if (origin === undefined || allowed.includes(hostnameOf(origin))) return
  throw refuse('forbidden', `Origin ${origin} is not allowed.`, { reason: 'origin' })
}

const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
