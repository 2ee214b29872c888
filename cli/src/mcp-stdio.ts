/**
 * MCP on stdio: passes the messages of a client to the MCP server of a running service over HTTP,
 * and its answers back. It adds nothing, so both transports have the same tools and rules.
 */
import { createInterface } from 'node:readline'

interface Message {
  id?: string | number
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> }
}

interface Answer {
  jsonrpc?: string
  result?: { protocolVersion?: string }
}

export interface McpService {
  apiKey: string
  baseUrl: string
  isReadOnly?: boolean | undefined
  /** With commas. */
  toolsets?: string | undefined
}

const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'

const urlOf = ({ baseUrl, isReadOnly, toolsets }: McpService): string => {
  const narrowed = toolsets === undefined ? '' : `/x/${encodeURIComponent(toolsets)}`
  return `${baseUrl.replace(/\/+$/, '')}/mcp${isReadOnly === true ? '/readonly' : ''}${narrowed}`
}

/** Ends when the input does. */
export const passMessages = async (
  service: McpService,
  input: NodeJS.ReadableStream,
  output: { write(text: string): unknown },
): Promise<void> => {
  const bridge = new Bridge(service, (message) => {
    output.write(`${JSON.stringify(message)}\n`)
  })
  // What a message relies on is sent before the next one is read; calls run side by side.
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    const forwarded = bridge.forward(line)
    if (line.includes('"initialize"')) await forwarded
  }
  await bridge.done()
}

class Bridge {
  readonly #url: string
  readonly #apiKey: string
  readonly #write: (message: object) => void
  readonly #inProgress = new Map<string | number, AbortController>()
  readonly #forwarded = new Set<Promise<void>>()
  /** Of a client whose messages do not name it: what was agreed on with `initialize`. */
  #agreedVersion: string | undefined

  constructor(service: McpService, write: (message: object) => void) {
    this.#url = urlOf(service)
    this.#apiKey = service.apiKey
    this.#write = write
  }

  forward(line: string): Promise<void> {
    const forwarded = this.#forward(line).finally(() => this.#forwarded.delete(forwarded))
    this.#forwarded.add(forwarded)
    return forwarded
  }

  /** Once every message that was read is answered. */
  async done(): Promise<void> {
    await Promise.all(this.#forwarded)
  }

  async #forward(line: string): Promise<void> {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      const error = { code: -32_700, message: 'Parse error' }
      return this.#write({ jsonrpc: '2.0', id: null, error })
    }
    const { id, method, params } = message
    if (method === 'notifications/cancelled') {
      this.#inProgress.get(params?.requestId as string)?.abort()
    }
    const abort = new AbortController()
    if (id !== undefined) this.#inProgress.set(id, abort)
    try {
      const headers = this.#headersOf(message)
      const request = { method: 'POST', headers, body: line, signal: abort.signal }
      const response = await fetch(this.#url, request)
      const { answers, refusal } = answersIn(response, await response.text())
      for (const answer of answers) {
        if (method === 'initialize') this.#agreedVersion = answer.result?.protocolVersion
        this.#write(answer)
      }
      if (answers.length > 0 || id === undefined) return
      const reason = refusal?.message ?? `the answer of ${this.#url} is empty.`
      this.#fail(id, `${response.status}: ${reason}`, refusal)
    } catch (error) {
      if (abort.signal.aborted || id === undefined) return
      const cause = error instanceof Error ? (error.cause ?? error) : error
      this.#fail(id, `The service at ${this.#url} cannot be reached: ${String(cause)}`)
    } finally {
      if (id !== undefined) this.#inProgress.delete(id)
    }
  }

  /** The headers repeat what the body says; the server compares them. */
  #headersOf({ method, params }: Message): Record<string, string> {
    const claimed = params?.['_meta']?.[protocolVersionKey]
    const version = typeof claimed === 'string' ? claimed : this.#agreedVersion
    const name = params?.name ?? params?.uri
    return {
      authorization: `Bearer ${this.#apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
      ...(method === undefined ? {} : { 'mcp-method': method }),
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    }
  }

  #fail(id: string | number, message: string, data?: unknown): void {
    this.#write({ jsonrpc: '2.0', id, error: { code: -32_000, message, data } })
  }
}

interface Received {
  answers: readonly Answer[]
  /** Of the service, before the message was read, such as 401. */
  refusal?: { message?: string } | undefined
}

const answersIn = ({ headers }: Response, text: string): Received => {
  if (headers.get('content-type')?.startsWith('text/event-stream') === true) {
    const lines = text
      .split('\n')
      .filter((one) => one.startsWith('data:') && one.length > 'data: '.length)
    return { answers: lines.map((one) => JSON.parse(one.slice('data:'.length)) as Answer) }
  }
  if (text === '') return { answers: [] }
  const answer = JSON.parse(text) as Answer & { error?: { message?: string } }
  const isAnswer = answer.jsonrpc !== undefined || Array.isArray(answer)
  return isAnswer
    ? { answers: [answer] }
    : { answers: [], refusal: answer.error ?? { message: text } }
}
