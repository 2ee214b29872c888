/**
 * What goes into the engine and what comes out. One business write is one member; whether it shares
 * its transaction with others is the engine's business and nobody else's.
 */
import type { Refusal } from '../contract/errors.ts'
import type { Connection } from '../database/sql.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** The answer of a write: exactly the bytes that are kept and replayed. */
export interface OperationResponse {
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
export interface RowsToLock {
  documents?: readonly string[]
  /** Of these documents also those that they refer to, and their connections. */
  referencesOfDocuments?: readonly string[]
  /** Read after the heads are locked. */
  connections?: readonly string[]
  /** Organizations whose numbers and feed move. */
  counters?: readonly string[]
  /** Documents whose payments move: those, their transactions, and the accounts of both parties. */
  paymentsOfDocuments?: readonly string[]
  /** Organizations of which all accounts are needed. */
  accountsOfOrganizations?: readonly string[]
  /** Keys that pay: they and what their rotation chains have used of their limits. */
  payingKeys?: readonly string[]
}

export type Write =
  | {
      kind: 'batched'
      rowsToLock: RowsToLock
      /** Synchronous and pure but for the world it is given; throws a Refusal to say no. */
      decide(unit: UnitOfWork): OperationResponse
    }
  | {
      kind: 'transactional'
      /** What calls strangers: before the transaction, and not at all when an answer is kept. */
      beforeTransaction?(): Promise<void>
      run(tx: Connection): Promise<OperationResponse>
      /** The answer shows a secret: it is kept sealed under the caller's own Idempotency-Key. */
      isSealed: boolean
    }

export interface Idempotency {
  /** The caller's key, unhashed: it opens sealed answers and is never stored. */
  key: string
  /** HMAC of organization and key: what is stored and locked. */
  mac: Buffer
  /** SHA-256 over method, path and canonical body. */
  fingerprint: Buffer
}

export interface WriteRequest {
  organization: string
  requestId: string
  dryRun: boolean
  /** Tasks have none: their writes are safe to repeat by state. */
  idempotency?: Idempotency
  /** Size of the input, for the queue's limits. */
  inputBytes: number
  write: Write
}

export type WriteOutcome =
  | { kind: 'done'; response: OperationResponse }
  | {
      kind: 'replayed'
      response: Omit<OperationResponse, 'status'> & { status: number }
      originalRequestId: string
    }
  | { kind: 'refused'; refusal: Refusal }
