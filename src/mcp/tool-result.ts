/** What a tool call shows of the response of its operation. */
import type { CallToolResult } from '@modelcontextprotocol/server'

/** The response of the operation, byte by byte. */
export interface ToolResponse {
  status: number
  /** Names and values in turn. */
  headers: readonly string[]
  text: string
}

type Content = CallToolResult['content']

export const resultOf = ({ status, headers, text }: ToolResponse): CallToolResult => {
  const isError = status >= 400
  return {
    content: shownContent(headers, text),
    ...(isError ? { isError } : { structuredContent: structuredOf(headers, text) }),
    _meta: shownMeta(headers),
  }
}

/**
 * The text, as it was answered. A PDF is a resource, so that no model has to read its bytes. A dry
 * run is answered like what it stands for, but for a header that few clients show to a model.
 */
export const shownContent = (headers: readonly string[], text: string): Content => {
  const mimeType = valueOf(headers, 'Content-Type')
  if (mimeType === 'application/pdf') {
    const name = /filename="([^"]+)"/.exec(valueOf(headers, 'Content-Disposition'))?.[1]
    return [{ type: 'resource', resource: { uri: `docex://${name}`, mimeType, blob: text } }]
  }
  if (valueOf(headers, 'Svc-Dry-Run') !== 'true') return [{ type: 'text', text }]
  return [
    { type: 'text', text },
    { type: 'text', text: dryRunNote },
  ]
}

const dryRunNote =
  'This was a dry run: every check ran, and nothing was stored, sent or paid. The same call without dry_run does it.'

/** An export in another format is a text. */
export const structuredOf = (headers: readonly string[], text: string): Record<string, unknown> => {
  if (isJson(headers)) return JSON.parse(text) as Record<string, unknown>
  const content_type = valueOf(headers, 'Content-Type')
  return content_type === 'application/pdf' ? { content_type } : { content_type, text }
}

export const isJson = (headers: readonly string[]): boolean =>
  valueOf(headers, 'Content-Type').startsWith('application/json')

const valueOf = (headers: readonly string[], name: string): string => {
  const at = headers.indexOf(name)
  return at < 0 ? '' : headers[at + 1]!
}

/** What the response says outside of its body. */
export const shownMeta = (headers: readonly string[]): Record<string, string> => {
  const meta: Record<string, string> = {}
  for (let i = 0; i < headers.length; i += 2) {
    const name = shownHeaders.get(headers[i]!)
    if (name !== undefined) meta[name] = headers[i + 1]!
  }
  return meta
}

const shownHeaders = new Map(
  [
    'Request-Id',
    'ETag',
    'Svc-Event',
    'Idempotent-Replay',
    'Svc-Original-Request-Id',
    'Svc-Dry-Run',
    'Svc-Should-Retry',
    'Retry-After',
    'RateLimit',
  ].map((header) => [header, header.toLowerCase()]),
)
