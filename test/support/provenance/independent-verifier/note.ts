/** Signed notes: checkpoints (section 6 of FORMAT.md) and head notes (section 7). */

import { decodeBase64, ensure, isHex } from './json.ts'

/** A line below the empty one; the key id is hex, the payload what follows it. */
export type SignatureLine = { name: string; keyId: string; payload: Buffer }

/** What both kinds have; `signed` is the text up to the `\n` before the empty line. */
export type Note = {
  origin: string
  signed: string
  logLines: SignatureLine[]
  witnessLines: SignatureLine[]
}

export type Checkpoint = Note & { size: number; root: Buffer }

export type Head = Note & {
  stream: string
  seq: number
  eventHash: string
  size: number
  keySize: number
}

const MAX_LINES = 100
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const LINE = /^\u2014 ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})$/

/** A time, section 2: digits in these places, no calendar. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value)
}

/** An origin or another key name: printable ASCII without space and `+`, section 6. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[!-*,-~]+$/.test(value)
}

/** A count in decimal without leading zero, section 6. */
function parseCount(text: string): number {
  ensure(/^(0|[1-9]\d{0,15})$/.test(text), 'NOTE')
  const count = Number(text)
  ensure(Number.isSafeInteger(count), 'NOTE')
  return count
}

function parseLine(line: string): SignatureLine {
  const match = LINE.exec(line)
  ensure(match !== null, 'NOTE')
  const bytes = decodeBase64(match[2]!)
  ensure(bytes !== undefined && bytes.length > 4, 'NOTE')
  return { name: match[1]!, keyId: bytes.toString('hex', 0, 4), payload: bytes.subarray(4) }
}

/** Whether one line may follow the other: ascending by name, then by key id, none twice. */
function ascend(before: SignatureLine, after: SignatureLine): boolean {
  return before.name === after.name ? before.keyId < after.keyId : before.name < after.name
}

/** The lines below the empty one: those of the log, then those of witnesses (section 6). */
function parseLines(texts: string[], origin: string): Pick<Note, 'logLines' | 'witnessLines'> {
  ensure(texts.length >= 1 && texts.length <= MAX_LINES, 'NOTE')
  const lines = texts.map(parseLine)
  const firstOther = lines.findIndex((line) => line.name !== origin)
  const logCount = firstOther === -1 ? lines.length : firstOther
  const logLines = lines.slice(0, logCount)
  const witnessLines = lines.slice(logCount)
  ensure(
    logLines.every((line) => line.payload.length === 64),
    'NOTE',
  )
  ensure(
    witnessLines.every((line) => line.name !== origin),
    'NOTE',
  )
  for (const group of [logLines, witnessLines]) {
    ensure(
      group.every((line, i) => i === 0 || ascend(group[i - 1]!, line)),
      'NOTE',
    )
  }
  return { logLines, witnessLines }
}

/** Splits a note into its body, of so many lines, and the lines below the empty one. */
function splitNote(text: string, bodyLines: number): { body: string[]; below: string[] } {
  const lines = text.split('\n')
  ensure(lines.pop() === '', 'NOTE')
  ensure(lines.length > bodyLines && lines[bodyLines] === '', 'NOTE')
  return { body: lines.slice(0, bodyLines), below: lines.slice(bodyLines + 1) }
}

/** A checkpoint, section 6. Fails with NOTE. */
export function parseCheckpoint(text: string): Checkpoint {
  const { body, below } = splitNote(text, 3)
  const origin = body[0]
  ensure(isName(origin), 'NOTE')
  const size = parseCount(body[1]!)
  const root = decodeBase64(body[2]!)
  ensure(root?.length === 32, 'NOTE')
  return { origin, signed: `${body.join('\n')}\n`, size, root, ...parseLines(below, origin) }
}

/** A head note of either version, section 7. Fails with NOTE. */
export function parseHead(text: string, version: 1 | 2): Head {
  const { body, below } = splitNote(text, version === 1 ? 4 : 5)
  const prefix = `svc-head/${version} `
  ensure(body[0]!.startsWith(prefix), 'NOTE')
  const origin = body[0]!.slice(prefix.length)
  ensure(isName(origin), 'NOTE')
  const event = body[1]!.split(' ')
  ensure(event.length === 3 && isHex(event[0], 32) && isHex(event[2], 32), 'NOTE')
  const seq = parseCount(event[1]!)
  const size = parseCount(body[2]!)
  ensure(isTime(body[3]), 'NOTE')
  const keySize = version === 1 ? size : parseCount(body[4]!)
  ensure(keySize >= size, 'NOTE')
  const lines = parseLines(below, origin)
  // Only a checkpoint may have lines of witnesses.
  ensure(lines.witnessLines.length === 0, 'NOTE')
  const signed = `${body.join('\n')}\n`
  return { origin, signed, stream: event[0], seq, eventHash: event[2], size, keySize, ...lines }
}
