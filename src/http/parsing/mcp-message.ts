/**
 * The text of a request to /mcp → its message. What is wrong with the arguments of a tool call is
 * refused by its operation, as over HTTP; anything else is no message.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { duplicateKeyIn } from '../../core/strict-json.ts'
import { explainName } from '../../mcp/tools.ts'

export type McpMessage =
  | { ok: true; message: unknown; wrongArgument: Problem | undefined }
  | { ok: false; error: string }

export const parseMcpMessage = (text: string | undefined): McpMessage => {
  const read = parsed(text)
  if (read === undefined) return { ok: false, error: parseError(notAMessage) }
  const { message, keyCount } = read
  const duplicate = duplicateKeyIn(text!, keyCount)
  if (duplicate === undefined) return { ok: true, message, wrongArgument: undefined }
  const { param, code, message: why } = duplicate
  const argument = argumentAt(param)
  return argument === undefined || !callsOperation(message)
    ? { ok: false, error: parseError(`${param}: ${why}`) }
    : { ok: true, message, wrongArgument: { param: argument, code, message: why } }
}

const callsOperation = (message: unknown): boolean => {
  const { method, params } = message as { method?: unknown; params: { name?: unknown } | null }
  // Params may appear twice themselves, the second time as anything.
  const name = params?.name
  return method === 'tools/call' && typeof name === 'string' && name !== explainName
}

/** The pointer from the arguments on, as from the body of a request. */
const argumentAt = (pointer: string): string | undefined =>
  /^\/params\/arguments(\/.*)$/s.exec(pointer)?.[1]

const parseError = (why: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_700, message: `Parse error: ${why}` },
  })

const notAMessage = `the body is not JSON, nested too deep, has a number beyond a double, or more than ${limits.mcpMessagesMax} messages.`

/** Undefined: not JSON, too deep, a number that overflows, or too many messages. */
const parsed = (text: string | undefined): { message: unknown; keyCount: number } | undefined => {
  if (text === undefined) return undefined
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (Array.isArray(message) && message.length > limits.mcpMessagesMax) return undefined
  const keyCount = keysOf(message)
  return keyCount === tooMuch ? undefined : { message, keyCount }
}

const tooMuch = Infinity

/**
 * Ends at the limit, so that no depth is too much for the stack. A number that overflows would be
 * null in the request of its tool, which for a limit of a key means none.
 */
const keysOf = (value: unknown, depth = 0): number => {
  if (depth > limits.jsonMaxDepth) return tooMuch
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : tooMuch
  if (typeof value !== 'object' || value === null) return 0
  const parts = Array.isArray(value) ? value : Object.values(value)
  let count = parts === value ? 0 : parts.length
  for (const part of parts) count += keysOf(part, depth + 1)
  return count
}
