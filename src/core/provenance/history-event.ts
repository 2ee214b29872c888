/**
 * The bytes of one history event of a document (provenance 1.2 and 1.3): three salted commitments,
 * a header that chains to the previous event, and a MAC. Pure: time and salts are arguments.
 *
 * A row has only what cannot be derived: the rest of the header comes from the stream and from the
 * event before.
 */
import { hash } from 'node:crypto'
import type { Header } from '../../../verifier/verify-bundle.mjs'
import { compactText, fullText, historyDictionary } from '../compact-text.ts'
import { hmacSha256, storedMacBytes } from '../hmac.ts'
import { canonicalText } from './shared-state.ts'

export interface EventSlots {
  /** For both parties. */
  shared: object | null
  /** For one party only. */
  issuer: object | null
  counterparty: object | null
}

export interface PreviousEvent {
  /** 0 before the first event. */
  seq: number
  hash: Buffer | null
}

/** The parts of a header that its row has. */
export interface StoredHeader {
  seq: number
  at: string
  /** Of shared, issuer and counterparty, 32 bytes each. */
  commitments: Buffer
}

/** A row of prov_event, without its document. */
export interface HistoryEvent extends StoredHeader {
  hash: Buffer
  mac: Buffer
  shared_body: Buffer
  shared_salt: Buffer
  issuer_body: Buffer
  issuer_salt: Buffer
  counterparty_body: Buffer
  counterparty_salt: Buffer
}

/** Salt bytes per event: 16 for each slot, fresh every time. */
export const saltBytes = 48

/** The blinded name of a document's stream, as the log must not reveal ids. */
export const streamOf = (streamSalt: Buffer, documentId: string): string =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from('svc-stream/1\n'), streamSalt, Buffer.from(documentId)]),
  )

const slotPrefix = Buffer.from('svc-slot/1\n')
const leafPrefix = Buffer.from([0])

const commitment = (salt: Buffer, body: string): string =>
  hash('sha256', Buffer.concat([slotPrefix, salt, Buffer.from(body)]))

/** The hash of an event is also its RFC 6962 leaf hash. */
const leafHash = (header: string): Buffer =>
  hash('sha256', Buffer.concat([leafPrefix, Buffer.from(header)]), 'buffer')

/** The header of a row. It has every byte of the row's parts, so its hash shows a changed one. */
export const eventHeader = (
  { at, seq, commitments }: StoredHeader,
  stream: string,
  previousHash: Buffer | null,
): Header => ({
  at,
  c: {
    counterparty: commitments.toString('hex', 64),
    issuer: commitments.toString('hex', 32, 64),
    shared: commitments.toString('hex', 0, 32),
  },
  prev: previousHash === null ? null : previousHash.toString('hex'),
  seq,
  stream,
  v: 'svc-event/1',
})

/** This is canonical JSON: sorted keys, no whitespace, nothing that needs an escape. */
export const headerText = ({ at, c, prev, seq, stream, v }: Header): string =>
  `{"at":"${at}","c":{"counterparty":"${c.counterparty}","issuer":"${c.issuer}",` +
  `"shared":"${c.shared}"},"prev":${prev === null ? 'null' : `"${prev}"`},` +
  `"seq":${seq},"stream":"${stream}","v":"${v}"}`

/** The text of a body, as it was hashed. Throws if the bytes are not the stored form of a text. */
export const bodyText = (stored: Uint8Array): string => fullText(stored, null)

export const buildHistoryEvent = (
  stream: string,
  previous: PreviousEvent,
  at: string,
  slots: EventSlots,
  salts: Buffer,
  macKey: Buffer,
): HistoryEvent => {
  const slot = (name: keyof EventSlots, from: number) => {
    const salt = Buffer.from(salts.subarray(from, from + 16))
    const body = slots[name] === null ? 'null' : canonicalText(slots[name])
    return {
      salt,
      body: compactText(body, { dictionary: historyDictionary }),
      digest: commitment(salt, body),
    }
  }
  const shared = slot('shared', 0)
  const issuer = slot('issuer', 16)
  const counterparty = slot('counterparty', 32)
  const commitments = Buffer.from(shared.digest + issuer.digest + counterparty.digest, 'hex')
  const stored = { seq: previous.seq + 1, at, commitments }
  const eventHash = leafHash(headerText(eventHeader(stored, stream, previous.hash)))
  return {
    ...stored,
    hash: eventHash,
    mac: eventMac(eventHash, macKey),
    shared_body: shared.body,
    shared_salt: shared.salt,
    issuer_body: issuer.body,
    issuer_salt: issuer.salt,
    counterparty_body: counterparty.body,
    counterparty_salt: counterparty.salt,
  }
}

/** Authenticates an event as written by this service; the sequencer logs no other. */
export const eventMac = (eventHash: Buffer, key: Buffer): Buffer =>
  hmacSha256(key, eventHash).subarray(0, storedMacBytes)

export const stateDigest = (state: object): string => hash('sha256', canonicalText(state))
