/**
 * Canonical JSON: one value, one byte string. Encode the result as UTF-8 to hash it.
 *
 * Two profiles of RFC 8785 (JCS) share one writer:
 * - `canonicalJson` is RFC 8785 itself, used for request fingerprints (contract 5.2).
 * - `canonicalIntegerJson` is «JCS-int» of provenance 1.2, used for event hashes. Numbers are
 *   safe integers, so that no verifier in another language has to print a double.
 *
 * Invariants: keys are sorted by UTF-16 code units at every level; a value that cannot be written
 * exactly throws, where JSON.stringify would drop or replace it. A throw is a bug of the caller:
 * request bodies have passed `parseJson` before.
 */

/** The recursion limit; parsed bodies reach 16 (reliability 0, finding 9). */
const maxDepth = 32

/** RFC 8785. Throws on non-finite numbers, lone surrogates, depth over 32 and non-JSON values. */
export function canonicalJson(value: unknown): string {
  return write(value, 0, jcsProfile, '')
}

/** A value that has its canonical form already: it is part of several records, and written once. */
export class CanonicalText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Formats a field's number as a string that needs no escape; undefined leaves it a number. */
export type NumberFormatter = (field: string, number: number) => string | undefined

/** RFC 8785, but also throws on fractions, unsafe integers, -0 and U+0000. */
export function canonicalIntegerJson(value: unknown, formatNumber?: NumberFormatter): string {
  return write(
    value,
    0,
    formatNumber === undefined ? jcsIntegerProfile : { ...jcsIntegerProfile, formatNumber },
    '',
  )
}

type Profile = {
  name: string
  acceptsNumber: (number: number) => boolean
  acceptsNul: boolean
  formatNumber?: NumberFormatter
}

const jcsProfile: Profile = {
  name: 'canonical JSON',
  acceptsNumber: Number.isFinite,
  acceptsNul: true,
}

const jcsIntegerProfile: Profile = {
  name: 'a canonical record',
  acceptsNumber: (number) => Number.isSafeInteger(number) && !Object.is(number, -0),
  acceptsNul: false,
}

function write(value: unknown, depth: number, profile: Profile, field: string): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, profile)
    case 'number':
      return writeNumber(value, profile, field)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth === maxDepth) throw cannotHold(`more than ${maxDepth} levels`, profile)
      if (Array.isArray(value)) return writeArray(value, depth + 1, profile, field)
      if (isPlainObject(value)) return writeObject(value, depth + 1, profile)
      if (value instanceof CanonicalText) return value.text
      throw cannotHold('an object with a prototype of its own', profile)
    default:
      throw cannotHold(typeof value, profile)
  }
}

function writeNumber(value: number, profile: Profile, field: string): string {
  const text = profile.formatNumber?.(field, value)
  if (text !== undefined) return `"${text}"`
  if (!profile.acceptsNumber(value)) throw cannotHold(`the number ${printedNumber(value)}`, profile)
  return String(value) // ECMAScript's own printing is RFC 8785's, -0 included
}

/** Items are formatted like the field that holds the array. */
function writeArray(
  items: readonly unknown[],
  depth: number,
  profile: Profile,
  field: string,
): string {
  let out = '['
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) out += ','
    out += write(items[index], depth, profile, field)
  }
  return `${out}]`
}

function writeObject(fields: Record<string, unknown>, depth: number, profile: Profile): string {
  const { sorted, leads } = keyLayoutOf(Object.keys(fields), profile)
  let out = '{'
  for (let index = 0; index < sorted.length; index += 1) {
    const key = sorted[index]!
    out += leads[index]! + write(fields[key], depth, profile, key)
  }
  return `${out}}`
}

/** ASCII that needs no escape: the common case. */
const plainText = /^[ !#-[\]-~]*$/

/** An object's keys, and each sorted key's written form with its comma and colon. */
type KeyLayout = { keys: readonly string[]; sorted: readonly string[]; leads: readonly string[] }

/**
 * Few key layouts account for most objects, so the latest ones are cached per number of keys; a hit
 * saves sorting and escaping. Plain keys are written the same way in both profiles.
 */
const keyLayoutCache: KeyLayout[][] = Array.from({ length: 32 }, () => [])
const layoutsCachedPerSize = 8
const longestCachedKey = 40

function keyLayoutOf(keys: readonly string[], profile: Profile): KeyLayout {
  const cached = keyLayoutCache[keys.length]
  const hit = cached?.find((layout) => hasSameKeys(layout.keys, keys))
  if (hit !== undefined) return hit
  const sorted = keys.toSorted()
  const leads = sorted.map((key, index) => `${index === 0 ? '' : ','}${writeText(key, profile)}:`)
  const layout = { keys, sorted, leads }
  const isPlain = keys.every((key) => key.length <= longestCachedKey && plainText.test(key))
  if (cached !== undefined && isPlain) {
    cached.unshift(layout)
    if (cached.length > layoutsCachedPerSize) cached.pop()
  }
  return layout
}

function hasSameKeys(a: readonly string[], b: readonly string[]): boolean {
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

function writeText(text: string, profile: Profile): string {
  if (plainText.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw cannotHold('a lone surrogate', profile)
  if (!profile.acceptsNul && text.includes('\0')) throw cannotHold('U+0000', profile)
  return JSON.stringify(text)
}

function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function printedNumber(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number)
}

function cannotHold(what: string, profile: Profile): TypeError {
  return new TypeError(`${profile.name} cannot hold ${what}`)
}
