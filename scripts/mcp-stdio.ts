/**
 * MCP on stdio: passes the messages of a client to the MCP server of a running service over HTTP,
 * and its answers back. It adds nothing, so both transports have the same tools and rules.
 *
 *   DOCEX_API_KEY=rk_test_… DOCEX_BASE_URL=http://localhost:8080 npm run -s mcp -- \
 *     [--readonly] [--toolsets documents,payments]
 */
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> }
}

const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'

/** Of a client whose messages do not name it: what was agreed on with `initialize`. */
let agreedVersion: string | undefined

const inProgress = new Map<string | number, AbortController>()

/** The headers repeat what the body says; the server compares them. */
const headersOf = ({ method, params }: Message): Record<string, string> => {
  const claimed = params?.['_meta']?.[protocolVersionKey]
  const version = typeof claimed === 'string' ? claimed : agreedVersion
  const name = params?.name ?? params?.uri
  return {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(method === undefined ? {} : { 'mcp-method': method }),
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}

const forward = async (line: string): Promise<void> => {
  let message: Message
  try {
    message = JSON.parse(line) as Message
  } catch {
    return write({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } })
  }
  const { id, method, params } = message
  if (method === 'notifications/cancelled') inProgress.get(params?.requestId as string)?.abort()
  const abort = new AbortController()
  if (id !== undefined) inProgress.set(id, abort)
  try {
    const headers = headersOf(message)
    const response = await fetch(url, { method: 'POST', headers, body: line, signal: abort.signal })
    const answers = answersIn(response, await response.text(), id)
    for (const answer of answers) {
      if (method === 'initialize') agreedVersion = answer.result?.protocolVersion
      write(answer)
    }
  } catch (error) {
    if (abort.signal.aborted || id === undefined) return
    const cause = error instanceof Error ? (error.cause ?? error) : error
    fail(id, `The service at ${url} cannot be reached: ${String(cause)}`)
  } finally {
    if (id !== undefined) inProgress.delete(id)
  }
}

interface Answer {
  jsonrpc?: string
  result?: { protocolVersion?: string }
}

const answersIn = ({ status, headers }: Response, text: string, id: Message['id']): Answer[] => {
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    return text
      .split('\n')
      .filter((one) => one.startsWith('data:') && one.length > 'data: '.length)
      .map((one) => JSON.parse(one.slice('data:'.length)) as Answer)
  }
  if (text === '') return []
  const answer = JSON.parse(text) as Answer & { error?: { message?: string } }
  if (answer.jsonrpc !== undefined || Array.isArray(answer)) return [answer]
  // A refusal of the service before the message was read, such as 401.
  if (id !== undefined) fail(id, `${status}: ${answer.error?.message ?? text}`, answer.error)
  return []
}

const fail = (id: string | number, message: string, data?: unknown): void =>
  write({ jsonrpc: '2.0', id, error: { code: -32_000, message, data } })

const write = (message: object): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

const { values } = parseArgs({
  options: { readonly: { type: 'boolean', default: false }, toolsets: { type: 'string' } },
})
const { DOCEX_API_KEY: apiKey = '', DOCEX_BASE_URL: baseUrl = 'http://localhost:8080' } =
  process.env
if (apiKey === '') {
  process.stderr.write('DOCEX_API_KEY is not set: an API key of the service (rk_…)\n')
  process.exit(2)
}
const narrowed = values.toolsets === undefined ? '' : `/x/${encodeURIComponent(values.toolsets)}`
const url = `${baseUrl.replace(/\/+$/, '')}/mcp${values.readonly ? '/readonly' : ''}${narrowed}`

// What a message relies on is sent before the next one is read; calls run side by side.
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  const forwarded = forward(line)
  if (line.includes('"initialize"')) await forwarded
}
