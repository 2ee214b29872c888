/** The parts of the published verifier that the service uses. */
import type { KeyObject } from 'node:crypto'

export class Failure extends Error {
  constructor(check: string, message: string, place?: { seq?: number; slot?: string })
  check: string
  seq: number | undefined
  slot: string | undefined
}

export interface Header {
  at: string
  /** `finance` since svc-event/2. */
  c: { counterparty: string; finance?: string; issuer: string; shared: string }
  prev: string | null
  seq: number
  stream: string
  v: string
}

export interface Body {
  type?: string
  set?: Record<string, unknown>
  [name: string]: unknown
}

export interface Opening {
  salt: string
  body: Body | null
}

export type Slot = 'shared' | 'issuer' | 'counterparty' | 'finance'
export type Role = 'issuer' | 'counterparty'

export interface OpenEvent {
  header: Header
  open: Partial<Record<Slot, Opening>>
}

export interface TrustedKey {
  name: string
  id: string
  vkey: string
  key: KeyObject
  from: number
  until: number
}

export type WitnessKey = Omit<TrustedKey, 'from' | 'until'>

/** How many of which witnesses have cosigned every checkpoint from a size on. */
export interface WitnessRule {
  witnesses: readonly WitnessKey[]
  quorum: number
  witnessedFrom: number
}

/** The keys of one log, and its witnesses. */
export interface Trust extends WitnessRule {
  origin: string
  keys: readonly TrustedKey[]
}

/** The trusted keys of parties, by organization. */
export type Parties = ReadonlyMap<string, { keys: readonly string[]; required: readonly string[] }>

export interface Note {
  body: string
  signatures: readonly { name: string; id: string; signature: Buffer }[]
}

export interface Checkpoint extends Note {
  /** The lines of witnesses, behind those of the log. */
  cosignatures: Note['signatures']
  origin: string
  size: number
  root: Buffer
}

export interface Head extends Note {
  origin: string
  stream: string
  seq: number
  hash: string
  size: number
  asOf: string
  /** The size of the log that decides which keys sign the note. */
  keySize: number
}

export interface Verified {
  bundle: { events: readonly OpenEvent[] }
  checkpoint: Checkpoint
  head: Head
  stream: string
  hashes: readonly string[]
  /** The bodies that no longer exist. */
  erased: readonly { seq: number; slot: Slot }[]
  /** The events that their party signed; `pinned` if the trust names the key. */
  signed: readonly { seq: number; organization_id: string; key: string; pinned: boolean }[]
  /** The events of parties with trusted keys that they did not sign. */
  unsigned: readonly { seq: number; organization_id: string }[]
}

export interface VerifiedEpochs {
  checkpoint: Checkpoint
  /** The last checkpoints of the epochs before, newest first. */
  previous: readonly Checkpoint[]
}

export const emptyRoot: Buffer
export function leafHash(text: string): Buffer
export function nodeHash(left: Buffer, right: Buffer): Buffer
export function streamOf(salt: Buffer, documentId: string): string
export function commitment(salt: Buffer, bodyText: string): string
export function canonical(value: unknown): string
export type TextOf = (value: unknown) => string
export function writer(): TextOf
export function parseCanonical(bytes: Uint8Array, textOf?: TextOf): unknown
export function rootFromPath(
  leaf: Buffer,
  index: number,
  size: number,
  path: readonly Buffer[],
): Buffer | undefined
export function isConsistent(
  from: number,
  size: number,
  fromRoot: Buffer,
  root: Buffer,
  proof: readonly Buffer[],
): boolean
export function isWeakPoint(bytes: Uint8Array): boolean
export function isWeakKey(bytes: Uint8Array): boolean
export const cosignatureType: 4
export function parseVkey(vkey: string, type?: 1 | 4): WitnessKey
export function readTrust(trust: {
  origin: string
  keys: readonly string[]
  windows?: Record<string, { from_size?: number; until_size?: number | null }>
}): Trust
export function parseNote(note: string): Note
export function parseCheckpoint(note: string): Checkpoint
export function parseHead(note: string, version?: '1' | '2'): Head
export function isInForce(key: Pick<TrustedKey, 'from' | 'until'>, size: number): boolean
export function checkSignatures(
  note: Note,
  size: number,
  trust: { origin?: string; keys: readonly TrustedKey[] },
): void
export function cosignedMessage(body: string, seconds: bigint): string | undefined
export function checkWitnesses(checkpoint: Checkpoint, rule: WitnessRule): void
export function checkChain(stream: string, headers: readonly Header[], textOf?: TextOf): Buffer[]
/** The place of a header in its chain. */
export interface Link {
  seq: number
  at: string
  v: number
  hash: Buffer
}
export function linkAfter(
  before: Link | null,
  header: Header,
  stream: string,
  textOf?: TextOf,
): Link
export function checkOpenings(event: OpenEvent, textOf?: TextOf): void
export function checkNothingWithheld(
  events: readonly OpenEvent[],
  role: Role,
): { seq: number; slot: Slot }[]
/** What a replay has so far. */
export interface Replayed {
  /** All that one side sees. */
  state: Record<string, unknown>
  /** What both sides see. */
  shared: Record<string, unknown>
  /** Whether nothing that is missing can have changed the state. */
  isWhole: boolean
}
export const nothing: Replayed
export function replayNext(
  before: Replayed,
  event: OpenEvent,
  role: Role,
  textOf?: TextOf,
): Replayed
export function replay(
  events: readonly OpenEvent[],
  role: Role,
  textOf?: TextOf,
): Record<string, unknown>
export function isRequestFor(base: string, type: string | undefined, id: string): boolean
/** Whether the key, in base64, has signed the text. */
export type SignatureChecker = (keyid: string, base: string, value: string) => boolean
export function signatureChecker(): SignatureChecker
export function checkParties(
  events: readonly OpenEvent[],
  bundle: {
    document: { id: string; state: object }
    viewer: { role: Role }
    isSignedBy?: SignatureChecker
  },
  parties?: Parties,
): Pick<Verified, 'signed' | 'unsigned'>
export function verifyBundle(
  bytes: Uint8Array,
  options?: {
    trust?: readonly Trust[] | undefined
    parties?: Parties | undefined
    digest?: string | undefined
  },
): Verified
export interface PledgeProof {
  agreement: Verified
  /** Of the invoice. */
  checkpoint: Checkpoint
  head: Head
  pledge: {
    agreement_id: string
    invoice: string
    approved: { seq: number; at: string }
    recorded: { seq: number; at: string; balance_due: string; due_date: string }
    /** The pledges before this one, all of them released. */
    earlier: number
    /** When the pledge ended, or else at the head. */
    now: { balance_due: string; status: string; pledge: string; since: string }
  }
}
export function verifyPledge(
  bytes: Uint8Array,
  options?: {
    trust?: readonly Trust[] | undefined
    parties?: Parties | undefined
    digest?: string | undefined
  },
): PledgeProof
export function outcomeOf(argv: readonly string[]): { exit: 0 | 1 | 2; text: string }
export function checkPeer(one: Verified, other: Verified): void
export function checkSince(now: Verified, old: Verified, epochs?: VerifiedEpochs): void
export function verifyEpochs(
  bytes: Uint8Array,
  options?: { trust?: readonly Trust[] | undefined },
): VerifiedEpochs
export function checkConsistency(older: Checkpoint, newer: Checkpoint, bytes: Uint8Array): void
export interface Receipt {
  checkpoint: string
  format: string
  header: Header
  log: { index: number; path: readonly string[] }
}
export function verifyReceipt(
  bytes: Uint8Array,
  options?: { trust?: readonly Trust[] | undefined },
): { receipt: Receipt; checkpoint: Checkpoint; hash: string }
export function checkHandedOver(verified: Verified, bytes: Uint8Array): unknown
