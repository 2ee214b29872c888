#!/usr/bin/env node
/**
 * Verifies a proof bundle (svc-proof-bundle/1 or /2), a PDF that carries one, or a pledge proof
 * (svc-pledge-proof/1) offline.
 * One file, Node 18 or newer, no packages, no network. FORMAT.md describes every byte;
 * verify_bundle.py is a second, independent verifier.
 *
 *   node verify-bundle.mjs FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER]
 *                          [--since OLD] [--epochs EPOCHS] [--open OPENING]
 *                          [--receipts RECEIPTS] [--json]
 *   node verify-bundle.mjs PLEDGE [--trust VKEY|trust.json] [--digest HEX] [--json]
 *   node verify-bundle.mjs RECEIPT --receipt [--trust VKEY|trust.json] [--json]
 *   node verify-bundle.mjs PROOF --consistency OLD NEW [--trust VKEY|trust.json] [--json]
 *
 * Exit codes: 0 valid; 1 invalid or unreadable; 2 everything is consistent, but without --trust
 * nobody vouches for the log.
 *
 * The service runs this same module on every history and every bundle before it sends them.
 */
import * as crypto from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'

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

/**
 * Parses JSON in any spelling, as the service and people write it. Of a key that occurs twice, the
 * last one counts.
 */
export const parseLoose = (bytes, check, message) => {
  const source = utf8Of(bytes, check)
  checkDepth(source, check)
  try {
    return JSON.parse(source)
  } catch {
    return fail(check, message)
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
export const cosignatureType = 4
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

const yOf = (bytes) => littleEndian(bytes) & (2n ** 255n - 1n)

/** Correct implementations disagree on these points: y not below the prime, or small order. */
export const isWeakPoint = (bytes) => {
  const y = yOf(bytes)
  return y >= fieldPrime || smallOrder.includes(y)
}

const curveD = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n

/** Half of all values of y have no x on the curve, and a library takes such a key all the same. */
const isOnCurve = (bytes) => {
  const y2 = yOf(bytes) ** 2n % fieldPrime
  // x² = (y² - 1) / (d·y² + 1) is a square exactly if the product of both is one (Euler).
  const base = ((y2 + fieldPrime - 1n) * (curveD * y2 + 1n)) % fieldPrime
  let power = 1n
  for (const bit of ((fieldPrime - 1n) / 2n).toString(2)) {
    power = (power * power) % fieldPrime
    if (bit === '1') power = (power * base) % fieldPrime
  }
  return power <= 1n
}

/** Not the canonical encoding of a point, or a point of small order. */
export const isWeakKey = (bytes) => isWeakPoint(bytes) || !isOnCurve(bytes)

/**
 * `<name>+<8 hex of SHA-256(name ‖ \n ‖ type ‖ key)>+<base64 of type ‖ key>`; the type is that of a
 * log, or of a witness.
 */
export const parseVkey = (vkey, type = ed25519) => {
  const match = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey)
  const typed = match === null ? undefined : base64(match[3])
  if (typed === undefined || typed.length !== 33 || typed[0] !== type) {
    return fail('TRUST', 'not a verifier key of type Ed25519')
  }
  const [, name, id] = match
  const isRight = sha256Hex(joined(name, '\n', typed)).slice(0, 8) === id
  if (!isRight) fail('TRUST', 'the id of the key is wrong')
  const bytes = typed.subarray(1)
  if (isWeakKey(bytes)) fail('TRUST', 'a weak key')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  return { name, id, vkey, key: crypto.createPublicKey({ key: jwk, format: 'jwk' }) }
}

/**
 * The trusted keys of one log: `{origin, keys: ["<vkey>"], windows?: {"<vkey>": {from_size,
 * until_size}}}`, as GET /v1/log/keys returns them, and the rule of witnesses. A key is in force at
 * the sizes from_size ≤ size < until_size.
 */
export const readTrust = ({ origin, keys, windows = {}, ...log }) => {
  if (typeof origin !== 'string' || !Array.isArray(keys) || keys.length === 0) {
    fail('TRUST', 'origin and keys are missing')
  }
  if (!isObject(windows)) fail('TRUST', 'wrong windows')
  const read = keys.map((vkey) => {
    if (typeof vkey !== 'string') fail('TRUST', 'a key that is no text')
    const parsed = parseVkey(vkey)
    if (parsed.name !== origin) fail('TRUST', 'a key of another log')
    const window = (Object.hasOwn(windows, vkey) ? windows[vkey] : null) ?? {}
    if (!isObject(window)) fail('TRUST', 'a wrong window')
    const { from_size: from = 0, until_size: until = null } = window
    if (!isCount(from) || (until !== null && !isCount(until))) fail('TRUST', 'a wrong window')
    return { ...parsed, from, until: until ?? Infinity }
  })
  if (new Set(read.map(({ id }) => id)).size < read.length) fail('TRUST', 'a key occurs twice')
  return { origin, keys: read, ...readWitnesses(origin, log) }
}

/**
 * How many of which witnesses have cosigned every checkpoint from a size on: `{witnesses:
 * ["<vkey>"], quorum, witnessed_from_size?}`.
 */
const readWitnesses = (origin, { witnesses = [], quorum, witnessed_from_size: from = 0 }) => {
  const isList = Array.isArray(witnesses) && witnesses.every((one) => typeof one === 'string')
  if (!isList) fail('TRUST', 'wrong witnesses')
  const read = witnesses.map((vkey) => parseVkey(vkey, cosignatureType))
  if (read.some(({ name }) => name === origin)) fail('TRUST', 'a witness with the name of the log')
  const keys = read.map(({ key }) => key.export({ format: 'jwk' }).x)
  if (new Set(keys).size < keys.length) fail('TRUST', 'a witness occurs twice')
  const least = read.length === 0 && quorum === undefined ? 0 : quorum
  const isRule = isCount(least) && least <= read.length && isCount(from)
  if (!isRule) fail('TRUST', 'a wrong quorum')
  return { witnesses: read, quorum: least, witnessedFrom: from }
}

const signingKeyBytes = 32

/** The public key of a party in base64; undefined if it is malformed or weak. */
const signingKeyOf = (value) => {
  const bytes = typeof value === 'string' ? base64(value) : undefined
  return bytes?.length === signingKeyBytes && !isWeakKey(bytes) ? bytes : undefined
}

/** The keys of parties: `{"org_…": {keys: ["<base64>"], required?: ["<type of event>"]}}`. */
const readParties = (parties) => {
  if (!isObject(parties)) fail('TRUST', 'wrong parties')
  const read = Object.entries(parties).map(([organization, party]) => {
    if (!isId('org')(organization) || !isObject(party)) fail('TRUST', 'a wrong party')
    const { keys, required = [] } = party
    const isRight =
      isList((key) => signingKeyOf(key) !== undefined)(keys) &&
      keys.length > 0 &&
      isList(isType)(required)
    return isRight ? [organization, { keys, required }] : fail('TRUST', 'a wrong party')
  })
  return new Map(read)
}

/** A trust file: one log, or a list of them as `{logs: [...]}`, and the keys of parties. */
const readTrustFile = (value) => {
  const trust = readLogs(value)
  const parties = Object.hasOwn(value, 'parties') ? value.parties : {}
  return { trust, parties: readParties(parties) }
}

const readLogs = (value) => {
  if (!isObject(value)) fail('TRUST', 'not a trust file')
  const logs = Object.hasOwn(value, 'logs') ? value.logs : [value]
  if (!isList(isObject)(logs) || logs.length === 0) fail('TRUST', 'not a list of logs')
  const read = logs.map(readTrust)
  if (new Set(read.map(({ origin }) => origin)).size < read.length) {
    fail('TRUST', 'a log occurs twice')
  }
  return read
}

const signatureLine = /^— ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})$/
const maxSignatures = 100
const keyIdBytes = 4
const signatureBytes = 64

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
    const id = bytes.toString('hex', 0, keyIdBytes)
    return { name: match[1], id, signature: bytes.subarray(keyIdBytes) }
  })
  return { body: note.slice(0, end + 1), signatures }
}

/** A note of a log has lines of that log only, in ascending order of their key ids. */
const checkLines = ({ signatures }, origin) => {
  let before = ''
  for (const { name, id, signature } of signatures) {
    const isRight = name === origin && id > before && signature.length === signatureBytes
    if (!isRight) fail('NOTE', 'not the signature lines of this log')
    before = id
  }
}

/** The lines of witnesses follow those of the log, in ascending order of their names and ids. */
const checkCosignatures = (cosignatures, origin) => {
  let before = ''
  for (const { name, id } of cosignatures) {
    const place = `${name} ${id}`
    if (name === origin || place <= before) fail('NOTE', 'not lines of witnesses')
    before = place
  }
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
  const { body } = parsed
  const foreign = parsed.signatures.findIndex(({ name }) => name !== origin)
  const count = foreign === -1 ? parsed.signatures.length : foreign
  const [signatures, cosignatures] = [
    parsed.signatures.slice(0, count),
    parsed.signatures.slice(count),
  ]
  checkLines({ signatures }, origin)
  checkCosignatures(cosignatures, origin)
  return { body, signatures, cosignatures, origin, size: sizeOf(size), root: rootBytes }
}

const headLines =
  /^svc-head\/([12]) ([!-*,-~]+)\n([0-9a-f]{64}) (\S+) ([0-9a-f]{64})\n(\S+)\n(\S+)\n(?:(\S+)\n)?$/
const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * The service's statement that at this size of the log the stream ended with this event. Version 2
 * names the size that decides which keys sign it.
 */
export const parseHead = (note, version = undefined) => {
  const parsed = parseNote(note)
  const match = headLines.exec(parsed.body)
  if (match === null || !timeText.test(match[7])) return fail('NOTE', 'not a head note')
  const [, given, origin, stream, seq, hash, sizeLine, asOf, keySizeLine] = match
  const isRight = (version ?? given) === given && (given === '2') === (keySizeLine !== undefined)
  if (!isRight) fail('NOTE', 'not a head note')
  checkLines(parsed, origin)
  const size = sizeOf(sizeLine)
  const keySize = keySizeLine === undefined ? size : sizeOf(keySizeLine)
  if (keySize < size) fail('NOTE', 'a head note signed before its size')
  return { ...parsed, origin, stream, seq: sizeOf(seq), hash, size, asOf, keySize }
}

export const isInForce = ({ from, until }, size) => from <= size && size < until

/** Requires the lines of exactly those keys that are in force at this size, all of them valid. */
export const checkSignatures = (note, size, trust) => {
  for (const { name, id, signature } of note.signatures) {
    const key = trust.keys.find((one) => one.name === name && one.id === id)
    if (key === undefined) return fail('SIGNATURE', `${name} ${id} is not a trusted key`)
    const isRight =
      signature.length === signatureBytes &&
      !isWeakPoint(signature.subarray(0, 32)) &&
      crypto.verify(null, Buffer.from(note.body), key.key, signature)
    if (!isRight) fail('SIGNATURE', `the signature of ${name} is wrong`)
    if (!isInForce(key, size)) {
      fail('KEY_WINDOW', 'signed with a key that was not in force at that size of the log')
    }
  }
  for (const key of trust.keys) {
    const isMissing = isInForce(key, size) && !note.signatures.some(({ id }) => id === key.id)
    if (isMissing) fail('SIGNATURE', `the signature of ${key.name} ${key.id} is missing`)
  }
}

const timestampBytes = 8

/** What a witness signs (C2SP tlog-cosignature, Ed25519); undefined if the time is out of range. */
export const cosignedMessage = (body, seconds) =>
  seconds < 2n ** 63n ? `cosignature/v1\ntime ${seconds}\n${body}` : undefined

const isCosigned = (body, bytes, key) => {
  if (bytes.length !== timestampBytes + signatureBytes) return false
  const message = cosignedMessage(body, bytes.readBigUInt64BE())
  const signature = bytes.subarray(timestampBytes)
  if (message === undefined || isWeakPoint(signature.subarray(0, 32))) return false
  return crypto.verify(null, Buffer.from(message), key, signature)
}

/** WITNESS: the lines of trusted witnesses are valid and enough. Others may be there as well. */
export const checkWitnesses = (checkpoint, { witnesses, quorum, witnessedFrom }) => {
  let count = 0
  for (const { name, id, signature } of checkpoint.cosignatures) {
    const witness = witnesses.find((one) => one.name === name && one.id === id)
    if (witness === undefined) continue
    const isRight = isCosigned(checkpoint.body, signature, witness.key)
    if (!isRight) fail('WITNESS', `the cosignature of ${name} is wrong`)
    count += 1
  }
  if (checkpoint.size >= witnessedFrom && count < quorum) {
    fail('WITNESS', `${count} of ${quorum} witnesses have cosigned`)
  }
}

// ── The shape of a bundle ───────────────────────────────────────────────────────────────────────

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isHex = (length) => (value) =>
  typeof value === 'string' && value.length === length && /^[0-9a-f]*$/.test(value)
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
const isId = (prefix) => (value) =>
  typeof value === 'string' && new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(value)
export const isText = (value) => typeof value === 'string'
const isList = (holds) => (value) => Array.isArray(value) && value.every(holds)
const isTime = (value) => isText(value) && timeText.test(value)
const isBody = (value) => value === null || isObject(value)
const orNull = (holds) => (value) => value === null || holds(value)

const slots = ['counterparty', 'finance', 'issuer', 'shared']

/** The slots that a side reads. The counterparty need not know of a pledge. */
const slotsOf = {
  issuer: ['shared', 'issuer', 'finance'],
  counterparty: ['shared', 'counterparty'],
}

/** Exactly these fields, each of the right form. */
export const isRecord = (fields) => (value) =>
  isObject(value) &&
  Object.keys(value).length === Object.keys(fields).length &&
  Object.entries(fields).every(([name, holds]) => Object.hasOwn(value, name) && holds(value[name]))

const isDigest = isHex(64)

const isHeaderOf = (version, commitments) =>
  isRecord({
    at: isTime,
    c: isRecord(commitments),
    prev: orNull(isDigest),
    seq: (value) => isCount(value) && value > 0,
    stream: isDigest,
    v: (value) => value === version,
  })
const three = { counterparty: isDigest, issuer: isDigest, shared: isDigest }
const isFirstHeader = isHeaderOf('svc-event/1', three)
const isSecondHeader = isHeaderOf('svc-event/2', { ...three, finance: isDigest })
export const isHeader = (value) => isFirstHeader(value) || isSecondHeader(value)

const isOpening = isRecord({ body: isBody, salt: isHex(32) })
/** Only slots that the header commits to can be open. */
const isOpen = ({ header, open }) =>
  isObject(open) &&
  Object.entries(open).every(
    ([slot, opening]) => Object.hasOwn(header.c, slot) && isOpening(opening),
  )
export const isLog = isRecord({ index: isCount, path: isList(isDigest) })
const anything = () => true

const isEvent = (isHeader) => (value) =>
  isRecord({ header: isHeader, log: isLog, open: anything })(value) && isOpen(value)

const fieldsOfBundle = (isHeader) => ({
  checkpoint: isText,
  document: isRecord({ id: isId('doc'), state: isObject, stream_salt: isHex(32) }),
  events: (value) => isList(isEvent(isHeader))(value) && value.length > 0,
  format: isText,
  head: isText,
  viewer: isRecord({
    organization_id: isId('org'),
    role: (value) => value === 'issuer' || value === 'counterparty',
  }),
})

/** A bundle of version 2 may begin with events of version 1. */
const bundleFields = {
  'svc-proof-bundle/1': fieldsOfBundle(isFirstHeader),
  'svc-proof-bundle/2': fieldsOfBundle(isHeader),
}

const checkShape = (bundle) => {
  const given = isObject(bundle) ? bundle.format : undefined
  if (isText(given) && !Object.hasOwn(bundleFields, given)) {
    fail('FORMAT', 'a format that this verifier does not know')
  }
  checkFields(bundle, bundleFields[isText(given) ? given : 'svc-proof-bundle/2'])
}

const checkFields = (value, fields) => {
  if (isRecord(fields)(value)) return
  const wrong = Object.entries(fields).find(
    ([name, holds]) => !isObject(value) || !Object.hasOwn(value, name) || !holds(value[name]),
  )
  fail(
    'SHAPE',
    wrong === undefined ? 'a field that is not known' : `${wrong[0]} is not as it must be`,
  )
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

/** STREAM, CHAIN and ORDER: a gapless chain in order of time. Returns the hashes. */
export const checkChain = (stream, headers, textOf = canonical) => {
  let link = null
  return headers.map((header) => (link = linkAfter(link, header, stream, textOf)).hash)
}

/** The link of a header, after that of the header before it, which is null for the first one. */
export const linkAfter = (before, header, stream, textOf = canonical) => {
  const seq = (before?.seq ?? 0) + 1
  if (header.stream !== stream) fail('STREAM', 'an event of another document', { seq })
  const prev = before === null ? null : before.hash.toString('hex')
  if (header.seq !== seq || header.prev !== prev) fail('CHAIN', 'the chain is broken', { seq })
  if (before !== null && header.v < before.v) fail('CHAIN', 'an older form of event', { seq })
  if (before !== null && header.at < before.at) fail('ORDER', 'time runs backwards', { seq })
  return { seq, at: header.at, v: header.v, hash: leafHash(textOf(header)) }
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

const isType = (value) =>
  isText(value) && value.length <= 64 && /^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(value)
const isSignature = (value) => isText(value) && base64(value)?.length === signatureBytes
const isBase = (value) => isText(value) && parseBase(value) !== undefined

/** The events before this one whose bodies no longer exist, in ascending order. */
const isErasures = (value, own) => {
  let before = 0
  return isList((one) => {
    const isNext = isObject(one) && isCount(one.seq) && one.seq > before && one.seq < own
    before = one?.seq
    return isNext
  })(value)
}

/** The fields of a body that a verifier reads; the rest is content. */
const bodyFields = {
  erased: isErasures,
  parties: isRecord({ counterparty: isId('org'), issuer: isId('org') }),
  request: isText,
  set: isObject,
  signature: isRecord({ base: isBase, value: isSignature }),
  state: isDigest,
  type: isType,
}

const isFinance = isRecord({
  balance_due: (value) => isText(value) && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value),
  due_date: orNull((value) => isText(value) && /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)),
  pledge: orNull(isObject),
  status: isText,
})

const checkBody = (body, place) => {
  const isRight =
    place.slot === 'finance'
      ? isFinance(body)
      : Object.entries(bodyFields).every(
          ([name, holds]) => !Object.hasOwn(body, name) || holds(body[name], place.seq),
        )
  if (!isRight) fail('SHAPE', 'a body is not as it must be', place)
}

/** The seqs whose body in this slot was erased later, according to erasures, which restate it. */
const erasedIn = (events, slot) =>
  new Set(
    events
      .filter(({ open }) => isErasing(open.shared?.body) || isErasing(open[slot]?.body))
      .flatMap(({ open }) => (open[slot]?.body?.erased ?? []).map(({ seq }) => seq)),
  )

/** WITHHELD: everything that this side reads is open, except what was erased, which is returned. */
export const checkNothingWithheld = (events, role) => {
  for (const slot of slotsOf[role]) {
    for (const { header, open } of events) {
      if (isObject(open[slot]?.body)) checkBody(open[slot].body, { seq: header.seq, slot })
    }
  }
  return slotsOf[role].flatMap((slot) => {
    const erased = erasedIn(events, slot)
    const closed = events.filter(
      ({ header, open }) => Object.hasOwn(header.c, slot) && !Object.hasOwn(open, slot),
    )
    return closed.map(({ header: { seq } }) =>
      erased.has(seq) ? { seq, slot } : fail('WITHHELD', 'an opening is missing', { seq, slot }),
    )
  })
}

const isErasing = (body) => body?.type === 'content.erased'

/** One step of the replay. An erasure starts again with what remains. */
const step = ({ state, shared }, both, own) => {
  const kept = isErasing(both) ? {} : shared
  const before = isErasing(both) || isErasing(own) ? {} : state
  return {
    shared: Object.assign(Object.create(null), kept, both.set),
    state: Object.assign(Object.create(null), before, both.set, own.set),
  }
}

export const nothing = { state: {}, shared: {}, isWhole: true }

/**
 * REPLAY: rebuilds the document from its events, field by field, as one role sees it. The slot for
 * lenders agrees with the state wherever nothing was erased before.
 */
export const replay = (events, role, textOf = canonical) =>
  events.reduce((before, event) => replayNext(before, event, role, textOf), nothing).state

/** What the replay has after one more event; it begins with `nothing`. */
export const replayNext = (before, { header: { seq }, open }, role, textOf = canonical) => {
  const both = open.shared?.body ?? {}
  const own = open[role]?.body ?? {}
  const now = step(before, both, own)
  if (isChangingShared(now.shared, own)) {
    fail('REPLAY', 'a slot of one side changes what both share', { seq, slot: role })
  }
  if (both.state !== undefined && sha256Hex(textOf(now.shared)) !== both.state) {
    fail('REPLAY', 'the state is not what the event says', { seq, slot: 'shared' })
  }
  const isClosed = open.shared === undefined || open[role] === undefined
  const isWhole = !isClosed && (before.isWhole || isErasing(both) || isErasing(own))
  const finance = role === 'issuer' && isWhole ? (open.finance?.body ?? null) : null
  if (finance !== null && textOf(finance) !== textOf(financeOf(now.state))) {
    fail('REPLAY', 'the slot for lenders says something else', { seq, slot: 'finance' })
  }
  return { ...now, isWhole }
}

/** The debtor does not see a pledge that is not disclosed, so the issuer has one of its own. */
const isChangingShared = (shared, { set = {} }) =>
  Object.keys(set).some((name) => name !== 'pledge' && Object.hasOwn(shared, name))

const financeOf = ({ balance_due = null, due_date = null, pledge = null, status = null }) => ({
  balance_due,
  due_date,
  pledge,
  status,
})

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

// ── Requests that a party signed: RFC 9421 ──────────────────────────────────────────────────────

const isPlain = (value) => /^"[ !#-[\]-~]*"$/.test(value)
const isSeconds = (value) => /^(0|[1-9][0-9]{0,14})$/.test(value)
const isContentDigest = (value) =>
  base64(/^sha-256=:([A-Za-z0-9+/=]+):$/.exec(value)?.[1] ?? '')?.length === hashBytes

/** The components of a signature. */
const componentForms = {
  '@method': (value) => /^[A-Z]+$/.test(value),
  '@path': (value) => value.startsWith('/'),
  '@query': (value) => value.startsWith('?'),
  'content-digest': isContentDigest,
  'idempotency-key': anything,
  'if-match': anything,
  'svc-dry-run': anything,
}
const requiredComponents = ['@method', '@path', 'idempotency-key']
const parameterForms = {
  alg: (value) => value === '"ed25519"',
  created: isSeconds,
  expires: isSeconds,
  keyid: isPlain,
  nonce: isPlain,
  tag: isPlain,
}
const requiredParameters = ['created', 'keyid']

/** Pairs of a name and a value, each name once and its value of the right form. */
const mapOf = (pairs, forms, required) => {
  const map = new Map(pairs)
  const isRight =
    map.size === pairs.length &&
    pairs.every(([name, value]) => Object.hasOwn(forms, name) && forms[name](value)) &&
    required.every((name) => map.has(name))
  return isRight ? map : undefined
}

/** The signed text (RFC 9421 2.5) as its components and parameters; undefined if it is malformed. */
const parseBase = (text) => {
  const lines = text.split('\n').map((line) => /^"([a-z@-]+)": ([ -~]*)$/.exec(line)?.slice(1, 3))
  const last = lines.pop()
  if (last === undefined || lines.includes(undefined)) return undefined
  const names = lines.map(([name]) => `"${name}"`).join(' ')
  const start = `(${names})`
  const isNamed = last[0] === '@signature-params' && last[1].startsWith(start)
  const rest = isNamed ? last[1].slice(start.length) : ''
  if (!/^(;[a-z]+=([0-9]+|"[ !#-[\]-~]*"))+$/.test(rest)) return undefined
  const pairs = [...rest.matchAll(/;([a-z]+)=([0-9]+|"[^"]*")/g)].map((one) => one.slice(1, 3))
  const components = mapOf(lines, componentForms, requiredComponents)
  const parameters = mapOf(pairs, parameterForms, requiredParameters)
  if (components === undefined || parameters === undefined) return undefined
  return { components, keyid: parameters.get('keyid').slice(1, -1) }
}

/** The slot that says who made a change: `shared`, and of a draft the issuer's. */
const tellingSlot = (open) => (open.shared?.body === null ? 'issuer' : 'shared')

/**
 * PARTY: a signature in an event is that of the party that the event names, with a trusted key, and
 * of a request that asks for such an event. Returns the events with and without one.
 */
export const checkParties = (
  events,
  { document, viewer, isSignedBy = signatureChecker() },
  parties = new Map(),
) => {
  const signed = []
  const unsigned = []
  const bases = new Set()
  for (const { header, open } of events) {
    const { seq } = header
    const slot = tellingSlot(open)
    const wrong = (message) => fail('PARTY', message, { seq })
    for (const other of slotsOf[viewer.role]) {
      const body = open[other]?.body ?? {}
      if (other !== slot && body.signature !== undefined) wrong('a signature in a wrong slot')
    }
    const body = open[slot]?.body ?? {}
    const own = open[viewer.role]?.body ?? {}
    const organization = isObject(body.actor) ? body.actor.organization_id : undefined
    const party = parties.get(organization)
    if (body.signature === undefined) {
      if (open[slot] !== undefined && own.request !== undefined)
        wrong('a request without signature')
      if (party === undefined) continue
      if (party.required.includes(body.type)) wrong('the signature of the party is missing')
      unsigned.push({ seq, organization_id: organization })
      continue
    }
    const side = ['issuer', 'counterparty'].find(
      (one) => isText(organization) && document.state[one]?.organization_id === organization,
    )
    if (side === undefined || body.actor.kind !== 'api_key') wrong('a signature of nobody')
    const { base, value } = body.signature
    const { components, keyid } = parseBase(base)
    if (bases.has(base)) wrong('the signature of another event')
    bases.add(base)
    if (!isSignedBy(keyid, base, value)) wrong('the signature of the party is wrong')
    if (party !== undefined && !party.keys.includes(keyid)) wrong('not a trusted key of the party')
    if (!asksFor(components, body.type, document.id)) wrong('the request asks for something else')
    if (viewer.role === side) checkRequest(components, body, own.request, open[side], wrong)
    const isPinned = party !== undefined
    signed.push({ seq, organization_id: organization, key: keyid, pinned: isPinned })
  }
  return { signed, unsigned }
}

/** Reads each key once, which takes longer than to check a signature. */
export const signatureChecker = () => {
  const keys = new Map()
  const keyOf = (keyid) => {
    if (!keys.has(keyid)) keys.set(keyid, publicKeyOf(keyid))
    return keys.get(keyid)
  }
  return (keyid, base, value) => {
    const key = keyOf(keyid)
    const signature = base64(value)
    if (key === undefined || isWeakPoint(signature.subarray(0, 32))) return false
    return crypto.verify(null, Buffer.from(base), key, signature)
  }
}

const publicKeyOf = (keyid) => {
  const key = signingKeyOf(keyid)
  if (key === undefined) return undefined
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
  return crypto.createPublicKey({ key: jwk, format: 'jwk' })
}

/** The requests that make an event of this type. `path` follows the path of the document. */
const requestsFor = {
  'attachment.added': (method, path) => method === 'POST' && path === '/attachments',
  'document.edited': (method, path) => method === 'PATCH' && path === '',
  'document.issued': (method, path) => method === 'POST' && path === '/issue',
}
const isMove = (method, path) =>
  method === 'POST' && path.startsWith('/') && path !== '/attachments' && path !== '/issue'
const creation = /^\/v1\/documents(\/import|\/doc_[0-7][0-9a-hjkmnp-tv-z]{25}\/convert)?$/

const asksFor = (components, type = '', id = '') => {
  const [method, path] = [components.get('@method'), components.get('@path')]
  if (type === 'document.created') return method === 'POST' && creation.test(path)
  const start = `/v1/documents/${id}`
  const asks = Object.hasOwn(requestsFor, type) ? requestsFor[type] : isMove
  return path.startsWith(start) && asks(method, path.slice(start.length))
}

/**
 * Whether a request with this signed text asks for an event of this type of the document, and can be
 * checked: no bundle has the file of an import.
 */
export const isRequestFor = (base, type, id) => {
  const components = parseBase(base)?.components
  if (components === undefined || components.get('@path').endsWith('/import')) return false
  return asksFor(components, type, id)
}

/** The party itself has the body of its request, unless it was erased. */
const checkRequest = (components, { type, set = {} }, request, opening, wrong) => {
  const digest = components.get('content-digest')
  if (type === 'attachment.added') {
    if (digest === undefined || request !== undefined) wrong('the form of the file is not signed')
    return
  }
  if (opening === undefined) return
  const sent = request ?? ''
  const isDigest =
    digest === undefined ? sent === '' : digest === `sha-256=:${sha256(sent).toString('base64')}:`
  if (!isDigest) wrong('the request is not the one that was signed')
  if (!components.get('@path').endsWith('/transition') || set.status === undefined) return
  const asked = parseLoose(Buffer.from(sent), 'PARTY', 'the request is not JSON')
  const to = isObject(asked) ? asked.to : undefined
  const isMoved = to === set.status || (to === 'paid' && set.status === 'payment_scheduled')
  if (!isText(to) || !isMoved) wrong('the request asks for another status')
}

// ── The whole bundle ────────────────────────────────────────────────────────────────────────────

/** The trusted keys of a log; undefined if nobody is trusted. */
const trustedLog = (origin, trust) =>
  trust === undefined
    ? undefined
    : (trust.find((log) => log.origin === origin) ??
      fail('ORIGIN', `no key of ${origin} is trusted`))

const checkNotes = (checkpoint, head, trust) => {
  if (head.origin !== checkpoint.origin) fail('ORIGIN', 'the head note is of another log')
  const log = trustedLog(checkpoint.origin, trust)
  if (log === undefined) return
  checkSignatures(checkpoint, checkpoint.size, log)
  checkWitnesses(checkpoint, log)
  checkSignatures(head, head.keySize, log)
}

const checkInclusion = (events, hashes, checkpoint) => {
  let before = -1
  for (const [i, { header, log }] of events.entries()) {
    const place = { seq: header.seq }
    if (log.index <= before) fail('ORDER', 'the log runs backwards', place)
    before = log.index
    checkLeaf(hashes[i], log, checkpoint, place)
  }
}

const checkLeaf = (hash, { index, path }, checkpoint, place) => {
  const nodes = path.map((one) => Buffer.from(one, 'hex'))
  const root = rootFromPath(hash, index, checkpoint.size, nodes)
  if (root === undefined || !root.equals(checkpoint.root)) {
    fail('INCLUSION', 'the event is not in the log at that place', place)
  }
}

/** HEAD: the head note is about the last event, at the size of the checkpoint. */
const checkHead = (head, { stream, hashes, checkpoint }) => {
  const isHead =
    head.stream === stream &&
    head.seq === hashes.length &&
    head.hash === hashes.at(-1).toString('hex') &&
    head.size === checkpoint.size
  if (!isHead) fail('HEAD', 'the head note is not about the last event of this bundle')
}

const parseGiven = (bytes, digest, textOf) => {
  if (digest !== undefined && sha256Hex(bytes) !== digest) fail('DIGEST', 'another digest')
  return parseCanonical(bytes, textOf)
}

/**
 * Verifies all claims of one bundle and returns what it has proven. `trust` is a list of logs,
 * `parties` the trusted keys by organization.
 */
export const verifyBundle = (bytes, { trust, parties, digest } = {}) => {
  const textOf = writer()
  return checkBundle(parseGiven(bytes, digest, textOf), textOf, { trust, parties })
}

const checkBundle = (bundle, textOf, { trust, parties }) => {
  checkShape(bundle)
  const { document, events, viewer } = bundle
  const checkpoint = parseCheckpoint(bundle.checkpoint)
  const head = parseHead(bundle.head, bundle.format.at(-1))
  checkNotes(checkpoint, head, trust)
  const stream = streamOf(Buffer.from(document.stream_salt, 'hex'), document.id)
  const hashes = checkChain(
    stream,
    events.map(({ header }) => header),
    textOf,
  )
  for (const { header, open } of events) {
    const foreign = Object.keys(open).find((slot) => !slotsOf[viewer.role].includes(slot))
    if (foreign !== undefined) fail('ROLE', 'an opening of the other side', { seq: header.seq })
  }
  for (const event of events) checkOpenings(event, textOf)
  const erased = checkNothingWithheld(events, viewer.role)
  const state = replay(events, viewer.role, textOf)
  if (textOf(state) !== textOf(document.state)) fail('REPLAY', 'the state is another')
  checkRole(events, viewer, state)
  const { signed, unsigned } = checkParties(events, bundle, parties)
  checkInclusion(events, hashes, checkpoint)
  checkHead(head, { stream, hashes, checkpoint })
  const hexes = hashes.map((hash) => hash.toString('hex'))
  return { bundle, checkpoint, head, stream, hashes: hexes, erased, signed, unsigned }
}

// ── The proof of a pledge: what a lender learns of an invoice ───────────────────────────────────

const pledgeFormat = 'svc-pledge-proof/1'

const pledgeFields = {
  agreement: isObject,
  format: (value) => value === pledgeFormat,
  invoice: isRecord({
    checkpoint: isText,
    document_id: isId('doc'),
    events: (value) => isList(isEvent(isSecondHeader))(value) && value.length > 0,
    head: isText,
    stream_salt: isHex(32),
  }),
}

/** Verifies a pledge proof, and returns what it has proven of the agreement and of the invoice. */
export const verifyPledge = (bytes, { trust, parties, digest } = {}) => {
  const textOf = writer()
  return checkPledge(parseGiven(bytes, digest, textOf), textOf, { trust, parties })
}

const checkPledge = (proof, textOf, { trust, parties }) => {
  checkFields(proof, pledgeFields)
  const agreement = checkBundle(proof.agreement, textOf, { trust, parties })
  const { document_id: id, events, stream_salt: salt } = proof.invoice
  const checkpoint = parseCheckpoint(proof.invoice.checkpoint)
  const head = parseHead(proof.invoice.head, '2')
  checkNotes(checkpoint, head, trust)
  if (checkpoint.origin !== agreement.checkpoint.origin) fail('ORIGIN', 'two logs')
  if (!sameRoots(agreement, { checkpoint })) fail('SPLIT_VIEW', 'two logs of one size')
  const stream = streamOf(Buffer.from(salt, 'hex'), id)
  const hashes = checkChain(
    stream,
    events.map(({ header }) => header),
    textOf,
  )
  for (const { header, open } of events) {
    const foreign = Object.keys(open).find((slot) => slot !== 'finance')
    if (foreign !== undefined) fail('ROLE', 'an opening of a party', { seq: header.seq })
  }
  for (const event of events) checkOpenings(event, textOf)
  const bodies = events.map(({ header: { seq }, open }) => {
    const body = open.finance?.body ?? null
    if (body !== null) checkBody(body, { seq, slot: 'finance' })
    return body
  })
  const pledged = pledgeOf(agreement, { id, stream, hashes, bodies, textOf })
  checkOpenUntilRelease(events, bodies, pledged.agreement_id)
  const earlier = checkOnePledgeAtATime(bodies, pledged, textOf)
  checkInclusion(events, hashes, checkpoint)
  checkHead(head, { stream, hashes, checkpoint })
  return {
    agreement,
    checkpoint,
    head,
    pledge: pledgeClaim(proof.invoice, bodies, pledged, earlier),
  }
}

const isPeer = isRecord({ hash: isDigest, seq: isCount, stream: isDigest })

const isPledge = isRecord({
  agreement_id: isId('agr'),
  since: isTime,
  status: (value) => ['recorded', 'assigned', 'released'].includes(value),
})

/** PLEDGE: the agreement pins the event of the invoice in which its pledge was recorded. */
const pledgeOf = ({ bundle }, { id, stream, hashes, bodies, textOf }) => {
  const wrong = (message, seq) => fail('PLEDGE', message, { seq })
  const found = bundle.events.map(({ open }) => open.shared?.body?.finance)
  const [finance, ...more] = found.filter((one) => one !== undefined)
  if (!isObject(finance) || more.length > 0) return wrong('not the bundle of an agreement')
  const { authorization, digest, secured_by: pin } = finance
  const promised = isObject(authorization) ? authorization.pledge : undefined
  if (!isObject(promised) || !isPeer(pin)) return wrong('an agreement without a pledge')
  if (digest !== `sha256:${sha256Hex(textOf(authorization))}`) wrong('another authorization')
  if (promised.document_id !== id || pin.stream !== stream) wrong('another invoice')
  const { seq } = pin
  if (hashes[seq - 1]?.toString('hex') !== pin.hash) wrong('not the event that is pinned')
  const { pledge, status, due_date: due } = bodies[seq - 1] ?? {}
  if (!isPledge(pledge) || pledge.status !== 'recorded') return wrong('no pledge', seq)
  if (status !== 'approved') wrong('an invoice that was not approved', seq)
  if (due === null || due !== promised.due_date) wrong('another due date than was authorized', seq)
  return { seq, agreement_id: pledge.agreement_id }
}

/** WITHHELD, ROLE: the slot is open up to the end of the pledge, and closed from there on. */
const checkOpenUntilRelease = (events, bodies, agreement) => {
  let isOver = false
  for (const [i, { header, open }] of events.entries()) {
    const place = { seq: header.seq, slot: 'finance' }
    if (isOver && open.finance !== undefined) fail('ROLE', 'an opening after the pledge', place)
    if (!isOver && open.finance === undefined) fail('WITHHELD', 'an opening is missing', place)
    isOver ||=
      bodies[i]?.pledge?.agreement_id === agreement && bodies[i].pledge.status === 'released'
  }
}

/**
 * PLEDGE: a pledge is recorded once, while there is no other, is then assigned or not, and is
 * released before the next. Returns how many there were before this one.
 */
const checkOnePledgeAtATime = (bodies, { seq: own, agreement_id: agreement }, textOf) => {
  const known = new Set()
  let before = null
  let earlier = 0
  for (const [i, body] of bodies.entries()) {
    const now = body?.pledge ?? null
    if (textOf(now) === textOf(before)) continue
    const seq = i + 1
    const wrong = (message) => fail('PLEDGE', message, { seq })
    if (!isPledge(now)) {
      // Behind the end of the pledge the slot is closed.
      if (now === null && before?.agreement_id === agreement && before.status === 'released') break
      wrong('a pledge that vanishes, or is malformed')
    }
    if (now.status === 'recorded') {
      const isFree = before === null || before.status === 'released'
      if (!isFree || known.has(now.agreement_id)) wrong('a second pledge')
      if ((now.agreement_id === agreement) !== (seq === own)) wrong('recorded at another event')
      known.add(now.agreement_id)
      if (seq < own) earlier += 1
    } else {
      const isNext =
        before?.agreement_id === now.agreement_id &&
        (before.status === 'recorded' ||
          (before.status === 'assigned' && now.status === 'released'))
      if (!isNext) wrong('a pledge that moves otherwise')
    }
    before = now
  }
  return earlier
}

const pledgeClaim = ({ document_id: invoice, events }, bodies, { seq, agreement_id }, earlier) => {
  const at = (i) => events[i].header.at
  const { balance_due, due_date } = bodies[seq - 1]
  const approved = bodies.findLastIndex((body, i) => i < seq && body?.status !== 'approved') + 1
  const last = bodies.findLast((body) => body !== null)
  const { pledge, status } = last
  return {
    agreement_id,
    invoice,
    approved: { seq: approved + 1, at: at(approved) },
    recorded: { seq, at: at(seq - 1), balance_due, due_date },
    earlier,
    now: { balance_due: last.balance_due, status, pledge: pledge.status, since: pledge.since },
  }
}

// ── Two bundles ─────────────────────────────────────────────────────────────────────────────────

const sameRoots = (one, other) =>
  one.checkpoint.size !== other.checkpoint.size || one.checkpoint.root.equals(other.checkpoint.root)

/** A head that omits an event of its log proves fraud. */
const checkHeadWasTrue = (shorter, longer, wrong) => {
  const beyond = longer.bundle.events[shorter.hashes.length]
  if (beyond !== undefined && beyond.log.index < shorter.checkpoint.size) {
    wrong('a head was signed although a later event was in the log', beyond.header.seq)
  }
}

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
  checkHeadWasTrue(shorter, longer, wrong)
  if (!sameRoots(one, other)) wrong('two logs of one size')
}

/**
 * ROLLBACK: everything in the older bundle is still present, at the same place of the log, or of
 * the log that its epoch became. What was erased since left everything behind but free text.
 */
export const checkSince = (now, old, epochs) => {
  const wrong = (message, seq) => fail('ROLLBACK', message, { seq })
  const isOneLog = now.checkpoint.origin === old.checkpoint.origin
  if (now.stream !== old.stream) wrong('a bundle of another document')
  if (!isOneLog) checkEpochOf(old, now, epochs)
  if (now.hashes.length < old.hashes.length) wrong('events are missing', now.hashes.length + 1)
  for (const [i, hash] of old.hashes.entries()) {
    const isAtItsPlace =
      !isOneLog || now.bundle.events[i].log.index === old.bundle.events[i].log.index
    if (hash !== now.hashes[i] || !isAtItsPlace) {
      wrong('an event is another, or at another place of the log', i + 1)
    }
  }
  if (isOneLog) {
    if (now.checkpoint.size < old.checkpoint.size || !sameRoots(now, old)) {
      wrong('the log is another')
    }
    checkHeadWasTrue(old, now, wrong)
  }
  checkErasures(now, old)
}

/** The events as both bundles open them: the older one has what was erased since. */
const openedByEither = (now, old) =>
  now.bundle.events.map((event, i) => ({
    header: event.header,
    open: { ...old.bundle.events[i]?.open, ...event.open },
  }))

const checkErasures = (now, old) => {
  const { role } = now.bundle.viewer
  const events = openedByEither(now, old)
  const isSameRole = old.bundle.viewer.role === role
  const slots = isSameRole ? ['shared', role] : ['shared']
  for (const slot of slots) checkRetainedFacts(events, slot)
  checkRemainingState(events, role, isSameRole)
}

/** What an erasure says about each body that it deleted. */
const checkRetainedFacts = (events, slot) => {
  for (const { open } of events) {
    const erasing = open[slot]?.body ?? {}
    const remains = { links: linksOf(erasing), finance: canonical(erasing.finance ?? null) }
    for (const item of erasing.erased ?? []) {
      const opened = events[item.seq - 1].open[slot]
      if (opened !== undefined && !isKept(opened.body ?? {}, item, remains)) {
        const place = { seq: item.seq, slot }
        fail('ROLLBACK', 'the erasure does not keep what the body said', place)
      }
    }
  }
}

const isKept = (body, item, { links, finance }) =>
  canonical(factsOf(item.type, item.status, item.payment)) ===
    canonical(factsOf(body.type, statusOf(body), body.payment)) &&
  linksOf(body).every((link) => links.includes(link)) &&
  (body.finance === undefined || canonical(body.finance) === finance)

const factsOf = (type = null, status = null, payment = null) => [type, status, payment]

const statusOf = ({ set = {} }) =>
  Object.hasOwn(set, 'status') && isText(set.status) ? set.status : undefined

/** The links of a body, each as its text. */
const linksOf = ({ link = [], links = [] }) => [links, link].flat().map((one) => canonical(one))

/** The fields that may have changed in an event that neither bundle opens. */
const changingFields = new Set([
  'amount_credited',
  'amount_paid',
  'balance_due',
  'dispute',
  'pledge',
  'status',
])

/** The state after an erasure is the one before it without its free text. */
const checkRemainingState = (events, role, isSameRole) => {
  let now = nothing
  let isWhole = true
  let isIssued = false
  for (const { header, open } of events) {
    const both = open.shared?.body ?? {}
    const own = isSameRole ? (open[role]?.body ?? {}) : {}
    const next = step(now, both, own)
    if (isErasing(both) || isErasing(own)) {
      const [before, after] = isSameRole ? [now.state, next.state] : [now.shared, next.shared]
      if (!isWithoutText(before, after, { isWhole, isIssued })) {
        const place = { seq: header.seq }
        fail('ROLLBACK', 'the erasure changed more than free text', place)
      }
      isWhole = true
    }
    if (open.shared === undefined || (isSameRole && open[role] === undefined)) isWhole = false
    if (both.type === 'document.issued') isIssued = true
    now = next
  }
}

const isWithoutText = (before, after, { isWhole, isIssued }) => {
  const expected = withoutText(before)
  if (isWhole) return canonical(expected) === canonical(after)
  // Drafts can change in every field.
  if (!isIssued) return true
  return Object.keys(expected).every(
    (name) =>
      changingFields.has(name) ||
      (Object.hasOwn(after, name) && canonical(expected[name]) === canonical(after[name])),
  )
}

/** What an erasure puts in the place of free text. */
const emptied = {
  dispute: (value) => (isObject(value) ? replaced(value, { note: null }) : value),
  external_refs: () => [],
  line_items: (value) =>
    Array.isArray(value)
      ? value.map((line) =>
          isObject(line) ? replaced(line, { description: '[erased]', sku: null }) : line,
        )
      : value,
  metadata: () => [],
  notes: () => null,
}

const withoutText = (state) =>
  Object.assign(
    Object.create(null),
    ...Object.keys(state).map((name) => ({
      [name]: Object.hasOwn(emptied, name) ? emptied[name](state[name]) : state[name],
    })),
  )

/** The object with other values for those of these fields that it has. */
const replaced = (object, values) => {
  const names = Object.keys(values).filter((name) => Object.hasOwn(object, name))
  return { ...object, ...Object.fromEntries(names.map((name) => [name, values[name]])) }
}

// ── Epochs of a log, and consistency ────────────────────────────────────────────────────────────

const epochFields = {
  checkpoint: isText,
  epochs: isList(
    isRecord({
      header: isHeader,
      log: isLog,
      open: (value) => isRecord({ shared: isOpening })(value) && value.shared.body !== null,
    }),
  ),
  format: isText,
}

const isEpochBody = isRecord({ previous: isText, type: (value) => value === 'log.epoch_begun' })

/** The log's own stream; its id and salt are public. */
const epochStream = (origin) => {
  const match = /\/([a-z]+)\/([1-9][0-9]*)$/.exec(origin)
  if (match === null) return undefined
  const [, name, epoch] = match
  return streamOf(Buffer.alloc(16), `log_${epoch === '1' ? name : `${name}/${epoch}`}`)
}

/**
 * Verifies the answer of GET /v1/log/epochs: each epoch began with a leaf that holds the last
 * checkpoint of the one before.
 */
export const verifyEpochs = (bytes, { trust } = {}) => {
  const file = parseCanonical(bytes)
  checkFile(file, 'svc-epochs/1', epochFields)
  const checkpoint = trustedCheckpoint(file.checkpoint, trust)
  let origin = checkpoint.origin
  const previous = []
  for (const [i, { header, log: place, open }] of file.epochs.entries()) {
    if (header.stream !== epochStream(origin)) fail('STREAM', `not an event of ${origin}`)
    if (header.seq !== 1 || header.prev !== null) fail('CHAIN', 'not the first event of an epoch')
    checkOpenings({ header, open })
    if (!isEpochBody(open.shared.body)) fail('SHAPE', 'a body is not as it must be')
    if (i === 0 && place.index !== 0) fail('INCLUSION', 'not the first leaf of the log')
    checkLeaf(leafHash(canonical(header)), place, checkpoint)
    const ended = parseCheckpoint(open.shared.body.previous)
    if (!isEpochBefore(ended.origin, origin))
      fail('ORIGIN', `${ended.origin} is not an epoch before ${origin}`)
    const endedLog = trust?.find((one) => one.origin === ended.origin)
    if (endedLog !== undefined) checkSignatures(ended, ended.size, endedLog)
    previous.push(ended)
    origin = ended.origin
  }
  return { checkpoint, previous }
}

/** A file of this format, with exactly these fields. */
const checkFile = (file, format, fields) => {
  const isOther = isObject(file) && isText(file.format) && file.format !== format
  if (isOther) fail('FORMAT', 'a format that this verifier does not know')
  checkFields(file, fields)
}

const isEpochBefore = (earlier, later) => {
  const parts = (origin) => /^(.*\/)([1-9][0-9]{0,15})$/.exec(origin)
  const [, name, number] = parts(earlier) ?? []
  const [, laterName, laterNumber] = parts(later) ?? []
  return name !== undefined && name === laterName && BigInt(number) < BigInt(laterNumber)
}

/** The older bundle's log ended, at its checkpoint or later, in an epoch before this one. */
const checkEpochOf = (old, now, epochs) => {
  const wrong = (message) => fail('ROLLBACK', message)
  if (epochs === undefined) {
    return wrong('the older bundle is of another log: prove with --epochs that it became this one')
  }
  if (epochs.checkpoint.origin !== now.checkpoint.origin) wrong('the epochs of another log')
  if (!sameRoots(epochs, now)) wrong('two logs of one size')
  const ended = epochs.previous.find(({ origin }) => origin === old.checkpoint.origin)
  if (ended === undefined) return wrong('the log of the older bundle did not become this one')
  if (ended.size < old.checkpoint.size || !sameRoots({ checkpoint: ended }, old)) {
    wrong('the epoch of the older bundle ended before it, or otherwise')
  }
}

/** A checkpoint: a note, an answer of GET /v1/log/checkpoint, or a bundle, which is verified. */
const checkpointIn = (bytes, trust) => {
  if (bytes[0] !== 0x7b) return trustedCheckpoint(utf8Of(bytes, 'NOTE'), trust)
  const value = parseLoose(bytes, 'JSON', 'not JSON')
  if (Object.hasOwn(value, 'format')) return verifyBundle(bytes, { trust }).checkpoint
  if (!isText(value.checkpoint)) fail('SHAPE', 'checkpoint is not as it must be')
  return trustedCheckpoint(value.checkpoint, trust)
}

const trustedCheckpoint = (note, trust) => {
  const checkpoint = parseCheckpoint(note)
  const log = trustedLog(checkpoint.origin, trust)
  if (log !== undefined) {
    checkSignatures(checkpoint, checkpoint.size, log)
    checkWitnesses(checkpoint, log)
  }
  return checkpoint
}

/** CONSISTENCY: the newer tree extends the older one, by an answer of GET /v1/log/consistency. */
export const checkConsistency = (older, newer, bytes) => {
  const wrong = (message) => fail('CONSISTENCY', message)
  const answer = parseLoose(bytes, 'JSON', 'not JSON')
  const isAnswer =
    isObject(answer) && isCount(answer.from) && isCount(answer.to) && isList(isDigest)(answer.proof)
  if (!isAnswer) fail('SHAPE', 'not a consistency proof')
  if (older.origin !== newer.origin) fail('ORIGIN', 'checkpoints of two logs')
  const { from, to, proof } = answer
  if (from !== older.size || to !== newer.size) wrong('a proof between other sizes')
  const nodes = proof.map((one) => Buffer.from(one, 'hex'))
  if (!isConsistent(from, to, older.root, newer.root, nodes)) wrong('the log has not only grown')
}

// ── Receipts: what the service has acknowledged ─────────────────────────────────────────────────

const receiptFields = { checkpoint: isText, format: isText, header: isHeader, log: isLog }

/** Verifies the answer of GET /v1/documents/{id}/receipts/{seq}: an event and its place in the log. */
export const verifyReceipt = (bytes, { trust } = {}) => {
  const receipt = parseCanonical(bytes)
  checkFile(receipt, 'svc-receipt/1', receiptFields)
  const { header, log } = receipt
  const checkpoint = trustedCheckpoint(receipt.checkpoint, trust)
  const hash = leafHash(canonical(header))
  checkLeaf(hash, log, checkpoint, { seq: header.seq })
  return { receipt, checkpoint, hash: hash.toString('hex') }
}

const receiptLine = /^([0-9a-f]{64}) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\r?$/

/**
 * RECEIPT: the bundle has every event of its stream that the lines `<stream> <seq> <hash>` name.
 * Returns their number. Lines of other streams are not compared.
 */
export const checkReceipts = ({ stream, hashes }, bytes) => {
  const wrong = (message, seq) => fail('RECEIPT', message, { seq })
  let count = 0
  for (const line of bytes.toString('latin1').split('\n')) {
    if (line === '' || line === '\r') continue
    const [, of, seqText, hash] = receiptLine.exec(line) ?? wrong('not a list of receipts')
    const seq = Number(seqText)
    if (!isCount(seq)) wrong('not a list of receipts')
    if (of !== stream) continue
    count += 1
    if (seq > hashes.length) wrong('the bundle ends before an event that was acknowledged', seq)
    if (hash !== hashes[seq - 1]) wrong('another event than the one that was acknowledged', seq)
  }
  if (count === 0) wrong('no receipt is of this document')
  return count
}

// ── An opening that its holder hands over ───────────────────────────────────────────────────────

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

// ── A PDF that carries its proof ────────────────────────────────────────────────────────────────

const carriedMaxBytes = 2 ** 26

/** The start of a file that is embedded in a PDF, up to its data: whole lines. */
const embeddedHead = /\n\/Type \/EmbeddedFile\n((?:[^]{0,399}?\n)??)>>\nstream\n/g

const carriedLines = ['/Subtype /application#2Fjson', '/Filter /FlateDecode']

const isPdf = (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-'

const noProofInPdf =
  'this PDF carries no proof in the form of the service: ask for it with proof=1, or, if another ' +
  'program has saved it, take the file out with pdfdetach -saveall and verify that'

/** PDF: the one JSON file that a PDF carries, as the service embeds it. */
const carriedBy = (pdf) => {
  const heads = [...pdf.toString('latin1').matchAll(embeddedHead)]
    .map((head) => ({ lines: head[1].split('\n'), start: head.index + head[0].length }))
    .filter(({ lines }) => carriedLines.every((line) => lines.includes(line)))
  if (heads.length === 0) fail('PDF', noProofInPdf)
  if (heads.length > 1) fail('PDF', 'this PDF carries several JSON files')
  const [{ lines, start }] = heads
  const lengths = lines.filter((line) => /^\/Length \d{1,9}$/.test(line))
  const length = lengths.length === 1 ? Number(lengths[0].slice('/Length '.length)) : NaN
  const data = pdf.subarray(start, start + length)
  try {
    const { buffer, engine } = inflateSync(data, { maxOutputLength: carriedMaxBytes, info: true })
    if (data.length === length && engine.bytesWritten === length) return buffer
  } catch {
    // As below.
  }
  return fail('PDF', 'the proof in this PDF is damaged, or larger than 64 MiB')
}

const bundleIn = (file) => (isPdf(file) ? carriedBy(file) : file)

// ── Command line ────────────────────────────────────────────────────────────────────────────────

const usage =
  'verify-bundle FILE [--trust VKEY|trust.json] [--digest HEX] [--peer OTHER] [--since OLD]' +
  ' [--epochs EPOCHS] [--open OPENING] [--receipts RECEIPTS] [--json],' +
  ' or verify-bundle PLEDGE [--trust VKEY|trust.json] [--digest HEX] [--json],' +
  ' or verify-bundle PROOF --consistency OLD NEW [--trust VKEY|trust.json] [--json],' +
  ' or verify-bundle RECEIPT --receipt [--trust VKEY|trust.json] [--json]'

/** The number of values that each option takes. */
const options = {
  json: 0,
  trust: 1,
  digest: 1,
  peer: 1,
  since: 1,
  epochs: 1,
  open: 1,
  receipts: 1,
  receipt: 0,
  consistency: 2,
}
/** What verifies another file than a bundle, and goes with no option of a bundle. */
const otherFiles = ['consistency', 'receipt']
const besideOthers = ['file', 'json', 'trust']
const besidePledge = [...besideOthers, 'digest']

const argumentsOf = (argv) => {
  const given = Object.create(null)
  const rest = [...argv]
  while (rest.length > 0) {
    const word = rest.shift()
    const name = word.startsWith('--') ? word.slice(2) : 'file'
    const isKnown = name === 'file' ? !word.startsWith('--') : Object.hasOwn(options, name)
    if (!isKnown || name in given) fail('USAGE', usage)
    const values = name === 'file' ? [word] : rest.splice(0, options[name])
    if (values.length < (options[name] ?? 1)) fail('USAGE', usage)
    given[name] = values
  }
  const other = otherFiles.find((name) => name in given)
  const isMixed =
    other !== undefined &&
    Object.keys(given).some((one) => one !== other && !besideOthers.includes(one))
  const isDigestText = given.digest === undefined || /^[0-9a-fA-F]{64}$/.test(given.digest[0])
  const isEpochsAlone = 'epochs' in given && !('since' in given)
  if (!('file' in given) || isMixed || !isDigestText || isEpochsAlone) fail('USAGE', usage)
  return given
}

export const bytesOf = (file) => {
  try {
    return readFileSync(file)
  } catch {
    return fail('FILE', `cannot read ${file}`)
  }
}

/** A value that begins like a verifier key is one, also if a file has that name. */
export const trustOf = (given) => {
  if (given === undefined) return {}
  if (/^[!-*,-~]+\+[0-9a-f]{8}\+/.test(given)) {
    return { trust: [readTrust({ origin: given.slice(0, given.indexOf('+')), keys: [given] })] }
  }
  return readTrustFile(parseLoose(bytesOf(given), 'TRUST', `${given} is not JSON`))
}

const logOf = ({ origin, size, root }) => ({ origin, size, root: root.toString('base64') })

/** The claim that a valid bundle has proven, for people and for programs. */
const claimOf = ({ bundle, checkpoint, head, hashes, erased, signed, unsigned }, isPinned) => ({
  valid: true,
  pinned: isPinned,
  document_id: bundle.document.id,
  viewer: bundle.viewer,
  events: hashes.length,
  erased,
  signed,
  unsigned,
  head: { seq: head.seq, hash: head.hash },
  as_of: head.asOf,
  log: logOf(checkpoint),
})

/** What a valid pledge proof has proven. */
const pledgeClaimOf = ({ agreement, checkpoint, head, pledge }, isPinned) => {
  const { bundle, hashes } = agreement
  const part = (id, { seq, hash, asOf }) => ({ document_id: id, head: { seq, hash }, as_of: asOf })
  return {
    valid: true,
    pinned: isPinned,
    viewer: bundle.viewer,
    agreement: { ...part(bundle.document.id, agreement.head), events: hashes.length },
    ...pledge,
    invoice: { ...part(pledge.invoice, head), events: head.seq },
    log: logOf(checkpoint),
  }
}

const word = ({ pinned }) => (pinned ? 'VALID' : 'UNPINNED')
const unpinned = 'No key was given with --trust: nobody vouches for this log.'

const unprovenPages =
  'The PDF carries this proof of the record. Its pages are a drawing, which anyone can change:' +
  ' compare them with the record.'

const sayValid = (claim) => {
  const { document_id: id, viewer, events, erased, signed, unsigned, as_of: asOf, log } = claim
  const names = erased.map(({ seq, slot }) => `event ${seq} ${slot}`)
  const made = (list) => list.map(({ seq, organization_id: by }) => `event ${seq} ${by}`).join(', ')
  const sayMade = (text, list) => (list.length === 0 ? [] : [`${text}: ${made(list)}.`])
  return [
    `${word(claim)} ${id}, as its ${viewer.role} sees it`,
    `These ${events} events, nothing shared or own withheld, complete as of ${asOf}.`,
    ...(names.length === 0
      ? []
      : [`Erased, so that only its existence and place are proven: ${names.join(', ')}.`]),
    ...sayMade(
      'Signed by the party',
      signed.filter(({ pinned }) => pinned),
    ),
    ...sayMade(
      'Signed with a key that nobody vouches for',
      signed.filter(({ pinned }) => !pinned),
    ),
    ...sayMade('Not signed by the party, whose keys are trusted', unsigned),
    ...(claim.receipts === undefined
      ? []
      : [`It has the events of all ${claim.receipts} receipts of the document.`]),
    ...(claim.pdf === true ? [unprovenPages] : []),
    `Log ${log.origin}, size ${log.size}, root ${log.root}.`,
    claim.pinned
      ? 'It does not say that nothing happened later: ask for a newer bundle.'
      : unpinned,
  ].join('\n')
}

const sayPledge = (claim) => {
  const { agreement_id: id, invoice, approved, recorded, earlier, now, log } = claim
  const before = earlier === 0 ? 'none before it' : `${earlier} before it, all of them released`
  return [
    `${word(claim)} pledge of ${invoice.document_id} for ${id}`,
    `The invoice was approved at ${approved.at}. When it was pledged, at ${recorded.at},` +
      ` ${recorded.balance_due} were due on ${recorded.due_date}.`,
    `This pledge is the only one, and there was ${before}, up to its end or to` +
      ` ${invoice.as_of}. It was ${now.pledge} at ${now.since};` +
      ` then the invoice was ${now.status}, and ${now.balance_due} were due.`,
    'That no twin of the invoice is pledged is the word of the service.',
    `Log ${log.origin}, size ${log.size}, root ${log.root}.`,
    claim.pinned ? 'It does not say that nothing happened later: ask for a newer proof.' : unpinned,
  ].join('\n')
}

const sayConsistent = (claim) => {
  const { origin, from, to } = claim.consistency
  return [
    `${word(claim)} log ${origin} has only grown from ${from} to ${to} leaves`,
    ...(claim.pinned ? [] : [unpinned]),
  ].join('\n')
}

const sayReceipt = (claim) => {
  const { stream, seq, hash, index } = claim.receipt
  const { origin, size, root } = claim.log
  return [
    `${word(claim)} receipt of event ${seq}`,
    `${stream} ${seq} ${hash}`,
    `Leaf ${index} of log ${origin}, size ${size}, root ${root}.`,
    ...(claim.pinned ? [] : [unpinned]),
  ].join('\n')
}

const receiptOutcome = ({ file }, trust) => {
  const { receipt, checkpoint, hash } = verifyReceipt(bytesOf(file[0]), { trust })
  const { stream, seq, at } = receipt.header
  const proven = { stream, seq, hash, at, index: receipt.log.index }
  return { valid: true, pinned: trust !== undefined, receipt: proven, log: logOf(checkpoint) }
}

const consistencyOutcome = ({ file, consistency }, trust) => {
  const [older, newer] = consistency.map((one) => checkpointIn(bytesOf(one), trust))
  checkConsistency(older, newer, bytesOf(file[0]))
  const { origin, size } = older
  const proven = { origin, from: size, to: newer.size }
  return { valid: true, pinned: trust !== undefined, consistency: proven }
}

/** A bundle or the proof of a pledge, as the file says. */
const bundleOutcome = (given, trust, parties) => {
  const textOf = writer()
  const file = bytesOf(given.file[0])
  const value = parseGiven(bundleIn(file), given.digest?.[0].toLowerCase(), textOf)
  if (isObject(value) && value.format === pledgeFormat) {
    if (Object.keys(given).some((one) => !besidePledge.includes(one))) fail('USAGE', usage)
    return pledgeClaimOf(checkPledge(value, textOf, { trust, parties }), trust !== undefined)
  }
  const verified = checkBundle(value, textOf, { trust, parties })
  const other = (option) => verifyBundle(bundleIn(bytesOf(given[option][0])), { trust, parties })
  if ('open' in given) checkHandedOver(verified, bytesOf(given.open[0]))
  const kept =
    'receipts' in given ? { receipts: checkReceipts(verified, bytesOf(given.receipts[0])) } : {}
  if ('peer' in given) checkPeer(verified, other('peer'))
  if ('since' in given) {
    const epochs = 'epochs' in given ? verifyEpochs(bytesOf(given.epochs[0]), { trust }) : undefined
    checkSince(verified, other('since'), epochs)
  }
  return {
    ...claimOf(verified, trust !== undefined),
    ...kept,
    ...(isPdf(file) ? { pdf: true } : {}),
  }
}

/** What proves a command line, and how it is said. */
const kinds = {
  consistency: [consistencyOutcome, sayConsistent],
  receipt: [receiptOutcome, sayReceipt],
}

/** Runs one command line and returns its exit code and output. */
export const outcomeOf = (argv) => {
  const isJson = argv.includes('--json')
  try {
    const given = argumentsOf(argv)
    const { trust, parties } = trustOf(given.trust?.[0])
    const other = otherFiles.find((name) => name in given)
    const [prove, sayOther] = kinds[other] ?? [bundleOutcome]
    const claim = prove(given, trust, parties)
    const say = sayOther ?? (claim.agreement_id === undefined ? sayValid : sayPledge)
    return { exit: claim.pinned ? 0 : 2, text: isJson ? JSON.stringify(claim) : say(claim) }
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

export const isProgram = (url) => {
  try {
    return realpathSync(process.argv[1] ?? '') === fileURLToPath(url)
  } catch {
    return false
  }
}

if (isProgram(import.meta.url)) process.exitCode = main(process.argv.slice(2))
