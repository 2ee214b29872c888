/** The list of tools, and the CPU time of a tool call beside that of the same HTTP request. */
import { type BenchServer, type Compare, load, request, waitUntilIdle } from './bench-server.ts'

interface McpWorkload {
  key: string
  seconds: number
  compare: Compare
  isSelected(name: string): boolean
}

const rampSeconds = 0.3

/** Between blocks of 8 s, the CPU time of one and the same request differs by a fifth. */
const burstSeconds = 1

export const compareMcp = async (
  server: BenchServer,
  { key, seconds, compare, isSelected }: McpWorkload,
): Promise<void> => {
  if (!isSelected('mcp.list') && !isSelected('mcp.call')) return
  const { port } = server
  const newest = await fetch(`http://127.0.0.1:${port}/v1/documents?limit=64`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await newest.json()) as { data: { id: string }[] }
  /** Each connection reads documents of its own: requests for one document share its look-up. */
  const ofEach = (requestOf: (id: string) => string): string[][] =>
    Array.from({ length: 8 }, (_, i) => data.slice(8 * i, 8 * i + 8).map(({ id }) => requestOf(id)))
  const list = [[mcpRequest(key, 'tools/list', {})]]
  const run = (requests: string[][], connections: number, forSeconds = seconds) =>
    load({ port, connections, requests, rampSeconds, seconds: forSeconds, expectedStatus: 200 })
  await run(list, 1)
  await compare(
    'mcp.list',
    'ms',
    async () => (await run(list, 1)).medianMs,
    async () => 20,
  )
  const call = ofEach((id) =>
    mcpRequest(key, 'tools/call', { name: 'documents_get', arguments: { id } }),
  )
  const get = ofEach((id) => request('GET', `/v1/documents/${id}`, key))
  await run(call, 8)
  await run(get, 8)
  const idleMs = await waitUntilIdle(server)
  /** Of one request, in milliseconds. */
  const costOf = async (requests: string[][]): Promise<number> => {
    const before = await server.cpuMs()
    const { perSecond } = await run(requests, 8, burstSeconds)
    const measuredSeconds = burstSeconds + rampSeconds
    const spentMs = (await server.cpuMs()) - before - idleMs * measuredSeconds
    return spentMs / (perSecond * measuredSeconds)
  }
  /** Both in bursts that take turns. */
  const costs = async () => {
    const sum = { call: 0, get: 0 }
    for (let second = 0; second < seconds; second += burstSeconds) {
      sum.call += await costOf(call)
      sum.get += await costOf(get)
    }
    return { call: (sum.call * burstSeconds) / seconds, get: (sum.get * burstSeconds) / seconds }
  }
  let round = { call: 0, get: 0 }
  await compare(
    'mcp.call',
    'ms',
    async () => (round = await costs()).call,
    async () => round.get,
  )
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
