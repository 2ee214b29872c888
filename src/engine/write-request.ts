/**
 * The input and the output of the engine. Only the engine decides whether a write shares its
 * transaction with others.
 */
import type { Refusal } from '../contract/errors.ts'
import type { KnownDocument } from '../core/compact-text.ts'
import type { WorkClass } from '../contract/work-classes.ts'
import type { Connection } from '../database/sql.ts'
import type { ComparedInvoice } from '../store/finance/listings.ts'
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

/** Rows to lock, by id. The counters of a named document's parties are locked as well. */
export interface RowsToLock {
  documents?: readonly string[]
  /** Also locks the documents these refer to, and reads the connections of these. */
  referencesOfDocuments?: readonly string[]
  /** Not locked, but read after the counters are. */
  connections?: readonly string[]
  /** Organizations whose counters change. */
  counters?: readonly string[]
  /** Documents whose payments change, with the transactions and the accounts of both parties. */
  paymentsOfDocuments?: readonly string[]
  /** Payments of these documents that are needed even if they have ended. */
  payments?: readonly string[]
  /** Organizations all of whose accounts are needed. */
  accountsOfOrganizations?: readonly string[]
  /** Keys that pay, with the limit usage of their rotation chains. */
  payingKeys?: readonly string[]
  /** Approvals that the writes may have asked for, by their `request_key`. */
  approvals?: readonly string[]
  /** Organizations whose approval rules the writes may meet. Not locked. */
  approvalRules?: readonly string[]
  /**
   * Not locked themselves: whoever changes one has locked the document of the listing, or the
   * invoice of the agreement. With their open offers, and with the setups of all their parties.
   */
  listings?: readonly string[]
  /** Offers that are needed whether or not they are open; their listings are named as well. */
  offers?: readonly string[]
  /** With their pledges and the setups of their parties. */
  agreements?: readonly string[]
  /** Organizations whose finance setups are needed. */
  setups?: readonly string[]
  /** Invoices whose pledged twins are needed; name them as documents, too. */
  receivables?: readonly string[]
  /**
   * Invoices whose near twins are counted: the live listings of similar ones are needed, with their
   * pledges. Whoever changes one has locked the counters of its borrower, so name these too.
   */
  similarTo?: readonly ComparedInvoice[]
}

export type RowKind = Exclude<keyof RowsToLock, 'similarTo'>

export const rowsWithMore = (rows: RowsToLock, more: RowsToLock): RowsToLock => {
  const merged: Record<string, readonly unknown[]> = { ...rows }
  for (const [kind, ids] of Object.entries<readonly unknown[]>({ ...more })) {
    merged[kind] = [...new Set([...(merged[kind] ?? []), ...ids])]
  }
  return merged
}

/**
 * Thrown by a decision that turns out to need more rows, before it has had any effect: the engine
 * makes it again with these.
 */
export class MoreRowsNeeded extends Error {
  override name = 'MoreRowsNeeded'
  readonly rows: RowsToLock
  constructor(rows: RowsToLock) {
    super('the decision needs more rows')
    this.rows = rows
  }
}

/**
 * Thrown by a decision that is refused and yet leaves something behind: its own changes are
 * discarded, and those of `remember` are saved.
 */
export class RememberedRefusal extends Error {
  override name = 'RememberedRefusal'
  readonly refusal: Refusal
  readonly remember: (unit: UnitOfWork) => void
  /** The record for which the Idempotency-Key is kept from now on, until the write succeeds. */
  readonly keepsKeyFor: string | undefined
  constructor(refusal: Refusal, remember: (unit: UnitOfWork) => void, keepsKeyFor?: string) {
    super(refusal.message)
    this.refusal = refusal
    this.remember = remember
    this.keepsKeyFor = keepsKeyFor
  }
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
