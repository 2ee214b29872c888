/**
 * The bytes of one history event of a document (provenance 1.2 and 1.3): three salted commitments,
 * a header that chains to the previous event, and a MAC. Pure: time and salts are arguments.
 */
import { hash } from 'node:crypto'
import { hmacSha256 } from '../hmac.ts'
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

export interface HistoryEvent {
  seq: number
  header: string
  hash: Buffer
  mac: Buffer
  shared_body: string
  shared_salt: Buffer
  issuer_body: string
  issuer_salt: Buffer
  counterparty_body: string
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
    return { salt, body, digest: commitment(salt, body) }
  }
  const shared = slot('shared', 0)
  const issuer = slot('issuer', 16)
  const counterparty = slot('counterparty', 32)
  const seq = previous.seq + 1
  // This is canonical JSON: sorted keys, no whitespace, nothing that needs an escape.
  const header =
    `{"at":"${at}","c":{"counterparty":"${counterparty.digest}","issuer":"${issuer.digest}",` +
    `"shared":"${shared.digest}"},"prev":${previous.hash === null ? 'null' : `"${previous.hash.toString('hex')}"`},` +
    `"seq":${seq},"stream":"${stream}","v":"svc-event/1"}`
  const eventHash = leafHash(header)
  return {
    seq,
    header,
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
export const eventMac = (eventHash: Buffer, key: Buffer): Buffer => hmacSha256(key, eventHash)

export const stateDigest = (state: object): string => hash('sha256', canonicalText(state))
