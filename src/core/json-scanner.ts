/**
 * Finds in the text of a request body what JSON.parse would accept and the service does not
 * (strict-json.ts). Nothing here recurses: nesting uses an explicit, bounded stack. Each character
 * is looked at a bounded number of times.
 */
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { forbiddenCharacterMessage, mayContainForbidden } from './forbidden-characters.ts'
import { endOfEscapedString, endOfSpace, indexOrInfinity } from './json-text.ts'
import { shortenedText } from './shortened-text.ts'

/** The outermost object or array has depth 1; keys and entries are counted over the whole body. */
const { jsonMaxDepth: maxDepth, jsonMaxKeys: maxKeys, jsonMaxEntries: maxEntries } = limits
/** As written in the body, with escapes. No field takes that much. */
const {
  jsonKeyMaxLength: maxKeyLength,
  jsonTextMaxLength: maxTextLength,
  jsonNumberMaxLength: maxNumberLength,
} = limits
/** The largest double has 309 digits: a shorter number without an exponent is finite. */
const digitsOfLargestNumber = 309
/** Keys that can reach an object's prototype when objects are copied. */
const forbiddenKeys = ['__proto__', 'constructor', 'prototype']
/** The lengths of their literals, with the quotes. */
const forbiddenLengths = new Set(forbiddenKeys.map((key) => key.length + 2))

export type JsonProblem = {
  ok: false
  code: Problem['code']
  /** JSON pointer (RFC 6901), "" for the whole body. */
  param: string
  /** States the problem and its fix. Never contains U+0000 or a lone surrogate. */
  message: string
}

/** 'malformed' stops the scan early: JSON.parse will refuse the text and say why. */
type ScanResult = JsonProblem | 'malformed' | undefined

/** An object or array that is open at the scanner's offset. */
type ContainerState = {
  isObject: boolean
  /** The index of the current entry of an array. */
  index: number
  /** Where the last key of an object stands, with its quotes; -1 before the first one. */
  keyStart: number
  keyEnd: number
  /** The decoded keys of an object, when duplicates are looked for. */
  keys: Set<string> | undefined
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
  mayBeForbidden: boolean
  findsDuplicates: boolean
}

const space = 0x20
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const digitZero = 0x30
const digitNine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Without `findsDuplicates` it only counts the keys, which takes half the time: JSON.parse keeps
 * one of two equal ones, so fewer in its value means that there are duplicates.
 */
export function scanJson(
  text: string,
  { findsDuplicates = false } = {},
): JsonProblem | 'malformed' | { ok: true; keyCount: number } {
  if (text.startsWith('\ufeff')) {
    return jsonProblem('', 'The body starts with a byte order mark. Send the JSON without it.')
  }
  if (text.includes('\0')) return jsonProblem('', 'The body contains U+0000. Remove it.')
  const scan: ScanState = {
    text,
    offset: 0,
    escapeOffset: -1,
    containers: [],
    keyCount: 0,
    entryCount: 0,
    isAtKey: false,
    mayBeForbidden: mayContainForbidden(text),
    findsDuplicates,
  }
  const length = text.length
  while (scan.offset < length) {
    const code = text.charCodeAt(scan.offset)
    let result: ScanResult
    if (code <= space) scan.offset = endOfSpace(text, scan.offset + 1)
    else if (code === quote) result = scanString(scan)
    else if (code === minus || (code >= digitZero && code <= digitNine)) result = scanNumber(scan)
    else if (code === comma) result = scanComma(scan)
    else if (code === openBrace || code === openBracket)
      result = openContainer(scan, code === openBrace)
    else if (code === closeBrace || code === closeBracket) result = closeContainer(scan)
    else result = scanOther(scan, code)
    if (result !== undefined) return result
  }
  return { ok: true, keyCount: scan.keyCount }
}

/** Colons and literals; nothing else stands outside of strings. JSON.parse checks their places. */
function scanOther(scan: ScanState, code: number): ScanResult {
  const { text, offset } = scan
  if (code === colon) scan.offset += 1
  else if (text.startsWith('null', offset) || text.startsWith('true', offset)) scan.offset += 4
  else if (text.startsWith('false', offset)) scan.offset += 5
  else return 'malformed'
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
  if (end - offset - 1 > (isAtKey ? maxKeyLength : maxTextLength)) return tooLong(scan)
  if (scan.mayBeForbidden || (isEscaped && mayHide.test(text.slice(offset, end)))) {
    const decoded = decodeString(text.slice(offset, end + 1))
    if (decoded === undefined) return 'malformed'
    const reason = forbiddenCharacterMessage(decoded)
    // A forbidden key must not appear in the response, so the pointer ends at its object.
    const containers = isAtKey ? scan.containers.slice(0, -1) : scan.containers
    if (reason !== undefined) return jsonProblem(pointerTo(text, containers), reason)
  }
  return isAtKey ? scanKey(scan, offset, end + 1) : undefined
}

/** Escapes that can stand for a forbidden character, and those that JSON does not know. */
const mayHide = /\\[^nt"\\/]/

function tooLong({ text, containers, isAtKey }: ScanState): JsonProblem {
  const [what, maximum] = isAtKey ? ['A key', maxKeyLength] : ['The text', maxTextLength]
  return jsonProblem(
    pointerTo(text, isAtKey ? containers.slice(0, -1) : containers),
    `${what} has more than ${maximum} characters. Send a shorter one.`,
    'too_long',
  )
}

/** The literal of the key begins and ends with its quotes. */
function scanKey(scan: ScanState, start: number, end: number): ScanResult {
  const { text, containers } = scan
  const container = containers[containers.length - 1]
  if (container === undefined || !container.isObject) return 'malformed'
  scan.isAtKey = false
  container.keyStart = start
  container.keyEnd = end
  scan.keyCount += 1
  if (scan.keyCount > maxKeys) {
    return jsonProblem('', `The body has more than ${maxKeys} keys. Send less in one request.`)
  }
  const isEscaped = scan.escapeOffset < end
  if (!isEscaped && !scan.findsDuplicates && !forbiddenLengths.has(end - start)) return undefined
  const key = isEscaped ? decodeString(text.slice(start, end)) : text.slice(start + 1, end - 1)
  if (key === undefined) return 'malformed'
  if (forbiddenKeys.includes(key)) {
    return forbiddenKey(pointerTo(text, containers), key)
  }
  if (!scan.findsDuplicates) return undefined
  container.keys ??= new Set()
  if (container.keys.size < container.keys.add(key).size) return undefined
  const message = `The key ${quotedKey(key)} appears twice in one object. Send each key once.`
  return jsonProblem(pointerTo(text, containers), message)
}

export const forbiddenKey = (param: string, key: string): JsonProblem =>
  jsonProblem(param, `The key ${quotedKey(key)} is not allowed. Rename or remove it.`)

function scanNumber(scan: ScanState): ScanResult {
  const { text, offset } = scan
  let end = offset + 1
  let hasExponent = false
  for (; end - offset <= maxNumberLength; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= digitZero && code <= digitNine) continue
    if (code === 0x65 || code === 0x45) hasExponent = true
    else if (code !== 0x2e && code !== 0x2b && code !== minus) break
  }
  scan.offset = end
  if (end - offset > maxNumberLength) {
    const message = `The number has more than ${maxNumberLength} characters. Send a shorter one.`
    return jsonProblem(pointerTo(text, scan.containers), message, 'too_long')
  }
  if (!hasExponent && end - offset < digitsOfLargestNumber) return undefined
  if (Math.abs(Number(text.slice(offset, end))) !== Infinity) return undefined
  return jsonProblem(
    pointerTo(text, scan.containers),
    'The number is too large for a JSON number (an IEEE 754 double). Send a smaller one.',
  )
}

function scanComma(scan: ScanState): ScanResult {
  const container = scan.containers[scan.containers.length - 1]
  if (container === undefined) return 'malformed'
  scan.offset += 1
  if (container.isObject) {
    scan.isAtKey = true
    return undefined
  }
  container.index += 1
  scan.entryCount += 1
  if (scan.entryCount < maxEntries) return undefined
  return jsonProblem(
    '',
    `The body has more than ${maxEntries} list entries. Send less in one request.`,
  )
}

function openContainer(scan: ScanState, isObject: boolean): ScanResult {
  if (scan.containers.length === maxDepth) {
    const message = `The body nests deeper than ${maxDepth} levels. Send a flatter structure.`
    return jsonProblem(pointerTo(scan.text, scan.containers), message)
  }
  scan.containers.push({ isObject, index: 0, keyStart: -1, keyEnd: -1, keys: undefined })
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

/** The value of a string literal with its quotes; undefined when an escape is invalid. */
function decodeString(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** The JSON pointer to the current place in these containers; it ends before a very long key. */
function pointerTo(text: string, containers: readonly ContainerState[]): string {
  let path = ''
  for (const { isObject, index, keyStart, keyEnd } of containers) {
    if (isObject && keyStart === -1) break
    const part = isObject ? (decodeString(text.slice(keyStart, keyEnd)) ?? '') : String(index)
    if (part.length > limits.echoedNameMaxLength) break
    path += `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return path
}

/** A key for a message: quoted, escaped and shortened. */
function quotedKey(key: string): string {
  return JSON.stringify(shortenedText(key))
}

export function jsonProblem(
  param: string,
  message: string,
  code: Problem['code'] = 'invalid_value',
): JsonProblem {
  return { ok: false, code, param, message }
}
