/** What is known about an invoice and its twins when a loan is decided about (domain 5.6). */
import assert from 'node:assert/strict'
import { limits } from '../../contract/limits.ts'
import {
  type ComparedReceivable,
  type ReceivableDocument,
  fingerprintsOf,
  isNearTwin,
  receivableOf,
} from '../../core/finance/twins.ts'
import type { Queryable } from '../../database/sql.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ComparedInvoice, ListingRow } from '../../store/finance/listings.ts'
import { receivableChain } from '../../store/finance/receivables.ts'

/**
 * The fingerprints of an invoice, and those of the invoices that it replaces; undefined if there
 * are too many of these.
 */
export const receivableFingerprints = async (
  db: Queryable,
  invoice: string,
): Promise<string[] | undefined> => {
  const chain = await receivableChain(db, invoice)
  return chain && fingerprintsOfAll(chain)
}

export interface ListedReceivable {
  fingerprints: string[]
  /** What near twins of the invoice share with it; it never changes once the invoice is issued. */
  compared: ComparedInvoice[]
}

/** The same of an invoice that is to be listed, and what tells its near twins. */
export const receivableToList = async (
  db: Queryable,
  invoice: string,
): Promise<ListedReceivable | undefined> => {
  const chain = await receivableChain(db, invoice)
  if (chain === undefined) return undefined
  const [own] = chain
  const compared = own === undefined ? [] : [comparedInvoice(own)]
  return { fingerprints: fingerprintsOfAll(chain), compared }
}

const fingerprintsOfAll = (chain: readonly ReceivableDocument[]): string[] => [
  ...new Set(chain.flatMap((document) => fingerprintsOf(receivableOf(document)))),
]

const comparedInvoice = (document: ReceivableDocument & { id: string }): ComparedInvoice => {
  const { issuer, debtor, currency, reference, total, date } = receivableOf(document)
  return {
    ...{ borrower_id: issuer, debtor_id: debtor, document_id: document.id, currency, reference },
    ...{ invoice_total: total, invoice_date: date },
  }
}

/**
 * How many live listings of other invoices are near twins of this one, which the write has named as
 * `similarTo`. It is exact: whoever lists an invoice of the borrower, or ends its listing or its
 * pledge, holds the counters of the borrower, as this write does.
 */
export const nearTwinsOf = (unit: UnitOfWork, one: ComparedInvoice): number => {
  assert(unit.isNamed('similarTo', one.document_id), 'the invoice was named to be compared')
  const own = comparedReceivable(one)
  const isBeside = (other: ListingRow) =>
    other.document_id !== one.document_id &&
    other.borrower_id === one.borrower_id &&
    other.debtor_id === one.debtor_id &&
    other.currency === one.currency
  const similar = unit.find('finance_listings', isBeside, (other) =>
    isNearTwin(own, comparedReceivable(other)),
  )
  const documents = new Set(similar.map(({ document_id }) => document_id))
  const pledges = unit.find(
    'finance_pledges',
    ({ document_id }) => documents.has(document_id),
    (pledge) => pledge.is_active && pledge.is_own,
  )
  const pledged = new Set(pledges.map(({ document_id }) => document_id))
  const twins = similar.filter(
    ({ status, document_id }) =>
      status === 'open' || (status === 'matched' && pledged.has(document_id)),
  )
  return Math.min(twins.length, limits.nearTwinsComparedMax)
}

const comparedReceivable = (one: ComparedInvoice): ComparedReceivable => ({
  reference: one.reference,
  total: one.invoice_total,
  date: one.invoice_date,
})
