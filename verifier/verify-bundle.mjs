#!/usr/bin/env node
/**
 * Verifies a proof bundle (svc-proof-bundle/1) offline. One file, Node 18 or newer, no packages, no
 * network. FORMAT.md describes every byte; verify_bundle.py is a second, independent verifier.
 *
 *   node verify-bundle.mjs FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER]
 *                          [--since OLD] [--open OPENING] [--json]
 *
 * Exit codes: 0 valid; 1 invalid or unreadable; 2 everything is consistent, but without --trust
 * nobody vouches for the log.
 *
 * The service runs this same module on every history and every bundle before it sends them.
 */
import * as crypto from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A refused bundle: the name of the check, and the place where it failed. */
export class Failure extends Error {
  constructor(check, message, place = {}) {
    super(message)
    this.name = 'Failure'
    this.check = check
    this.seq = place.seq
    this.slot = place.slot
  }
}

const fail = (check, message, place) => {
  throw new Failure(check, message, place)
}

// ── Bytes and hashes ────────────────────────────────────────────────────────────────────────────

/** Hashes bytes, or text as UTF-8. */
const sha256Hex = (data) =>
  crypto.hash === undefined
    ? crypto.createHash('sha256').update(data).digest('hex')
    : crypto.hash('sha256', data)

const sha256 = (data) => Buffer.from(sha256Hex(data), 'hex')
const hashBytes = 32

/** The prefixes of RFC 6962 keep leaves and inner nodes from being confused. */
export const leafHash = (text) => sha256(`\0${text}`)

const joined = (...parts) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** Buffer for two hashes of the right length. Other lengths are hashed too, but match no root. */
const node = Buffer.alloc(1 + hashBytes + hashBytes, 1)

export const nodeHash = (left, right) => {
  if (left.length !== hashBytes || right.length !== hashBytes) {
    return sha256(joined('\x01', left, right))
  }
  node.set(left, 1)
  node.set(right, 1 + hashBytes)
  return sha256(node)
}

/** The root of the tree without leaves. */
export const emptyRoot = sha256('')

/** The blinded name of a document's stream. */
export const streamOf = (salt, documentId) => sha256Hex(joined('svc-stream/1\n', salt, documentId))

export const commitment = (salt, bodyText) => sha256Hex(joined('svc-slot/1\n', salt, bodyText))

/** Decodes standard base64; undefined unless it is the canonical encoding of its bytes. */
const base64 = (text) => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

// ── Canonical JSON: RFC 8785 with integers only ─────────────────────────────────────────────────

const maxDepth = 32

/** Printable ASCII without escapes: the common case, recognised by one regular expression. */
const plainText = /^[ !#-[\]-~]*$/

const text = (value) => {
  if (plainText.test(value)) return `"${value}"`
  // In unicode mode only a lone surrogate matches.
  if (/\p{Surrogate}/u.test(value)) fail('CANONICAL', 'a lone surrogate')
  if (value.includes('\0')) fail('CANONICAL', 'U+0000')
  return JSON.stringify(value)
}

/** The canonical text of a value; fails with CANONICAL if it has none. */
export const canonical = (value, depth = 0, kept = undefined) => {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      fail('CANONICAL', 'a number that is no safe integer')
    }
    return String(value)
  }
  const known = kept?.get(value)
  if (known !== undefined) return known
  if (depth === maxDepth) fail('CANONICAL', `more than ${maxDepth} levels`)
  const written = Array.isArray(value)
    ? `[${value.map((item) => canonical(item, depth + 1, kept)).join(',')}]`
    : `{${fieldsOf(value, depth, kept)}}`
  if (written.length >= shortestKept) kept?.set(value, written)
  return written
}

const fieldsOf = (value, depth, kept) => {
  let fields = ''
  for (const key of Object.keys(value).sort()) {
    fields += `${fields === '' ? '' : ','}${text(key)}:${canonical(value[key], depth + 1, kept)}`
  }
  return fields
}

/** Writing a shorter text again is as fast as finding it. */
const shortestKept = 100

/** Like `canonical`, but serializes each value once; the values must not change afterwards. */
export const writer = () => {
  const texts = new Map()
  return (value) => canonical(value, 0, texts)
}

/** Counts brackets outside of strings, before any recursive code sees the text. */
const checkDepth = (source, check = 'CANONICAL') => {
  let depth = 0
  let inString = false
  for (let i = 0; i < source.length; i += 1) {
    const code = source.charCodeAt(i)
    if (inString) {
      if (code === 0x5c) i += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > maxDepth) fail(check, `more than ${maxDepth} levels`)
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
}

const utf8Of = (bytes, check) => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return fail(check, 'not UTF-8')
  }
}

/** Parses canonical bytes; refuses any other spelling of the same value. */
export const parseCanonical = (bytes, textOf = canonical) => {
  const source = utf8Of(bytes, 'JSON')
  checkDepth(source)
  let value
  try {
    value = JSON.parse(source)
  } catch {
    return fail('JSON', 'not JSON')
  }
  if (textOf(value) !== source) fail('CANONICAL', 'not in canonical form')
  return value
}

// ── Merkle proofs, as RFC 9162 2.1.3.2 and 2.1.4.2 check them ────────────────────────────────────

const half = (n) => Math.floor(n / 2)
const isOdd = (n) => n % 2 === 1

/** The root computed from a leaf and its path; undefined when the path does not fit the index. */
export const rootFromPath = (leaf, index, size, path) => {
  if (index >= size) return undefined
  let [at, last, hash] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (last === 0) return undefined
    if (isOdd(at) || at === last) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, sibling)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? hash : undefined
}

/** Whether the tree of `size` leaves extends the tree of `from` leaves. */
export const isConsistent = (from, size, fromRoot, root, proof) => {
  if (from > size) return false
  if (from === size) return proof.length === 0 && fromRoot.equals(root)
  if (from === 0) return proof.length === 0 && fromRoot.equals(emptyRoot)
  const isPower = Number.isInteger(Math.log2(from)) && 2 ** Math.log2(from) === from
  const path = isPower ? [fromRoot, ...proof] : [...proof]
  let [at, last] = [from - 1, size - 1]
  while (isOdd(at)) [at, last] = [half(at), half(last)]
  const first = path.shift()
  if (first === undefined) return false
  let [older, newer] = [first, first]
  for (const node of path) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      older = nodeHash(node, older)
      newer = nodeHash(node, newer)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else newer = nodeHash(newer, node)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && older.equals(fromRoot) && newer.equals(root)
}

// ── Keys, signed notes and checkpoints: C2SP signed-note and tlog-checkpoint ────────────────────

const ed25519 = 1
const fieldPrime = 2n ** 255n - 19n
/** The y of every point of small order: anyone can forge signatures for such a key. */
const smallOrder = [
  0n,
  1n,
  fieldPrime - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]

const littleEndian = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** Correct implementations disagree on these points: y not below the prime, or small order. */
const isWeakPoint = (bytes) => {
  const y = littleEndian(bytes) & (2n ** 255n - 1n)
  return y >= fieldPrime || smallOrder.includes(y)
}

/** `<name>+<8 hex of SHA-256(name ‖ \n ‖ type ‖ key)>+<base64 of type ‖ key>` */
export const parseVkey = (vkey) => {
  const match = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey)
  const typed = match === null ? undefined : base64(match[3])
  if (typed === undefined || typed.length !== 33 || typed[0] !== ed25519) {
    return fail('TRUST', 'not a verifier key of type Ed25519')
  }
  const [, name, id] = match
  const isRight = sha256Hex(joined(name, '\n', typed)).slice(0, 8) === id
  if (!isRight) fail('TRUST', 'the id of the key is wrong')
  const bytes = typed.subarray(1)
  if (isWeakPoint(bytes)) fail('TRUST', 'a weak key')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  return { name, id, vkey, key: crypto.createPublicKey({ key: jwk, format: 'jwk' }) }
}

/**
 * The trusted keys: `{origin, keys: ["<vkey>"], windows?: {"<vkey>": {from_size, until_size}}}`,
 * as GET /v1/log/keys returns them. A key counts for checkpoints of from_size ≤ size < until_size.
 */
export const readTrust = ({ origin, keys, windows = {} }) => {
  if (typeof origin !== 'string' || !Array.isArray(keys) || keys.length === 0) {
    fail('TRUST', 'origin and keys are missing')
  }
  return {
    origin,
    keys: keys.map((vkey) => {
      if (typeof vkey !== 'string') fail('TRUST', 'a key that is no text')
      const parsed = parseVkey(vkey)
      if (parsed.name !== origin) fail('TRUST', 'a key of another log')
      const window = windows[vkey] ?? {}
      if (!isObject(window)) fail('TRUST', 'a wrong window')
      const { from_size: from = 0, until_size: until = null } = window
      const isSize = (size) => Number.isSafeInteger(size) && size >= 0
      if (!isSize(from) || (until !== null && !isSize(until))) fail('TRUST', 'a wrong window')
      return { ...parsed, from, until: until ?? Infinity }
    }),
  }
}

const signatureLine = /^— ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})$/
const maxSignatures = 100

/** Every line break but \n, and every character that a terminal would interpret. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const control = /[\u0000-\u0009\u000b-\u001f\u007f]/

/** `<body>\n— <name> <base64 of key id ‖ signature>\n…` */
export const parseNote = (note) => {
  const end = note.lastIndexOf('\n\n')
  const isNote = end > 0 && note.endsWith('\n') && !control.test(note)
  if (!isNote) fail('NOTE', 'not a signed note')
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > maxSignatures) fail('NOTE', 'too many signatures')
  const signatures = lines.map((line) => {
    const match = signatureLine.exec(line)
    const bytes = match === null ? undefined : base64(match[2])
    if (bytes === undefined || bytes.length < 5) return fail('NOTE', 'not a signature line')
    return { name: match[1], id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) }
  })
  return { body: note.slice(0, end + 1), signatures }
}

const sizeText = /^(0|[1-9]\d{0,15})$/

const sizeOf = (line) => {
  const size = Number(line)
  if (!sizeText.test(line) || !Number.isSafeInteger(size)) fail('NOTE', 'not a size')
  return size
}

/** `<origin>\n<size>\n<base64 of the root>\n`; extension lines are refused. */
export const parseCheckpoint = (note) => {
  const parsed = parseNote(note)
  const [origin, size, root, end, ...more] = parsed.body.split('\n')
  const rootBytes = base64(root ?? '')
  const isShaped = end === '' && more.length === 0 && /^[!-*,-~]+$/.test(origin)
  if (!isShaped || rootBytes?.length !== 32) fail('NOTE', 'not a checkpoint')
  return { ...parsed, origin, size: sizeOf(size), root: rootBytes }
}

const headLines = /^svc-head\/1 ([!-*,-~]+)\n([0-9a-f]{64}) (\S+) ([0-9a-f]{64})\n(\S+)\n(\S+)\n$/
const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The service's statement that at this size of the log the stream ended with this event. */
export const parseHead = (note) => {
  const parsed = parseNote(note)
  const match = headLines.exec(parsed.body)
  if (match === null || !timeText.test(match[6])) return fail('NOTE', 'not a head note')
  const [, origin, stream, seq, hash, size, asOf] = match
  return { ...parsed, origin, stream, seq: sizeOf(seq), hash, size: sizeOf(size), asOf }
}

/**
 * Requires at least one valid signature of a trusted key and no invalid one. Signatures of unknown
 * keys are ignored.
 */
export const checkSignatures = (note, size, trust) => {
  let signed = false
  let outside = false
  for (const { name, id, signature } of note.signatures) {
    const key = trust.keys.find((one) => one.name === name && one.id === id)
    if (key === undefined) continue
    const isRight =
      signature.length === 64 &&
      !isWeakPoint(signature.subarray(0, 32)) &&
      crypto.verify(null, Buffer.from(note.body), key.key, signature)
    if (!isRight) fail('SIGNATURE', `the signature of ${name} is wrong`)
    if (size < key.from || size >= key.until) outside = true
    else signed = true
  }
  if (signed) return
  if (outside) fail('KEY_WINDOW', 'signed with a key that was not in use at that size of the log')
  fail('SIGNATURE', 'no trusted key has signed')
}

// ── The shape of a bundle ───────────────────────────────────────────────────────────────────────

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isHex = (length) => (value) =>
  typeof value === 'string' && value.length === length && /^[0-9a-f]*$/.test(value)
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
const isId = (prefix) => (value) =>
  typeof value === 'string' && new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(value)
const isText = (value) => typeof value === 'string'
const isList = (holds) => (value) => Array.isArray(value) && value.every(holds)
const isTime = (value) => isText(value) && timeText.test(value)
const isBody = (value) => value === null || isObject(value)
const orNull = (holds) => (value) => value === null || holds(value)

const slots = ['counterparty', 'issuer', 'shared']

/** Exactly these fields, each of the right form. */
const isRecord = (fields) => (value) =>
  isObject(value) &&
  Object.keys(value).length === Object.keys(fields).length &&
  Object.entries(fields).every(([name, holds]) => Object.hasOwn(value, name) && holds(value[name]))

const isHeader = isRecord({
  at: isTime,
  c: isRecord({ counterparty: isHex(64), issuer: isHex(64), shared: isHex(64) }),
  prev: orNull(isHex(64)),
  seq: (value) => isCount(value) && value > 0,
  stream: isHex(64),
  v: (value) => value === 'svc-event/1',
})
const isOpening = isRecord({ body: isBody, salt: isHex(32) })
const isOpen = (value) =>
  isObject(value) &&
  Object.entries(value).every(([slot, opening]) => slots.includes(slot) && isOpening(opening))

const bundleFields = {
  checkpoint: isText,
  document: isRecord({ id: isId('doc'), state: isObject, stream_salt: isHex(32) }),
  events: (value) =>
    isList(
      isRecord({
        header: isHeader,
        log: isRecord({ index: isCount, path: isList(isHex(64)) }),
        open: isOpen,
      }),
    )(value) && value.length > 0,
  format: isText,
  head: isText,
  viewer: isRecord({
    organization_id: isId('org'),
    role: (value) => value === 'issuer' || value === 'counterparty',
  }),
}

const checkShape = (bundle) => {
  if (isObject(bundle) && isText(bundle.format) && bundle.format !== 'svc-proof-bundle/1') {
    fail('FORMAT', 'a format that this verifier does not know')
  }
  if (isRecord(bundleFields)(bundle)) return
  const wrong = Object.entries(bundleFields).find(
    ([name, holds]) => !isObject(bundle) || !Object.hasOwn(bundle, name) || !holds(bundle[name]),
  )
  fail(
    'SHAPE',
    wrong === undefined ? 'a field that is not known' : `${wrong[0]} is not as it must be`,
  )
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

/** STREAM, CHAIN and ORDER: a gapless chain in order of time. Returns the hashes. */
export const checkChain = (stream, headers, textOf = canonical) => {
  let before = null
  return headers.map((header, i) => {
    const place = { seq: i + 1 }
    if (header.stream !== stream) fail('STREAM', 'an event of another document', place)
    const prev = before === null ? null : before.hash.toString('hex')
    if (header.seq !== i + 1 || header.prev !== prev) fail('CHAIN', 'the chain is broken', place)
    if (before !== null && header.at < before.at) fail('ORDER', 'time runs backwards', place)
    before = { at: header.at, hash: leafHash(textOf(header)) }
    return before.hash
  })
}

/** COMMITMENT: each opening matches the commitment in its header. */
export const checkOpenings = ({ header, open }, textOf = canonical) => {
  for (const slot of Object.keys(open)) {
    const { salt, body } = open[slot]
    if (commitment(Buffer.from(salt, 'hex'), textOf(body)) !== header.c[slot]) {
      fail('COMMITMENT', 'the opening does not match its commitment', { seq: header.seq, slot })
    }
  }
}

/** The seqs whose body in this slot was erased later, according to later events of the slot. */
const erasedIn = (events, slot) => {
  const erased = new Set()
  for (const { header, open } of events) {
    for (const { seq } of open[slot]?.body?.erased ?? []) {
      if (seq < header.seq) erased.add(seq)
    }
  }
  return erased
}

const isErasure = isList((value) => isObject(value) && isCount(value.seq))

/** Checks the fields that a verifier reads; the rest is content. */
const checkBody = (body, place) => {
  const { set = {}, state = '0'.repeat(64), erased = [], parties = {} } = body
  if (!isObject(set) || !isHex(64)(state) || !isErasure(erased) || !isObject(parties)) {
    fail('SHAPE', 'a body is not as it must be', place)
  }
}

/** WITHHELD: all shared slots and all slots of the viewer are open, except erased ones. */
export const checkNothingWithheld = (events, role) => {
  for (const slot of ['shared', role]) {
    for (const { header, open } of events) {
      if (isObject(open[slot]?.body)) checkBody(open[slot].body, { seq: header.seq, slot })
    }
  }
  for (const slot of ['shared', role]) {
    const erased = erasedIn(events, slot)
    for (const { header, open } of events) {
      if (!Object.hasOwn(open, slot) && !erased.has(header.seq)) {
        fail('WITHHELD', 'an opening is missing', { seq: header.seq, slot })
      }
    }
  }
}

/**
 * REPLAY: rebuilds the document from its events, field by field, as one role sees it. An erasure
 * resets the state to what remains.
 */
export const replay = (events, role, textOf = canonical) => {
  let [state, shared] = [Object.create(null), Object.create(null)]
  for (const event of events) {
    const { header, open } = event
    const both = open.shared?.body ?? {}
    const own = open[role]?.body ?? {}
    if (both.type === 'content.erased' || own.type === 'content.erased') {
      state = Object.create(null)
      if (both.type === 'content.erased') shared = Object.create(null)
    }
    Object.assign(shared, both.set)
    Object.assign(state, both.set, own.set)
    // A copy, because `shared` keeps changing while textOf remembers the text of each object.
    if (both.state !== undefined && sha256Hex(textOf({ ...shared })) !== both.state) {
      fail('REPLAY', 'the state is not what the event says', { seq: header.seq, slot: 'shared' })
    }
  }
  return state
}

const checkRole = (events, { role, organization_id: organization }, state) => {
  const wrong = 'the viewer is not who the record says'
  if (!isObject(state[role]) || state[role].organization_id !== organization) fail('ROLE', wrong)
  for (const { header, open } of events) {
    const parties = open.shared?.body?.parties
    if (parties !== undefined && parties[role] !== organization) {
      fail('ROLE', wrong, { seq: header.seq })
    }
  }
}

// ── The whole bundle ────────────────────────────────────────────────────────────────────────────

const otherLog = 'a checkpoint of another log'

const checkNotes = (checkpoint, head, trust) => {
  if (head.origin !== checkpoint.origin) fail('ORIGIN', 'the head note is of another log')
  if (trust === undefined) return
  if (checkpoint.origin !== trust.origin) fail('ORIGIN', otherLog)
  checkSignatures(checkpoint, checkpoint.size, trust)
  checkSignatures(head, head.size, trust)
}

const checkInclusion = (events, hashes, checkpoint) => {
  let before = -1
  for (const [i, { header, log }] of events.entries()) {
    const place = { seq: header.seq }
    if (log.index <= before) fail('ORDER', 'the log runs backwards', place)
    before = log.index
    const path = log.path.map((hash) => Buffer.from(hash, 'hex'))
    const root = rootFromPath(hashes[i], log.index, checkpoint.size, path)
    if (root === undefined || !root.equals(checkpoint.root)) {
      fail('INCLUSION', 'the event is not in the log at that place', place)
    }
  }
}

/** Verifies all claims of one bundle and returns what it has proven. */
export const verifyBundle = (bytes, { trust, digest } = {}) => {
  if (digest !== undefined && sha256Hex(bytes) !== digest) fail('DIGEST', 'another digest')
  const textOf = writer()
  const bundle = parseCanonical(bytes, textOf)
  checkShape(bundle)
  const { document, events, viewer } = bundle
  const checkpoint = parseCheckpoint(bundle.checkpoint)
  const head = parseHead(bundle.head)
  checkNotes(checkpoint, head, trust)
  const stream = streamOf(Buffer.from(document.stream_salt, 'hex'), document.id)
  const hashes = checkChain(
    stream,
    events.map(({ header }) => header),
    textOf,
  )
  for (const { header, open } of events) {
    const foreign = Object.keys(open).find((slot) => slot !== 'shared' && slot !== viewer.role)
    if (foreign !== undefined) fail('ROLE', 'an opening of the other side', { seq: header.seq })
  }
  for (const event of events) checkOpenings(event, textOf)
  checkNothingWithheld(events, viewer.role)
  const state = replay(events, viewer.role, textOf)
  if (textOf(state) !== textOf(document.state)) fail('REPLAY', 'the state is another')
  checkRole(events, viewer, state)
  checkInclusion(events, hashes, checkpoint)
  const last = hashes.at(-1).toString('hex')
  const isHead =
    head.stream === stream &&
    head.seq === events.length &&
    head.hash === last &&
    head.size === checkpoint.size
  if (!isHead) fail('HEAD', 'the head note is not about the last event of this bundle')
  return { bundle, checkpoint, head, stream, hashes: hashes.map((hash) => hash.toString('hex')) }
}

// ── Two bundles, and an opening ─────────────────────────────────────────────────────────────────

const sameRoots = (one, other) =>
  one.checkpoint.size !== other.checkpoint.size || one.checkpoint.root.equals(other.checkpoint.root)

/** The first event that only the longer bundle has. */
const firstBeyond = (shorter, longer) => longer.bundle.events[shorter.hashes.length]

/** SPLIT_VIEW: both parties saw the same history, up to the older of the two heads. */
export const checkPeer = (one, other) => {
  const wrong = (message, seq) => fail('SPLIT_VIEW', message, { seq })
  if (one.stream !== other.stream) wrong('a bundle of another document')
  if (one.checkpoint.origin !== other.checkpoint.origin) wrong('a bundle from another log')
  const [shorter, longer] = one.hashes.length <= other.hashes.length ? [one, other] : [other, one]
  for (const [i, hash] of shorter.hashes.entries()) {
    const isSame =
      hash === longer.hashes[i] &&
      shorter.bundle.events[i].log.index === longer.bundle.events[i].log.index
    if (!isSame) wrong('the parties were shown two histories', i + 1)
  }
  const beyond = firstBeyond(shorter, longer)
  if (beyond !== undefined && beyond.log.index < shorter.checkpoint.size) {
    wrong('a head was signed although a later event was in the log', beyond.header.seq)
  }
  if (!sameRoots(one, other)) wrong('two logs of one size')
}

/** An epoch ends with what the log held then: nobody can say from two bundles what was lost. */
const otherEpoch =
  'the older bundle is of another log, or of another epoch of this one: a restore from a backup' +
  ' begins a new epoch, and --since compares within one; ask the operator what the restore lost'

/** ROLLBACK: everything in the older bundle is still present, at the same place. */
export const checkSince = (now, old) => {
  const wrong = (message, seq) => fail('ROLLBACK', message, { seq })
  if (now.stream !== old.stream) wrong('a bundle of another document')
  if (now.checkpoint.origin !== old.checkpoint.origin) wrong(otherEpoch)
  if (now.hashes.length < old.hashes.length) wrong('events are missing', now.hashes.length + 1)
  for (const [i, hash] of old.hashes.entries()) {
    const isSame =
      hash === now.hashes[i] && old.bundle.events[i].log.index === now.bundle.events[i].log.index
    if (!isSame) wrong('an event is another, or at another place of the log', i + 1)
  }
  if (now.checkpoint.size < old.checkpoint.size || !sameRoots(now, old)) wrong('the log is another')
  const beyond = firstBeyond(old, now)
  if (beyond !== undefined && beyond.log.index < old.checkpoint.size) {
    wrong('a head was signed although a later event was in the log', beyond.header.seq)
  }
}

const isOpeningFile = isRecord({
  body: isBody,
  salt: isHex(32),
  seq: isCount,
  slot: (value) => slots.includes(value),
})

/** OPENING: `{body, salt, seq, slot}`, handed over by its holder, matches the commitment. */
export const checkHandedOver = ({ bundle }, bytes) => {
  const opening = parseCanonical(bytes)
  if (!isOpeningFile(opening)) fail('OPENING', 'not an opening')
  const { seq, slot, salt, body } = opening
  const event = bundle.events[seq - 1]
  const isRight =
    event !== undefined &&
    commitment(Buffer.from(salt, 'hex'), canonical(body)) === event.header.c[slot]
  if (!isRight) fail('OPENING', 'the opening does not match its commitment', { seq, slot })
  return opening
}

// ── Command line ────────────────────────────────────────────────────────────────────────────────

const usage =
  'verify-bundle FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER] [--since OLD] [--open OPENING] [--json]'

const takesValue = ['trust', 'digest', 'peer', 'since', 'open']

const argumentsOf = (argv) => {
  const given = {}
  for (let i = 0; i < argv.length; i += 1) {
    const name = argv[i].startsWith('--') ? argv[i].slice(2) : 'file'
    if (name in given || !['file', 'json', ...takesValue].includes(name)) fail('USAGE', usage)
    if (name === 'file') given.file = argv[i]
    else if (name === 'json') given.json = true
    else {
      i += 1
      if (argv[i] === undefined) fail('USAGE', usage)
      given[name] = argv[i]
    }
  }
  if (given.file === undefined) fail('USAGE', usage)
  return given
}

const bytesOf = (file) => {
  try {
    return readFileSync(file)
  } catch {
    return fail('FILE', `cannot read ${file}`)
  }
}

const trustOf = (given) => {
  if (given === undefined) return undefined
  if (/^[!-*,-~]+\+[0-9a-f]{8}\+/.test(given)) {
    return readTrust({ origin: given.slice(0, given.indexOf('+')), keys: [given] })
  }
  const source = utf8Of(bytesOf(given), 'TRUST')
  checkDepth(source, 'TRUST')
  let value
  try {
    value = JSON.parse(source)
  } catch {
    return fail('TRUST', `${given} is not JSON`)
  }
  return isObject(value) && (value.windows === undefined || isObject(value.windows))
    ? readTrust(value)
    : fail('TRUST', `${given} is not a trust file`)
}

/** The claim that a valid bundle has proven, for people and for programs. */
const claimOf = ({ bundle, checkpoint, head, hashes }, isPinned) => ({
  valid: true,
  pinned: isPinned,
  document_id: bundle.document.id,
  viewer: bundle.viewer,
  events: hashes.length,
  head: { seq: head.seq, hash: head.hash },
  as_of: head.asOf,
  log: {
    origin: checkpoint.origin,
    size: checkpoint.size,
    root: checkpoint.root.toString('base64'),
  },
})

const sayValid = (claim) => {
  const { document_id: id, viewer, events, as_of: asOf, log } = claim
  return [
    `${claim.pinned ? 'VALID' : 'UNPINNED'} ${id}, as its ${viewer.role} sees it`,
    `These ${events} events, nothing shared or own withheld, complete as of ${asOf}.`,
    `Log ${log.origin}, size ${log.size}, root ${log.root}.`,
    claim.pinned
      ? 'It does not say that nothing happened later: ask for a newer bundle.'
      : 'No key was given with --trust: nobody vouches for this log.',
  ].join('\n')
}

/** The keys of one epoch vouch for no bundle of another. */
const verifyOlder = (bytes, trust) => {
  try {
    return verifyBundle(bytes, { trust })
  } catch (error) {
    if (error.message !== otherLog) throw error
    return fail('ORIGIN', otherEpoch)
  }
}

/** Runs one command line and returns its exit code and output. */
export const outcomeOf = (argv) => {
  const isJson = argv.includes('--json')
  try {
    const given = argumentsOf(argv)
    const trust = trustOf(given.trust)
    const digest = given.digest?.toLowerCase()
    const verified = verifyBundle(bytesOf(given.file), { trust, digest })
    if (given.open !== undefined) checkHandedOver(verified, bytesOf(given.open))
    if (given.peer !== undefined) checkPeer(verified, verifyBundle(bytesOf(given.peer), { trust }))
    if (given.since !== undefined) {
      checkSince(verified, verifyOlder(bytesOf(given.since), trust))
    }
    const claim = claimOf(verified, trust !== undefined)
    return { exit: claim.pinned ? 0 : 2, text: isJson ? JSON.stringify(claim) : sayValid(claim) }
  } catch (error) {
    // An unexpected error must never count as valid.
    const { check = 'INTERNAL', seq, slot, message } = error
    const place = [seq === undefined ? '' : ` event ${seq}`, slot === undefined ? '' : ` ${slot}`]
    const text = isJson
      ? JSON.stringify({ valid: false, check, seq, slot, message })
      : `INVALID ${check}${place.join('')}: ${message}`
    return { exit: 1, text }
  }
}

const main = (argv) => {
  const { exit, text: said } = outcomeOf(argv)
  console.log(said)
  return exit
}

const isProgram = () => {
  try {
    return realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)
  } catch {
    return false
  }
}

if (isProgram()) process.exitCode = main(process.argv.slice(2))
