/**
 * The bytes of one history event of a document (provenance 1.2 and 1.3): four salted commitments, a
 * header that chains to the previous event, and a MAC. Pure: time and the seed of the salts are
 * arguments.
 *
 * A row has only what cannot be derived: the rest of the header comes from the stream and from the
 * event before, the salts from a seed, and the body of `finance` from the others.
 */
import { hash } from 'node:crypto'
import type { Header } from '../../../verifier/verify-bundle.mjs'
import type { Rows } from '../../database/rows.ts'
import { compactText, fullText, historyDictionary } from '../compact-text.ts'
import { storedMac } from '../hmac.ts'
import { encodeId } from '../ids.ts'
import { type FinanceBody, canonicalText } from './shared-state.ts'

export interface EventSlots {
  /** For both parties. */
  shared: object | null
  /** For one party only. */
  issuer: object | null
  counterparty: object | null
}

/** With the slot for lenders, which the issuer may open to one. */
export interface AllSlots extends EventSlots {
  finance: FinanceBody | null
}

/** The slots in the order of their stored commitments and salts. */
export const slotNames = ['shared', 'issuer', 'counterparty', 'finance'] as const

export interface PreviousEvent {
  /** 0 before the first event. */
  seq: number
  hash: Buffer | null
}

/** The parts of a header that do not follow from the chain. */
export interface HeaderParts {
  seq: number
  at: string
  /** One for each slot, 32 bytes each. */
  commitments: Buffer
}

/** A row of prov_event, without its document. */
export interface HistoryEvent extends Omit<HeaderParts, 'commitments'> {
  /** The first bytes of each; the rest follows from the salts and bodies. */
  commitments: Buffer
  hash: Buffer
  mac: Buffer
  salts: Buffer
  shared_body: Buffer | null
  issuer_body: Buffer | null
  counterparty_body: Buffer | null
  finance_body: Buffer | null
}

export const saltBytes = 16
/** The secret of an event from which its salts follow, fresh every time. */
export const saltSeedBytes = 16
const allSaltsBytes = 64

/** The salt of each slot. Whoever knows some of them learns nothing about the others. */
const saltsOf = (seed: Buffer): Buffer =>
  hash('sha512', Buffer.concat([Buffer.from('svc-salts/1\n'), seed]), 'buffer')

/** The salts of a row; undefined if there are neither a seed nor all of them. */
export const storedSalts = (salts: Buffer): Buffer | undefined => {
  if (salts.length === saltSeedBytes) return saltsOf(salts)
  return salts.length === allSaltsBytes ? salts : undefined
}

export const saltAt = (salts: Buffer, slot: number): Buffer =>
  salts.subarray(slot * saltBytes, (slot + 1) * saltBytes)

/** The blinded name of a document's stream, as the log must not reveal ids. */
export const streamOf = (streamSalt: Buffer, documentId: string): string =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from('svc-stream/1\n'), streamSalt, Buffer.from(documentId)]),
  )

/**
 * `<stream> <seq> <hash>` of the newest event of a document, which the response of a write carries.
 * Undefined without history (see ChangeContext).
 */
export const receiptOf = (
  document: Pick<Rows['documents'], 'id' | 'stream_salt' | 'head_seq' | 'head_hash'>,
): string | undefined => {
  const { id, stream_salt, head_seq, head_hash } = document
  if (head_seq === 0) return undefined
  return `${streamOf(stream_salt, encodeId('doc', id))} ${head_seq} ${head_hash.toString('hex')}`
}

const slotPrefix = Buffer.from('svc-slot/1\n')
const leafPrefix = Buffer.from([0])

const commitment = (salt: Buffer, body: string): string =>
  hash('sha256', Buffer.concat([slotPrefix, salt, Buffer.from(body)]))

/** The hash of an event is also its RFC 6962 leaf hash. */
const leafHash = (header: string): Buffer =>
  hash('sha256', Buffer.concat([leafPrefix, Buffer.from(header)]), 'buffer')

/** The header of a row. It has every byte of the row's parts, so its hash shows a changed one. */
export const eventHeader = (
  { at, seq, commitments }: HeaderParts,
  stream: string,
  previousHash: Buffer | null,
): Header => ({
  at,
  c: {
    counterparty: commitments.toString('hex', 64, 96),
    finance: commitments.toString('hex', 96),
    issuer: commitments.toString('hex', 32, 64),
    shared: commitments.toString('hex', 0, 32),
  },
  prev: previousHash === null ? null : previousHash.toString('hex'),
  seq,
  stream,
  v: 'svc-event/2',
})

/** This is canonical JSON: sorted keys, no whitespace, nothing that needs an escape. */
export const headerText = ({ at, c, prev, seq, stream, v }: Header): string =>
  `{"at":"${at}","c":{"counterparty":"${c.counterparty}","finance":"${c.finance}",` +
  `"issuer":"${c.issuer}","shared":"${c.shared}"},"prev":${prev === null ? 'null' : `"${prev}"`},` +
  `"seq":${seq},"stream":"${stream}","v":"${v}"}`

/** The text of a body, as it was hashed. Throws if the bytes are not the stored form of a text. */
export const bodyText = (stored: Uint8Array): string => fullText(stored, null)

const commitmentBytes = 32
export const shortCommitmentBytes = 4
export const allCommitmentsBytes = 4 * commitmentBytes

/** Enough to name a slot that was changed; that one was changed, the hash of the event shows. */
export const shortCommitments = (commitments: Buffer): Buffer =>
  Buffer.concat(
    slotNames.map((_, slot) =>
      commitments.subarray(slot * commitmentBytes, slot * commitmentBytes + shortCommitmentBytes),
    ),
  )

/** An empty slot has no body. */
const storedBody = (body: string): Buffer | null =>
  body === 'null' ? null : compactText(body, { dictionary: historyDictionary })

export interface NewHistoryEvent {
  stream: string
  previous: PreviousEvent
  at: string
  slots: AllSlots
  saltSeed: Buffer
  macKey: Buffer
}

export const buildHistoryEvent = ({
  stream,
  previous,
  at,
  slots,
  saltSeed,
  macKey,
}: NewHistoryEvent): HistoryEvent => {
  const salts = saltsOf(saltSeed)
  const bodies = slotNames.map((name) =>
    slots[name] === null ? 'null' : canonicalText(slots[name]),
  )
  const digests = bodies.map((body, i) => commitment(saltAt(salts, i), body))
  const commitments = Buffer.from(digests.join(''), 'hex')
  const parts = { seq: previous.seq + 1, at, commitments }
  const eventHash = leafHash(headerText(eventHeader(parts, stream, previous.hash)))
  return {
    ...parts,
    commitments: shortCommitments(commitments),
    hash: eventHash,
    mac: eventMac(eventHash, macKey),
    salts: saltSeed,
    shared_body: storedBody(bodies[0]!),
    issuer_body: storedBody(bodies[1]!),
    counterparty_body: storedBody(bodies[2]!),
    finance_body: null,
  }
}

/** Authenticates an event as written by this service; the sequencer logs no other. */
export const eventMac = (eventHash: Buffer, key: Buffer): Buffer => storedMac(key, [eventHash])

export const stateDigest = (state: object): string => hash('sha256', canonicalText(state))
