/** The list of tools, and the CPU time of a tool call beside that of the same HTTP request. */
import { type BenchServer, type Compare, load, request, waitUntilIdle } from './bench-server.ts'

interface McpWorkload {
  key: string
  seconds: number
  compare: Compare
  isSelected(name: string): boolean
}

const rampSeconds = 0.3

export const compareMcp = async (
  server: BenchServer,
  { key, seconds, compare, isSelected }: McpWorkload,
): Promise<void> => {
  if (!isSelected('mcp.list') && !isSelected('mcp.call')) return
  const { port } = server
  const newest = await fetch(`http://127.0.0.1:${port}/v1/documents?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await newest.json()) as { data: { id: string }[] }
  const { id } = data[0]!
  const list = mcpRequest(key, 'tools/list', {})
  const run = (requests: string[], connections: number) =>
    load({ port, connections, seconds, rampSeconds, requests: [requests], expectedStatus: 200 })
  await run([list], 1)
  await compare(
    'mcp.list',
    'ms',
    async () => (await run([list], 1)).medianMs,
    async () => 20,
  )
  const call = mcpRequest(key, 'tools/call', { name: 'documents_get', arguments: { id } })
  const get = request('GET', `/v1/documents/${id}`, key)
  await run([call], 8)
  await run([get], 8)
  const idleMs = await waitUntilIdle(server)
  /** Of one request, in milliseconds. */
  const costOf = (one: string) => async (): Promise<number> => {
    const before = await server.cpuMs()
    const { perSecond } = await run([one], 8)
    const measuredSeconds = seconds + rampSeconds
    const spentMs = (await server.cpuMs()) - before - idleMs * measuredSeconds
    return spentMs / (perSecond * measuredSeconds)
  }
  await compare('mcp.call', 'ms', costOf(call), costOf(get))
}

/** In the era that keeps nothing between requests. */
const mcpRequest = (key: string, method: string, params: Record<string, unknown>): string => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
  const name = typeof params['name'] === 'string' ? [`Mcp-Name: ${params['name']}`] : []
  return [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    `Mcp-Method: ${method}`,
    ...name,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
