/**
 * Strict JSON for request bodies: contract.md 2 (invalid_request), reliability.md 2 "All bodies".
 *
 * JSON.parse keeps the last of two equal keys, makes Infinity of 1e400, takes any depth, and lets
 * through U+0000 and lone surrogates, which PostgreSQL cannot store, and control characters, which
 * no XML invoice can hold. So a scanner walks the text once before it. The scanner refuses only
 * what JSON.parse would let pass and is lax about all else; JSON.parse has the last word on
 * grammar. On well-formed JSON the scanner sees exactly the strings, keys, numbers and brackets
 * that JSON.parse sees; anything else JSON.parse refuses. So nothing slips through between the two.
 *
 * Nothing here recurses: depth costs entries of an explicit stack, and the stack is bounded.
 */
import { isUtf8 } from 'node:buffer'
import { limits } from '../contract/limits.ts'
import { unstorable } from './forbidden-characters.ts'

/** Objects and arrays inside one another, the outermost as 1; keys and entries all together. */
const { jsonMaxDepth: maxDepth, jsonMaxKeys: maxKeys, jsonMaxEntries: maxEntries } = limits
/** A pointer ends before a longer key, so that no answer echoes half a body. */
const maxPointerKeyCharacters = 100
/** Up to this many keys a list is searched faster than a Set is built. */
const maxKeysInList = 16
/** The largest double has 309 digits: a shorter number without an exponent is finite. */
const digitsOfLargestNumber = 309
/** Keys that reach an object's prototype once somebody copies them. */
const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

export type JsonProblem = {
  ok: false
  /** JSON pointer (RFC 6901) of the place, "" for the whole body. */
  param: string
  /** What is wrong and what to send instead. Never holds U+0000 or a lone surrogate. */
  message: string
}

/**
 * The value of a request body, or the first problem that stops it. Throws on no input.
 *
 * Refused: invalid UTF-8, a byte order mark, what no text may hold (texts.ts), duplicate keys
 * (compared after decoding), `forbiddenKeys`, too deep, too many keys or list entries, numbers that
 * overflow, and whatever is not JSON. An empty body is not JSON either: where one may stand for
 * `{}` (contract.md 5.2), the caller must not ask.
 */
export function parseJson(bytes: Buffer): { ok: true; value: unknown } | JsonProblem {
  if (!isUtf8(bytes)) return problem('', 'The body is not valid UTF-8. Send JSON as UTF-8.')
  const text = bytes.toString('utf8')
  const finding = findProblem(text)
  if (typeof finding === 'object') return finding
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return problem('', explainSyntax(error))
  }
  if (finding === 'malformed') throw new Error('scanner and JSON.parse disagree about a body')
  return { ok: true, value }
}

/** 'malformed' stops the scan early: JSON.parse is sure to refuse, and says why. */
type Finding = JsonProblem | 'malformed' | undefined

/** One object or array that is open where the scanner stands. */
type Frame = {
  /** Decoded keys of an object so far, while few; undefined for an array. */
  keyList: string[] | undefined
  /** The same keys once they are many. */
  keySet: Set<string> | undefined
  /** The last key of an object or the index in an array: the frame's part of the pointer. */
  place: string | number | undefined
}

type Scan = {
  text: string
  at: number
  /** The first backslash at or after `at`, Infinity when there is none. */
  escapeAt: number
  open: Frame[]
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

/** Walks the text once. */
function findProblem(text: string): Finding {
  if (text.startsWith('\ufeff')) {
    return problem('', 'The body starts with a byte order mark. Send the JSON without it.')
  }
  if (text.includes('\0')) return problem('', 'The body holds U+0000. Remove it.')
  const scan: Scan = {
    text,
    at: 0,
    escapeAt: -1,
    open: [],
    keyCount: 0,
    entryCount: 0,
    isAtKey: false,
  }
  const length = text.length
  while (scan.at < length) {
    const code = text.charCodeAt(scan.at)
    let finding: Finding
    if (code === quote) finding = takeString(scan)
    else if (code === minus || (code >= digitZero && code <= digitNine)) finding = takeNumber(scan)
    else if (code === comma) finding = takeComma(scan)
    else if (code === openBrace || code === openBracket) finding = open(scan, code === openBrace)
    else if (code === closeBrace || code === closeBracket) finding = close(scan)
    else scan.at += 1 // white space, colons and literals: JSON.parse checks them
    if (finding !== undefined) return finding
  }
  return undefined
}

function takeString(scan: Scan): Finding {
  const { text, at, isAtKey } = scan
  if (scan.escapeAt < at) scan.escapeAt = indexOrInfinity(text.indexOf('\\', at))
  let end = text.indexOf('"', at + 1)
  const isEscaped = scan.escapeAt < end
  if (isEscaped) end = endOfEscapedString(text, scan.escapeAt)
  if (end === -1) return 'malformed'
  scan.at = end + 1
  if (!isAtKey && !isEscaped) return undefined
  const decoded = isEscaped ? decode(text.slice(at, end + 1)) : text.slice(at + 1, end)
  if (decoded === undefined) return 'malformed'
  if (isEscaped) {
    const reason = unstorable(decoded)
    // A key that cannot be stored cannot be named either: the pointer ends at its object.
    const frames = isAtKey ? scan.open.slice(0, -1) : scan.open
    if (reason !== undefined) return problem(pointer(frames), reason)
  }
  return isAtKey ? takeKey(scan, decoded) : undefined
}

function takeKey(scan: Scan, key: string): Finding {
  const frame = scan.open[scan.open.length - 1]
  if (frame?.keyList === undefined) return 'malformed'
  scan.isAtKey = false
  frame.place = key
  scan.keyCount += 1
  if (scan.keyCount > maxKeys) {
    return problem('', `The body has more than ${maxKeys} keys. Send less in one request.`)
  }
  if (forbiddenKeys.includes(key)) {
    return problem(pointer(scan.open), `The key ${shown(key)} is not allowed. Rename or remove it.`)
  }
  if (!addKey(frame, frame.keyList, key)) {
    const message = `The key ${shown(key)} appears twice in one object. Send each key once.`
    return problem(pointer(scan.open), message)
  }
  return undefined
}

/** Adds a key to its object; false when the object has it already. */
function addKey(frame: Frame, keyList: string[], key: string): boolean {
  if (frame.keySet === undefined) {
    if (keyList.includes(key)) return false
    keyList.push(key)
    if (keyList.length === maxKeysInList) frame.keySet = new Set(keyList)
    return true
  }
  const sizeBefore = frame.keySet.size
  return frame.keySet.add(key).size > sizeBefore
}

function takeNumber(scan: Scan): Finding {
  const { text, at } = scan
  let end = at + 1
  let hasExponent = false
  for (; ; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= digitZero && code <= digitNine) continue
    if (code === 0x65 || code === 0x45) hasExponent = true
    else if (code !== 0x2e && code !== 0x2b && code !== minus) break
  }
  scan.at = end
  if (!hasExponent && end - at < digitsOfLargestNumber) return undefined
  if (Math.abs(Number(text.slice(at, end))) !== Infinity) return undefined
  return problem(
    pointer(scan.open),
    'The number is too large for a JSON number (an IEEE 754 double). Send a smaller one.',
  )
}

function takeComma(scan: Scan): Finding {
  const frame = scan.open[scan.open.length - 1]
  if (frame === undefined) return 'malformed'
  scan.at += 1
  if (typeof frame.place !== 'number') {
    scan.isAtKey = true
    return undefined
  }
  frame.place += 1
  scan.entryCount += 1
  if (scan.entryCount < maxEntries) return undefined
  return problem('', `The body has more than ${maxEntries} list entries. Send less in one request.`)
}

function open(scan: Scan, isObject: boolean): Finding {
  if (scan.open.length === maxDepth) {
    const message = `The body nests deeper than ${maxDepth} levels. Send a flatter structure.`
    return problem(pointer(scan.open), message)
  }
  scan.open.push({
    keyList: isObject ? [] : undefined,
    keySet: undefined,
    place: isObject ? undefined : 0,
  })
  scan.isAtKey = isObject
  scan.at += 1
  return undefined
}

function close(scan: Scan): Finding {
  if (scan.open.pop() === undefined) return 'malformed'
  scan.isAtKey = false
  scan.at += 1
  return undefined
}

/** The closing quote of a string whose first backslash is at `escapeAt`, or -1. */
function endOfEscapedString(text: string, escapeAt: number): number {
  let at = escapeAt
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    at += code === backslash ? 2 : 1
  }
  return -1
}

function indexOrInfinity(index: number): number {
  return index === -1 ? Infinity : index
}

/** A string literal with its quotes → what it stands for; undefined when an escape is wrong. */
function decode(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/** The pointer of the place that these frames stand at. */
function pointer(frames: Frame[]): string {
  let path = ''
  for (const { place } of frames) {
    if (place === undefined) break
    if (typeof place === 'string' && place.length > maxPointerKeyCharacters) break
    path += `/${String(place).replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return path
}

/** A key as a message shows it: quoted, escaped and not too long. */
function shown(key: string): string {
  const isLong = key.length > maxPointerKeyCharacters
  return JSON.stringify(isLong ? `${key.slice(0, maxPointerKeyCharacters)}…` : key)
}

/** V8 echoes the body in some messages; only the part that names the mistake is passed on. */
function explainSyntax(error: unknown): string {
  const raw = error instanceof SyntaxError ? error.message : ''
  const unexpected = /^Unexpected token '([ -~])'/.exec(raw)
  const place = /(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/.exec(raw)
  let detail = ''
  if (unexpected !== null) detail = `: unexpected ${unexpected[0].slice('Unexpected '.length)}`
  else if (raw === 'Unexpected end of JSON input') detail = ': it ends too early'
  else if (place !== null) {
    const reason = raw.slice(0, place.index)
    detail = `: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
    detail += ` at line ${place[1]}, column ${place[2]}`
  }
  return `The body is not valid JSON${detail}. Send one JSON value, for example {"name":"x"}.`
}

function problem(param: string, message: string): JsonProblem {
  return { ok: false, param, message }
}
