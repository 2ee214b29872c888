/**
 * Strict JSON for request bodies: contract 2 (invalid_request), reliability 2 "All bodies".
 *
 * JSON.parse keeps the last of two equal keys, reads 1e400 as Infinity, accepts any depth, and lets
 * through U+0000 and lone surrogates, which PostgreSQL cannot store, and control characters, which
 * XML cannot contain. So a scanner (json-scanner.ts) walks the text before JSON.parse does. It
 * refuses only what JSON.parse would accept and leaves the grammar to JSON.parse. On well-formed
 * JSON the two see the same strings, keys, numbers and brackets, and JSON.parse refuses anything
 * else. So nothing slips through between them.
 */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { type JsonProblem, jsonProblem, scanJson } from './json-scanner.ts'
import { countKeys } from './json-text.ts'

/**
 * Parses a request body into its value or its first problem. Does not throw on any input.
 *
 * Refused: invalid UTF-8, a byte order mark, forbidden characters (forbidden-characters.ts),
 * duplicate keys (compared after decoding), `forbiddenKeys`, excessive depth, too many keys or list
 * entries, keys, texts or numbers that are too long for any field, numbers that overflow, and
 * anything that is not JSON. Callers handle an empty body: it may mean `{}` (contract 5.2).
 */
export function parseJson(body: Buffer | string): { ok: true; value: unknown } | JsonProblem {
  if (typeof body !== 'string' && !isUtf8(body)) return notUtf8
  const text = body.toString()
  const scanned = scanJson(text)
  if (scanned !== 'malformed' && !scanned.ok) return scanned
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return jsonProblem('', explainSyntax(error))
  }
  assert(scanned !== 'malformed', 'what the scanner cannot read, JSON.parse refuses')
  return keysOf(value) === scanned.keyCount ? { ok: true, value } : duplicateKey(text)
}

/** The problem of a text of which JSON.parse has kept so many keys, if they are not all. */
export const duplicateKeyIn = (text: string, keptKeys: number): JsonProblem | undefined =>
  keptKeys === countKeys(text) ? undefined : duplicateKey(text)

const duplicateKey = (text: string): JsonProblem => {
  const duplicate = scanJson(text, { findsDuplicates: true })
  assert(duplicate !== 'malformed' && !duplicate.ok, 'a key that JSON.parse dropped was duplicate')
  return duplicate
}

/** The number of keys in all objects of the value, whose depth the scanner has bounded. */
const keysOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const entry of value) count += keysOf(entry)
    return count
  }
  const fields = value as Record<string, unknown>
  for (const key in fields) count += 1 + keysOf(fields[key])
  return count
}

export const notUtf8 = jsonProblem('', 'The body is not valid UTF-8. Send JSON as UTF-8.')

/** V8 echoes the body in some messages, so only the part that describes the mistake is used. */
function explainSyntax(error: unknown): string {
  const raw = error instanceof SyntaxError ? error.message : ''
  const unexpected = /^Unexpected token '([ -~])'/.exec(raw)
  const location = /(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/.exec(raw)
  let detail = ''
  if (unexpected !== null) detail = `: unexpected ${unexpected[0].slice('Unexpected '.length)}`
  else if (raw === 'Unexpected end of JSON input') detail = ': it ends too early'
  else if (location !== null) {
    const reason = raw.slice(0, location.index)
    detail = `: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
    detail += ` at line ${location[1]}, column ${location[2]}`
  }
  return `The body is not valid JSON${detail}. Send one JSON value, for example {"name":"x"}.`
}
