/**
 * What goes into the engine and what comes out. One business write is one member; whether it shares
 * its transaction with others is the engine's business and nobody else's.
 */
import type { Refusal } from '../contract/errors.ts'
import type { Connection } from '../database/sql.ts'
import type { World } from './unit-of-work.ts'

/** The answer of a write: exactly the bytes that are kept and replayed. */
export interface Answer {
  status: 200 | 201
  body: string
  etag?: string
  location?: string
  /** What GET /v1/idempotency/{key} names. */
  resourceId?: string
  /** Of reads: what is kept of a write does not hold them. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Rows to lock, by id. Parties of the named documents and connections are locked as well; the
 * connections of the named documents are read.
 */
export interface Needs {
  documents?: readonly string[]
  /** Of these documents also those that they refer to, and their connections. */
  related?: readonly string[]
  /** Read after the heads are locked. */
  connections?: readonly string[]
  /** Organizations whose numbers and feed move. */
  heads?: readonly string[]
  /** Documents whose payments move: those, their transactions, and the accounts of both parties. */
  payments?: readonly string[]
  /** Organizations of which all accounts are needed. */
  accounts?: readonly string[]
  /** Keys that pay: they and what their rotation chains have used of their limits. */
  keys?: readonly string[]
}

export type Write =
  | {
      kind: 'decided'
      needs: Needs
      /** Synchronous and pure but for the world it is given; throws a Refusal to say no. */
      decide(world: World): Answer
    }
  | {
      kind: 'alone'
      /** What calls strangers: before the transaction, and not at all when an answer is kept. */
      outside?(): Promise<void>
      run(tx: Connection): Promise<Answer>
      /** The answer shows a secret: it is kept sealed under the caller's own Idempotency-Key. */
      sealed: boolean
    }

export interface Idempotency {
  /** The caller's key, unhashed: it opens sealed answers and is never stored. */
  key: string
  /** HMAC of organization and key: what is stored and locked. */
  mac: Buffer
  /** SHA-256 over method, path and canonical body. */
  fingerprint: Buffer
}

export interface Member {
  organization: string
  requestId: string
  dryRun: boolean
  /** Tasks have none: their writes are safe to repeat by state. */
  idempotency?: Idempotency
  /** Size of the input, for the queue's limits. */
  bytes: number
  write: Write
}

export type Outcome =
  | { kind: 'done'; answer: Answer }
  | {
      kind: 'replayed'
      answer: Omit<Answer, 'status'> & { status: number }
      originalRequest: string
    }
  | { kind: 'refused'; refusal: Refusal }
