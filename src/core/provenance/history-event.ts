/**
 * One event of a document's history, byte by byte (provenance 1.2 and 1.3): three salted
 * commitments, a header that chains to the one before, and a MAC. Pure: time and salts come in.
 */
import { createHmac, hash } from 'node:crypto'
import { canonicalText } from './shared-state.ts'

export interface EventSlots {
  /** Read by both parties. */
  shared: object | null
  /** Read by that party only. */
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

/** Salt bytes one event takes: 16 for each slot, fresh every time. */
export const saltBytes = 48

/** The blinded name of a document's stream: the log shows no ids. */
export const streamOf = (streamSalt: Buffer, documentId: string): string =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from('svc-stream/1\n'), streamSalt, Buffer.from(documentId)]),
  )

const slotPrefix = Buffer.from('svc-slot/1\n')
const leafPrefix = Buffer.from([0])

const commitment = (salt: Buffer, body: string): string =>
  hash('sha256', Buffer.concat([slotPrefix, salt, Buffer.from(body)]))

/** The event's hash is also its RFC 6962 leaf hash: one hash, two uses. */
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
  // Canonical as written: keys in order, no whitespace, nothing that needs an escape.
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

/** Marks an event as written by this service: the log takes no other. */
export const eventMac = (eventHash: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update(eventHash).digest()

/** What is kept of a checkpoint beside its note. */
export interface CheckpointRow {
  note: string
  as_of: string
  /** Size of the one that was signed before it, -1 for the first; null where it was not kept. */
  previous_size: bigint | null
}

/** Binds the time of a checkpoint, and which one it follows, to its note, which has neither. */
export const checkpointMac = (
  { note, as_of: asOf, previous_size: previousSize }: CheckpointRow,
  key: Buffer,
): Buffer => {
  const head = previousSize === null ? 'svc-checkpoint/1' : `svc-checkpoint/2\n${previousSize}`
  return createHmac('sha256', key).update(`${head}\n${asOf}\n${note}`).digest()
}

/** What the row of a document holds and no event tells. A new column is told, or joins these. */
const authenticatedColumns = [
  'document_date_given',
  'valid_until_given',
  'derived_count',
  'derived_amount',
  'terms_form',
  'issuer_events',
  'counterparty_events',
  'issuer_position',
  'counterparty_position',
  'payment',
] as const

export type AuthenticatedRow = { id: string; head_seq: number; head_hash: Buffer } & Record<
  (typeof authenticatedColumns)[number],
  string | number | bigint | boolean | null
>

/** Binds these columns to the head of the document's history. */
export const rowMac = (row: AuthenticatedRow, key: Buffer): Buffer => {
  const bound = authenticatedColumns.map((column) => `${column} ${row[column]}\n`).join('')
  return createHmac('sha256', key)
    .update(`svc-guard/1\n${row.id} ${row.head_seq}\n${bound}`)
    .update(row.head_hash)
    .digest()
}

export const stateDigest = (state: object): string => hash('sha256', canonicalText(state))
