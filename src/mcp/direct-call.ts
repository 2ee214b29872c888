/**
 * Tool calls that need nothing of the protocol but its envelope: of the newest revision, alone in
 * their request, with headers that agree. They are answered as the SDK would, without what the SDK
 * does for all that may be different (docs/decisions/0089). Everything else is left to it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { version } from '../contract/version.ts'
import { type ToolResponse, isJson, shownContent, shownMeta, structuredOf } from './tool-result.ts'
import { explainName } from './tools.ts'

export const serverInfo = { name: 'document-exchange-service', version }

export interface DirectCall {
  id: string | number
  name: string
  values: Readonly<Record<string, unknown>>
}

const revision = '2026-07-28'

const metaNames = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
}

const serverInfoName = 'io.modelcontextprotocol/serverInfo'

/** Undefined for whatever is not exactly of the common form, so that the SDK judges it. */
export const directCallOf = (
  message: unknown,
  headers: IncomingHttpHeaders,
): DirectCall | undefined => {
  if (!isRecord(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || method !== 'tools/call') return undefined
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined
  if (!isRecord(params, ['name', 'arguments', '_meta'])) return undefined
  const { name, arguments: values = {}, _meta: meta } = params
  if (typeof name !== 'string' || name === explainName || !isRecord(values)) return undefined
  if (!isCommonMeta(meta) || !agree(headers, name)) return undefined
  return { id: id as string | number, name, values }
}

const agree = (headers: IncomingHttpHeaders, name: string): boolean => {
  const { accept = '' } = headers
  return (
    headers['mcp-protocol-version'] === revision &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name &&
    headers['content-type'] === 'application/json' &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream')
  )
}

const capabilities = ['elicitation', 'roots', 'sampling']

const knownMeta: readonly string[] = Object.values(metaNames)

const isCommonMeta = (meta: unknown): boolean => {
  if (!isRecord(meta, knownMeta)) return false
  const info = meta[metaNames.clientInfo]
  const able = meta[metaNames.clientCapabilities]
  return (
    meta[metaNames.protocolVersion] === revision &&
    isRecord(info, ['name', 'version']) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    isRecord(able, capabilities) &&
    Object.values(able).every((one) => isRecord(one, []))
  )
}

const isRecord = (
  value: unknown,
  names?: readonly string[],
): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  if (names !== undefined) for (const name in value) if (!names.includes(name)) return false
  return true
}

/** The message of the response. What the operation answered goes into it as it is. */
export const directAnswer = ({ id }: DirectCall, response: ToolResponse): string => {
  const { status, headers, text } = response
  const stamped = JSON.stringify({ ...shownMeta(headers), [serverInfoName]: serverInfo })
  const content = JSON.stringify(shownContent(headers, text))
  const structured = isJson(headers) ? text : JSON.stringify(structuredOf(headers, text))
  const rest = status >= 400 ? '"isError":true' : `"structuredContent":${structured}`
  return `{"result":{"_meta":${stamped},"content":${content},${rest},"resultType":"complete"},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}
