/** The form of the bundle: sections 3 and 4 of FORMAT.md. What is malformed fails with SHAPE. */

import { sha256 } from './ed25519.ts'
import {
  canonical,
  ensure,
  hasExactly,
  isCount,
  isHex,
  isObject,
  type Json,
  type JsonObject,
} from './json.ts'
import { isTime } from './note.ts'

export type Role = 'issuer' | 'counterparty'
export type Slot = 'shared' | 'issuer' | 'counterparty' | 'finance'
export type Opening = { body: JsonObject | null; salt: string }

export type Event = {
  at: string
  commitments: Map<string, string>
  prev: string | null
  seq: number
  stream: string
  version: 1 | 2
  hash: Buffer
  index: number
  path: string[]
  open: Map<string, Opening>
}

export type Bundle = {
  version: 1 | 2
  checkpoint: string
  head: string
  documentId: string
  state: JsonObject
  streamSalt: string
  events: Event[]
  organization: string
  role: Role
}

const FORMATS = ['svc-proof-bundle/1', 'svc-proof-bundle/2']
const SLOTS_1 = ['counterparty', 'issuer', 'shared']
const SLOTS_2 = ['counterparty', 'finance', 'issuer', 'shared']
const ID = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/

/** An id, section 3: its prefix and 26 characters. */
export function isId(value: Json | undefined, prefix: string): value is string {
  if (typeof value !== 'string' || !value.startsWith(prefix)) {
    return false
  }
  return ID.test(value.slice(prefix.length))
}

/** The kind of an event, section 5. */
export function isEventType(value: Json | undefined): value is string {
  return (
    typeof value === 'string' && value.length <= 64 && /^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(value)
  )
}

type Header = Pick<Event, 'at' | 'commitments' | 'prev' | 'seq' | 'stream' | 'version' | 'hash'>

/** The header of an event, section 4, with its hash. */
function readHeader(header: Json): Header {
  ensure(hasExactly(header, ['at', 'c', 'prev', 'seq', 'stream', 'v']), 'SHAPE')
  const { at, c, prev, seq, stream, v } = header
  ensure(v === 'svc-event/1' || v === 'svc-event/2', 'SHAPE')
  const version = v === 'svc-event/1' ? 1 : 2
  ensure(isTime(at), 'SHAPE')
  ensure(hasExactly(c, version === 1 ? SLOTS_1 : SLOTS_2), 'SHAPE')
  const commitments = new Map<string, string>()
  for (const [slot, commitment] of Object.entries(c)) {
    ensure(isHex(commitment, 32), 'SHAPE')
    commitments.set(slot, commitment)
  }
  ensure(prev === null || isHex(prev, 32), 'SHAPE')
  ensure(isCount(seq) && seq >= 1, 'SHAPE')
  ensure(isHex(stream, 32), 'SHAPE')
  const hash = sha256(Uint8Array.of(0), canonical(header))
  return { at, commitments, prev, seq, stream, version, hash }
}

/** The open slots of an event, section 3: each is a name in the header's `c`. */
function readOpenings(open: Json, commitments: Map<string, string>): Map<string, Opening> {
  ensure(isObject(open), 'SHAPE')
  const openings = new Map<string, Opening>()
  for (const [slot, opening] of Object.entries(open)) {
    ensure(commitments.has(slot), 'SHAPE')
    ensure(hasExactly(opening, ['body', 'salt']), 'SHAPE')
    const { body, salt } = opening
    ensure(body === null || isObject(body), 'SHAPE')
    ensure(isHex(salt, 16), 'SHAPE')
    openings.set(slot, { body, salt })
  }
  return openings
}

function readEvent(event: Json, version: 1 | 2): Event {
  ensure(hasExactly(event, ['header', 'log', 'open']), 'SHAPE')
  const header = readHeader(event.header!)
  ensure(header.version <= version, 'SHAPE')
  const { log } = event
  ensure(hasExactly(log, ['index', 'path']), 'SHAPE')
  const { index } = log
  ensure(isCount(index) && Array.isArray(log.path), 'SHAPE')
  const path = log.path.map((sibling) => {
    ensure(isHex(sibling, 32), 'SHAPE')
    return sibling
  })
  return { ...header, index, path, open: readOpenings(event.open!, header.commitments) }
}

/** Checks the form of the bundle, first its `format`: FORMAT and SHAPE of section 9. */
export function readBundle(value: Json): Bundle {
  ensure(isObject(value), 'SHAPE')
  const format = Object.hasOwn(value, 'format') ? value.format : undefined
  ensure(typeof format === 'string', 'SHAPE')
  ensure(FORMATS.includes(format), 'FORMAT')
  const version = format === FORMATS[0] ? 1 : 2
  const fields = ['checkpoint', 'document', 'events', 'format', 'head', 'viewer']
  ensure(hasExactly(value, fields), 'SHAPE')
  const { checkpoint, document, events, head, viewer } = value
  ensure(typeof checkpoint === 'string' && typeof head === 'string', 'SHAPE')
  ensure(hasExactly(document, ['id', 'state', 'stream_salt']), 'SHAPE')
  const { id, state, stream_salt: streamSalt } = document
  ensure(isId(id, 'doc_') && isObject(state) && isHex(streamSalt, 16), 'SHAPE')
  ensure(hasExactly(viewer, ['organization_id', 'role']), 'SHAPE')
  const { organization_id: organization, role } = viewer
  ensure(isId(organization, 'org_'), 'SHAPE')
  ensure(role === 'issuer' || role === 'counterparty', 'SHAPE')
  ensure(Array.isArray(events) && events.length >= 1, 'SHAPE')
  return {
    version,
    checkpoint,
    head,
    documentId: id,
    state,
    streamSalt,
    events: events.map((event) => readEvent(event, version)),
    organization,
    role,
  }
}
