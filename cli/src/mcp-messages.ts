/** Messages of MCP: how they come from a client, and what the service has answered to them. */

export interface Message {
  id?: string | number | null
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> }
}

export interface Answer {
  jsonrpc?: string
  result?: { protocolVersion?: string }
}

/** One message in a line. Only a line feed ends it: U+2028, where readline ends one, is text. */
export async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<Buffer<ArrayBuffer>> {
  let parts: Buffer[] = []
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk)
    let start = 0
    for (;;) {
      const end = bytes.indexOf('\n', start)
      parts.push(bytes.subarray(start, end === -1 ? undefined : end))
      if (end === -1) break
      yield Buffer.concat(parts)
      parts = []
      start = end + 1
    }
  }
  yield Buffer.concat(parts)
}

/** Undefined unless it is a record: what is no message at all, the service refuses. */
export const recordOf = (value: unknown): Message | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

/** The ids that the client waits for: null of what is no message, none of a notification. */
export const awaitedIds = (value: unknown): (string | number | null)[] => {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((one) => awaitedIds(one))
  const message = recordOf(value)
  if (message === undefined) return [null]
  if (message.id === undefined && message.method !== undefined) return []
  return 'result' in message || 'error' in message ? [] : [message.id ?? null]
}

const isPlain = (text: string): boolean => /^(?! )[ -~]+(?<! )$/.test(text)

/** A header carries ASCII; the protocol has this form for everything else. */
export const encodedHeader = (text: string): string =>
  isPlain(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

interface Refused {
  error?: { message?: string }
}

interface Received {
  answers: readonly Answer[]
  /** Given if the service refused before it read the message, such as with 401. */
  refusal?: Refused['error']
}

export const answersIn = ({ headers }: Response, text: string): Received => {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const texts = isStream ? dataOf(text) : [text].filter((one) => one !== '')
  try {
    const answers = texts.map((one) => JSON.parse(one) as Answer & Refused)
    const other = answers.find((one) => !Array.isArray(one) && one?.jsonrpc === undefined)
    return other === undefined
      ? { answers }
      : { answers: [], refusal: other.error ?? { message: text } }
  } catch {
    return { answers: [], refusal: { message: `the answer is not JSON: ${text.slice(0, 200)}` } }
  }
}

const dataOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((one) => one.startsWith('data:') && one.length > 'data: '.length)
    .map((one) => one.slice('data:'.length))
