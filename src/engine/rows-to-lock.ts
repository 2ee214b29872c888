/** The rows that a write names before it runs, so that they are locked and loaded. */
import type { ComparedInvoice } from '../store/finance/listings.ts'

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
