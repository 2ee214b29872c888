/** The trust file, section 8 of FORMAT.md. Whatever is malformed fails with TRUST. */

import { isStrongPoint, sha256 } from './ed25519.ts'
import {
  decodeBase64,
  ensure,
  field,
  isCount,
  isObject,
  parseAnySpelling,
  type Json,
  type JsonObject,
} from './json.ts'
import { isName } from './note.ts'
import { isEventType, isId } from './shape.ts'

export type VerifierKey = { name: string; keyId: string; publicKey: Buffer }
export type LogKey = VerifierKey & { fromSize: number; untilSize: number }

export type Log = {
  origin: string
  keys: LogKey[]
  witnesses: VerifierKey[]
  quorum: number
  witnessedFromSize: number
}

export type Party = { keys: Buffer[]; required: string[] }
export type Trust = { logs: Map<string, Log>; parties: Map<string, Party> }

const LOG_KEY = 0x01
const WITNESS_KEY = 0x04
const VERIFIER_KEY = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/

function list(value: Json | undefined): Json[] {
  ensure(Array.isArray(value), 'TRUST')
  return value
}

function object(value: Json | undefined): JsonObject {
  ensure(isObject(value), 'TRUST')
  return value
}

/** A size; −0 counts as 0, since only the number matters, not its spelling. */
function size(value: Json | undefined): number {
  ensure(isCount(value), 'TRUST')
  return value
}

/** A verifier key of that type, section 6. */
function verifierKey(value: Json | undefined, type: number): VerifierKey {
  ensure(typeof value === 'string', 'TRUST')
  const match = VERIFIER_KEY.exec(value)
  ensure(match !== null, 'TRUST')
  const [, name, keyId, encoded] = match
  const bytes = decodeBase64(encoded!)
  ensure(bytes?.length === 33 && bytes[0] === type, 'TRUST')
  const expected = sha256(name!, '\n', bytes).toString('hex', 0, 4)
  const publicKey = bytes.subarray(1)
  ensure(keyId === expected && isStrongPoint(publicKey), 'TRUST')
  return { name: name!, keyId, publicKey }
}

/** The sizes at which a key is in force; `until` is exclusive. */
function keyWindow(windows: JsonObject, key: string): { fromSize: number; untilSize: number } {
  const value = field(windows, key) ?? null
  if (value === null) {
    return { fromSize: 0, untilSize: Infinity }
  }
  const from = field(object(value), 'from_size')
  const until = field(object(value), 'until_size') ?? null
  return {
    fromSize: from === undefined ? 0 : size(from),
    untilSize: until === null ? Infinity : size(until),
  }
}

function hasDuplicates(texts: string[]): boolean {
  return new Set(texts).size !== texts.length
}

function readKeys(answer: JsonObject, origin: string): LogKey[] {
  const windowsField = field(answer, 'windows')
  const windows = windowsField === undefined ? {} : object(windowsField)
  const keys = list(field(answer, 'keys')).map((value) => {
    const key = verifierKey(value, LOG_KEY)
    ensure(key.name === origin, 'TRUST')
    return { ...key, ...keyWindow(windows, value as string) }
  })
  ensure(keys.length >= 1 && !hasDuplicates(keys.map((key) => key.keyId)), 'TRUST')
  return keys
}

/** An answer of `GET /v1/log/keys`, with the witnesses that the reader added. */
function readLog(value: Json): Log {
  const answer = object(value)
  const origin = field(answer, 'origin')
  ensure(isName(origin), 'TRUST')
  const keys = readKeys(answer, origin)
  const witnessesField = field(answer, 'witnesses')
  const witnesses = (witnessesField === undefined ? [] : list(witnessesField)).map((key) =>
    verifierKey(key, WITNESS_KEY),
  )
  ensure(
    witnesses.every((witness) => witness.name !== origin),
    'TRUST',
  )
  ensure(!hasDuplicates(witnesses.map((key) => key.publicKey.toString('hex'))), 'TRUST')
  const quorumField = field(answer, 'quorum')
  ensure(quorumField !== undefined || witnesses.length === 0, 'TRUST')
  const quorum = quorumField === undefined ? 0 : size(quorumField)
  ensure(quorum <= witnesses.length, 'TRUST')
  const fromField = field(answer, 'witnessed_from_size')
  const witnessedFromSize = fromField === undefined ? 0 : size(fromField)
  return { origin, keys, witnesses, quorum, witnessedFromSize }
}

function readParty(value: Json): Party {
  const party = object(value)
  const keys = list(field(party, 'keys')).map((text) => {
    ensure(typeof text === 'string', 'TRUST')
    const key = decodeBase64(text)
    ensure(key !== undefined && isStrongPoint(key), 'TRUST')
    return key
  })
  ensure(keys.length >= 1, 'TRUST')
  const requiredField = field(party, 'required')
  const required = (requiredField === undefined ? [] : list(requiredField)).map((type) => {
    ensure(isEventType(type), 'TRUST')
    return type
  })
  return { keys, required }
}

/** Reads the text of a trust file, section 8. */
export function readTrust(text: string): Trust {
  const file = object(parseAnySpelling(text))
  const logsField = field(file, 'logs')
  const answers = logsField === undefined ? [file] : list(logsField)
  ensure(answers.length >= 1, 'TRUST')
  const logs = new Map<string, Log>()
  for (const answer of answers) {
    const log = readLog(answer)
    ensure(!logs.has(log.origin), 'TRUST')
    logs.set(log.origin, log)
  }
  const parties = new Map<string, Party>()
  const partiesField = field(file, 'parties')
  if (partiesField !== undefined) {
    for (const [organization, party] of Object.entries(object(partiesField))) {
      ensure(isId(organization, 'org_'), 'TRUST')
      parties.set(organization, readParty(party))
    }
  }
  return { logs, parties }
}
