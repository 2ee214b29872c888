/**
 * Strict JSON for request bodies: contract 2 (invalid_request), reliability 2 "All bodies".
 *
 * JSON.parse keeps the last of two equal keys, reads 1e400 as Infinity, accepts any depth, and lets
 * through U+0000 and lone surrogates, which PostgreSQL cannot store, and control characters, which
 * XML cannot contain. So a scanner walks the text before JSON.parse does. It refuses only what
 * JSON.parse would accept and leaves the grammar to JSON.parse. On well-formed JSON the two see the
 * same strings, keys, numbers and brackets, and JSON.parse refuses anything else. So nothing slips
 * through between them.
 *
 * Nothing here recurses: nesting uses an explicit, bounded stack.
 */
import { isUtf8 } from 'node:buffer'
import { limits } from '../contract/limits.ts'
import { forbiddenCharacterMessage } from './forbidden-characters.ts'

/** The outermost object or array has depth 1; keys and entries are counted over the whole body. */
const { jsonMaxDepth: maxDepth, jsonMaxKeys: maxKeys, jsonMaxEntries: maxEntries } = limits
/** A pointer ends before a longer key, so that no response echoes half a body. */
const maxPointerKeyCharacters = 100
/** Up to this many keys, searching a list is faster than building a Set. */
const maxKeysInList = 16
/** The largest double has 309 digits: a shorter number without an exponent is finite. */
const digitsOfLargestNumber = 309
/** Keys that can reach an object's prototype when objects are copied. */
const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

export type JsonProblem = {
  ok: false
  /** JSON pointer (RFC 6901), "" for the whole body. */
  param: string
  /** States the problem and its fix. Never contains U+0000 or a lone surrogate. */
  message: string
}

/**
 * Parses a request body into its value or its first problem. Does not throw on any input.
 *
 * Refused: invalid UTF-8, a byte order mark, forbidden characters (forbidden-characters.ts),
 * duplicate keys (compared after decoding), `forbiddenKeys`, excessive depth, too many keys or list
 * entries, numbers that overflow, and anything that is not JSON. Callers handle an empty body: it
 * may mean `{}` (contract 5.2).
 */
export function parseJson(bytes: Buffer): { ok: true; value: unknown } | JsonProblem {
  if (!isUtf8(bytes)) return problem('', 'The body is not valid UTF-8. Send JSON as UTF-8.')
  const text = bytes.toString('utf8')
  const scanned = scanText(text)
  if (typeof scanned === 'object') return scanned
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return problem('', explainSyntax(error))
  }
  if (scanned === 'malformed') throw new Error('scanner and JSON.parse disagree about a body')
  return { ok: true, value }
}

/** 'malformed' stops the scan early: JSON.parse will refuse the text and say why. */
type ScanResult = JsonProblem | 'malformed' | undefined

/** An object or array that is open at the scanner's offset. */
type ContainerState = {
  /** The decoded keys of an object so far, while they are few; undefined for an array. */
  keyList: string[] | undefined
  /** The same keys once they are many. */
  keySet: Set<string> | undefined
  /** The last key of an object or the index in an array: the container's part of the pointer. */
  pathSegment: string | number | undefined
}

type ScanState = {
  text: string
  offset: number
  /** The first backslash at or after `offset`, Infinity when there is none. */
  escapeOffset: number
  containers: ContainerState[]
  keyCount: number
  entryCount: number
  /** The next string is a key. */
  isAtKey: boolean
}

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const digitZero = 0x30
const digitNine = 0x39
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

function scanText(text: string): ScanResult {
  if (text.startsWith('\ufeff')) {
    return problem('', 'The body starts with a byte order mark. Send the JSON without it.')
  }
  if (text.includes('\0')) return problem('', 'The body contains U+0000. Remove it.')
  const scan: ScanState = {
    text,
    offset: 0,
    escapeOffset: -1,
    containers: [],
    keyCount: 0,
    entryCount: 0,
    isAtKey: false,
  }
  const length = text.length
  while (scan.offset < length) {
    const code = text.charCodeAt(scan.offset)
    let result: ScanResult
    if (code === quote) result = scanString(scan)
    else if (code === minus || (code >= digitZero && code <= digitNine)) result = scanNumber(scan)
    else if (code === comma) result = scanComma(scan)
    else if (code === openBrace || code === openBracket)
      result = openContainer(scan, code === openBrace)
    else if (code === closeBrace || code === closeBracket) result = closeContainer(scan)
    else scan.offset += 1 // white space, colons and literals: JSON.parse checks them
    if (result !== undefined) return result
  }
  return undefined
}

function scanString(scan: ScanState): ScanResult {
  const { text, offset, isAtKey } = scan
  if (scan.escapeOffset < offset) scan.escapeOffset = indexOrInfinity(text.indexOf('\\', offset))
  let end = text.indexOf('"', offset + 1)
  const isEscaped = scan.escapeOffset < end
  if (isEscaped) end = endOfEscapedString(text, scan.escapeOffset)
  if (end === -1) return 'malformed'
  scan.offset = end + 1
  if (!isAtKey && !isEscaped) return undefined
  const decoded = isEscaped
    ? decodeString(text.slice(offset, end + 1))
    : text.slice(offset + 1, end)
  if (decoded === undefined) return 'malformed'
  if (isEscaped) {
    const reason = forbiddenCharacterMessage(decoded)
    // A forbidden key must not appear in the response, so the pointer ends at its object.
    const containers = isAtKey ? scan.containers.slice(0, -1) : scan.containers
    if (reason !== undefined) return problem(pointerTo(containers), reason)
  }
  return isAtKey ? scanKey(scan, decoded) : undefined
}

function scanKey(scan: ScanState, key: string): ScanResult {
  const container = scan.containers[scan.containers.length - 1]
  if (container?.keyList === undefined) return 'malformed'
  scan.isAtKey = false
  container.pathSegment = key
  scan.keyCount += 1
  if (scan.keyCount > maxKeys) {
    return problem('', `The body has more than ${maxKeys} keys. Send less in one request.`)
  }
  if (forbiddenKeys.includes(key)) {
    return problem(
      pointerTo(scan.containers),
      `The key ${quotedKey(key)} is not allowed. Rename or remove it.`,
    )
  }
  if (!addKey(container, container.keyList, key)) {
    const message = `The key ${quotedKey(key)} appears twice in one object. Send each key once.`
    return problem(pointerTo(scan.containers), message)
  }
  return undefined
}

/** Adds a key to its object; false when the object already has it. */
function addKey(object: ContainerState, keyList: string[], key: string): boolean {
  if (object.keySet === undefined) {
    if (keyList.includes(key)) return false
    keyList.push(key)
    if (keyList.length === maxKeysInList) object.keySet = new Set(keyList)
    return true
  }
  const sizeBefore = object.keySet.size
  return object.keySet.add(key).size > sizeBefore
}

function scanNumber(scan: ScanState): ScanResult {
  const { text, offset } = scan
  let end = offset + 1
  let hasExponent = false
  for (; ; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= digitZero && code <= digitNine) continue
    if (code === 0x65 || code === 0x45) hasExponent = true
    else if (code !== 0x2e && code !== 0x2b && code !== minus) break
  }
  scan.offset = end
  if (!hasExponent && end - offset < digitsOfLargestNumber) return undefined
  if (Math.abs(Number(text.slice(offset, end))) !== Infinity) return undefined
  return problem(
    pointerTo(scan.containers),
    'The number is too large for a JSON number (an IEEE 754 double). Send a smaller one.',
  )
}

function scanComma(scan: ScanState): ScanResult {
  const container = scan.containers[scan.containers.length - 1]
  if (container === undefined) return 'malformed'
  scan.offset += 1
  if (typeof container.pathSegment !== 'number') {
    scan.isAtKey = true
    return undefined
  }
  container.pathSegment += 1
  scan.entryCount += 1
  if (scan.entryCount < maxEntries) return undefined
  return problem('', `The body has more than ${maxEntries} list entries. Send less in one request.`)
}

function openContainer(scan: ScanState, isObject: boolean): ScanResult {
  if (scan.containers.length === maxDepth) {
    const message = `The body nests deeper than ${maxDepth} levels. Send a flatter structure.`
    return problem(pointerTo(scan.containers), message)
  }
  scan.containers.push({
    keyList: isObject ? [] : undefined,
    keySet: undefined,
    pathSegment: isObject ? undefined : 0,
  })
  scan.isAtKey = isObject
  scan.offset += 1
  return undefined
}

function closeContainer(scan: ScanState): ScanResult {
  if (scan.containers.pop() === undefined) return 'malformed'
  scan.isAtKey = false
  scan.offset += 1
  return undefined
}

/** The closing quote of a string whose first backslash is at `escapeOffset`, or -1. */
function endOfEscapedString(text: string, escapeOffset: number): number {
  let offset = escapeOffset
  while (offset < text.length) {
    const code = text.charCodeAt(offset)
    if (code === quote) return offset
    offset += code === backslash ? 2 : 1
  }
  return -1
}

function indexOrInfinity(index: number): number {
  return index === -1 ? Infinity : index
}

/** The value of a string literal with its quotes; undefined when an escape is invalid. */
function decodeString(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** The JSON pointer to the current place in these containers. */
function pointerTo(containers: ContainerState[]): string {
  let path = ''
  for (const { pathSegment } of containers) {
    if (pathSegment === undefined) break
    if (typeof pathSegment === 'string' && pathSegment.length > maxPointerKeyCharacters) break
    path += `/${String(pathSegment).replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return path
}

/** A key for a message: quoted, escaped and truncated. */
function quotedKey(key: string): string {
  const isLong = key.length > maxPointerKeyCharacters
  return JSON.stringify(isLong ? `${key.slice(0, maxPointerKeyCharacters)}…` : key)
}

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

function problem(param: string, message: string): JsonProblem {
  return { ok: false, param, message }
}
