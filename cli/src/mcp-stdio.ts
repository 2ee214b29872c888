/**
 * MCP on stdio: passes the messages of a client to the MCP server of a running service over HTTP,
 * and its answers back. It adds nothing, so both transports have the same tools and rules.
 */
import {
  type Message,
  answersIn,
  awaitedIds,
  encodedHeader,
  linesOf,
  recordOf,
} from './mcp-messages.ts'

export interface McpService {
  apiKey: string
  baseUrl: string
  isReadOnly?: boolean | undefined
  /** With commas. */
  toolsets?: string | undefined
}

/** As the service: what is in another encoding is no message. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

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
  for await (const line of linesOf(input)) {
    if (line.toString().trim() === '') continue
    const forwarded = bridge.forward(line)
    if (line.includes('"initialize"')) await forwarded
  }
  await bridge.done()
}

class Bridge {
  readonly #url: string
  readonly #apiKey: string
  readonly #write: (message: object) => void
  readonly #inProgress = new Map<unknown, AbortController>()
  readonly #forwarded = new Set<Promise<void>>()
  /** Agreed on with `initialize`; for clients whose messages do not name a version. */
  #agreedVersion: string | undefined

  constructor(service: McpService, write: (message: object) => void) {
    this.#url = urlOf(service)
    this.#apiKey = service.apiKey
    this.#write = write
  }

  forward(line: Buffer<ArrayBuffer>): Promise<void> {
    const forwarded = this.#forward(line).finally(() => this.#forwarded.delete(forwarded))
    this.#forwarded.add(forwarded)
    return forwarded
  }

  /** Once every message that was read is answered. */
  async done(): Promise<void> {
    await Promise.all(this.#forwarded)
  }

  async #forward(line: Buffer<ArrayBuffer>): Promise<void> {
    let value: unknown
    try {
      value = JSON.parse(utf8.decode(line))
    } catch {
      const error = { code: -32_700, message: 'Parse error' }
      return this.#write({ jsonrpc: '2.0', id: null, error })
    }
    const message = recordOf(value) ?? {}
    const { id, method, params } = message
    // The server compares this header as it is, and no method has a name that needs another form.
    if (typeof method === 'string' && encodedHeader(method) !== method) {
      return this.#fail(value, { code: -32_601, message: 'Method not found' })
    }
    if (method === 'notifications/cancelled') this.#inProgress.get(params?.requestId)?.abort()
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
      if (answers.length > 0) return
      const reason = refusal?.message ?? `the answer of ${this.#url} is empty.`
      this.#fail(value, { message: `${response.status}: ${reason}`, data: refusal })
    } catch (error) {
      if (abort.signal.aborted) return
      const cause = error instanceof Error ? (error.cause ?? error) : error
      const message = `The service at ${this.#url} cannot be reached: ${String(cause)}`
      this.#fail(value, { message })
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
      ...(version === undefined ? {} : { 'mcp-protocol-version': encodedHeader(version) }),
      ...(typeof method === 'string' ? { 'mcp-method': method } : {}),
      ...(typeof name === 'string' ? { 'mcp-name': encodedHeader(name) } : {}),
    }
  }

  /** Each request is answered, those of a batch together. */
  #fail(value: unknown, failure: { code?: number; message: string; data?: unknown }): void {
    const error = { code: -32_000, ...failure }
    const answers = awaitedIds(value).map((id) => ({ jsonrpc: '2.0', id, error }))
    if (answers.length > 0) this.#write(Array.isArray(value) ? answers : answers[0]!)
  }
}
