/**
 * The text of a request to /mcp → its message. What is wrong with the arguments of a tool call is
 * refused by its operation, as over HTTP; anything else is no message.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { type JsonProblem, forbiddenKey } from '../../core/json-scanner.ts'
import { duplicateKeyIn } from '../../core/strict-json.ts'
import { explainName } from '../../mcp/tools.ts'

export type McpMessage =
  | { ok: true; message: unknown; wrongArgument: Problem | undefined }
  | { ok: false; error: string }

export const parseMcpMessage = (text: string | undefined): McpMessage => {
  const read = parsed(text)
  if (read === undefined) return { ok: false, error: parseError(notAMessage) }
  const { message, keyCount } = read
  const problem = duplicateKeyIn(text!, keyCount) ?? prototypeArgument(message)
  if (problem === undefined) return { ok: true, message, wrongArgument: undefined }
  const { param, code, message: why } = problem
  const argument = argumentAt(param)
  return argument === undefined || !callsOperation(message)
    ? { ok: false, error: parseError(`${param}: ${why}`) }
    : { ok: true, message, wrongArgument: { param: argument, code, message: why } }
}

const prototypeKey = '__proto__'

/** The SDK drops this key from the arguments in its older era: nobody else would refuse it. */
const prototypeArgument = (message: unknown): JsonProblem | undefined => {
  const messages: unknown[] = Array.isArray(message) ? message : [message]
  const index = messages.findIndex((one) => {
    const values = (one as { params?: { arguments?: unknown } | null } | null)?.params?.arguments
    return typeof values === 'object' && values !== null && Object.hasOwn(values, prototypeKey)
  })
  if (index < 0) return undefined
  const place = messages === message ? `/${index}` : ''
  return forbiddenKey(`${place}/params/arguments/${prototypeKey}`, prototypeKey)
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

const notAMessage = `the body is not JSON, nested too deep, has a number beyond a double, more than ${limits.mcpMessagesMax} messages, or more than ${limits.mcpKeysMax} keys in one.`

/** Undefined: not JSON, too deep, a number that overflows, too many messages or keys. */
const parsed = (text: string | undefined): { message: unknown; keyCount: number } | undefined => {
  if (text === undefined) return undefined
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (Array.isArray(message) && message.length > limits.mcpMessagesMax) return undefined
  const counts = (Array.isArray(message) ? message : [message]).map((one) => keysOf(one))
  if (counts.some((count) => count > limits.mcpKeysMax)) return undefined
  return { message, keyCount: counts.reduce((sum, count) => sum + count, 0) }
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
