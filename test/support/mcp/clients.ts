/** The official client of the MCP server, over both transports and in both eras. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { TestService } from '../test-service.ts'

export const eras = ['legacy', 'modern'] as const
export const transports = ['http', 'stdio'] as const

interface ConnectionOptions {
  era?: (typeof eras)[number]
  transport?: (typeof transports)[number]
  /** After `/mcp`. */
  path?: string
}

const script = join(import.meta.dirname, '../../../scripts/mcp-stdio.ts')

export const connectMcp = async (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  key: string,
  { era = 'modern', transport = 'http', path = '' }: ConnectionOptions = {},
): Promise<Client> => {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const toolsets = /\/x\/(.*)$/.exec(path)?.[1]
  const args = [
    ...(path.startsWith('/readonly') ? ['--readonly'] : []),
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets]),
  ]
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${path}`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [script, ...args],
          env: { DOCEX_API_KEY: key, DOCEX_BASE_URL: baseUrl },
        }),
  )
  after(() => client.close())
  return client
}

export interface ToolResult {
  isError: boolean
  text: string
  /** What the service says beside the response of the API. */
  notes: readonly string[]
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  body: any
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  structured: any
  meta: Readonly<Record<string, unknown>>
}

export const callTool = async (
  client: Client,
  name: string,
  values: Record<string, unknown> = {},
): Promise<ToolResult> => {
  const { content, isError, structuredContent, _meta } = await client.callTool({
    name,
    arguments: values,
  })
  const [text, ...notes] = content.map((part) => {
    assert(part.type === 'text')
    return part.text
  })
  return {
    isError: isError === true,
    text: text!,
    notes,
    body: JSON.parse(text!),
    structured: structuredContent,
    meta: _meta ?? {},
  }
}

export const toolNames = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)
