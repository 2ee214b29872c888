/**
 * The input and the output of the engine. Only the engine decides whether a write shares its
 * transaction with others.
 */
import type { Refusal } from '../contract/errors.ts'
import type { KnownDocument } from '../core/compact-text.ts'
import type { WorkClass } from '../contract/work-classes.ts'
import type { Connection } from '../database/sql.ts'
import type { RowsToLock } from './rows-to-lock.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** What an operation answers beside the body. */
export interface ReplyFacts {
  etag?: string
  location?: string
  /** The resource that GET /v1/idempotency/{key} names. */
  resourceId?: string
  /** The document that the write created or changed. */
  document?: ChangedDocument
  /** The newest event of that document, as `receiptOf` writes it. */
  receipt?: string
  /** Only for reads and writes without an Idempotency-Key: stored responses have no headers. */
  headers?: Readonly<Record<string, string>>
}

/** The response of a write: exactly the bytes that are stored and replayed. */
export interface OperationResponse extends ReplyFacts {
  status: 200 | 201 | 202
  body: string
}

export interface ChangedDocument {
  id: string
  known: KnownDocument
  /** Also the seq of its newest event. */
  revision: number
  /** The body, with the mark of core/compact-text.ts in place of the content, if it shows that. */
  marked: string
}

/** Shares its transaction with others. */
export interface BatchedWrite {
  kind: 'batched'
  rowsToLock: RowsToLock
  /** Synchronous, and pure except for changes to the unit; throws a Refusal to refuse. */
  decide(unit: UnitOfWork): OperationResponse
}

/** Has a transaction of its own. */
export interface TransactionalWrite {
  kind: 'transactional'
  workClass: WorkClass
  /** Calls a third party, before the transaction begins; skipped for a stored response. */
  beforeTransaction?(): Promise<void>
  run(tx: Connection): Promise<OperationResponse>
  /** The response shows a secret, so it is stored encrypted under the caller's key. */
  isEncrypted: boolean
}

export type Write = BatchedWrite | TransactionalWrite

export interface Idempotency {
  /** The caller's key in plain text: it decrypts encrypted responses and is never stored. */
  key: string
  /** The number of its advisory lock. */
  lock: bigint
  /** SHA-256 over method, path and canonical body. */
  fingerprint: Buffer
}

/** What the audit log says of a write by a person. */
export interface AuditedWrite {
  user: string
  operation: string
  path: string
  address: string
}

export interface WriteRequest<W extends Write = Write> {
  organization: string
  requestId: string
  dryRun: boolean
  /** Absent for tasks, whose writes are safe to repeat. */
  idempotency?: Idempotency
  /** Undefined for keys and tasks. */
  audited?: AuditedWrite
  /** The size of the input, for the queue's limits. */
  inputBytes: number
  /** Whether the caller has hung up, so that nobody waits for a write that has not begun. */
  isAbandoned?(): boolean
  write: W
}

export type BatchedRequest = WriteRequest<BatchedWrite>
export type TransactionalRequest = WriteRequest<TransactionalWrite>

export type WriteOutcome =
  | {
      kind: 'done'
      response: OperationResponse
      /** The events of the organization that the write has added to its feed. */
      eventIds: readonly string[]
    }
  | {
      kind: 'replayed'
      response: Omit<OperationResponse, 'status'> & { status: number }
      originalRequestId: string
      /** The document that the original write created or changed. */
      documentId: string | null
    }
  | { kind: 'refused'; refusal: Refusal }
