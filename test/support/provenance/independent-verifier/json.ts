/** JSON as FORMAT.md restricts it: canonical in a bundle (section 2), free in a trust file (8). */

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

/** The result of the first check that fails; `check` is its name in section 9. */
export class Failure extends Error {
  readonly check: string

  constructor(check: string) {
    super(check)
    this.check = check
  }
}

/** Throws the failure of that name unless the condition holds. */
export function ensure(condition: boolean, check: string): asserts condition {
  if (!condition) {
    throw new Failure(check)
  }
}

const MAX_LEVELS = 32

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value's own field; nothing is ever read from a prototype (section 2). */
export function field(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** An object without a prototype, where `__proto__` is a key like all others. */
export function emptyObject(): JsonObject {
  return Object.create(null)
}

/** Whether the value is an object with exactly these fields (section 3). */
export function hasExactly(value: Json | undefined, keys: readonly string[]): value is JsonObject {
  return (
    isObject(value) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key))
  )
}

/** A count, section 1: an integer from 0 to 2^53 − 1. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Lower-case hexadecimal of that many bytes, section 1. */
export function isHex(value: Json | undefined, bytes: number): value is string {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value)
}

/** The bytes of standard, padded, canonical base64, or nothing (section 6). */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Whether brackets outside of strings nest deeper than section 2 allows. Never recurses. */
function isTooDeep(text: string): boolean {
  let levels = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (inString) {
      if (character === '\\') {
        i++
      } else if (character === '"') {
        inString = false
      }
    } else if (character === '"') {
      inString = true
    } else if (character === '[' || character === '{') {
      levels++
      if (levels > MAX_LEVELS) {
        return true
      }
    } else if (character === ']' || character === '}') {
      levels--
    }
  }
  return false
}

/** A string in canonical spelling, section 2. */
function canonicalString(text: string): string {
  ensure(text.isWellFormed() && !text.includes('\0'), 'CANONICAL')
  // For such strings, the escapes of ECMAScript are those of section 2.
  return JSON.stringify(text)
}

/** The canonical text of a value, section 2. Fails with CANONICAL where it has none. */
export function canonical(value: Json): string {
  if (value === null || typeof value === 'boolean') {
    return String(value)
  }
  if (typeof value === 'number') {
    ensure(Number.isSafeInteger(value), 'CANONICAL')
    return String(value)
  }
  if (typeof value === 'string') {
    return canonicalString(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(',')}]`
  }
  // The default order of sort() is that of the UTF-16 code units.
  const members = Object.keys(value)
    .sort()
    .map((key) => `${canonicalString(key)}:${canonical(value[key]!)}`)
  return `{${members.join(',')}}`
}

/** Decodes and parses the bytes of a bundle: the checks JSON and CANONICAL of section 9. */
export function parseCanonical(bytes: Uint8Array): Json {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('JSON')
  }
  ensure(!isTooDeep(text), 'CANONICAL')
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    throw new Failure('JSON')
  }
  ensure(canonical(value) === text, 'CANONICAL')
  return value
}

/** Parses JSON in any spelling, at most 32 levels deep (section 8). Nothing if it is not that. */
export function parseAnySpelling(text: string): Json | undefined {
  if (isTooDeep(text)) {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
