/** What is read about an invoice and its twins before a decision about a loan (domain 5.6). */
import {
  type ComparedReceivable,
  type ReceivableDocument,
  fingerprintsOf,
  isNearTwin,
  receivableOf,
} from '../../core/finance/twins.ts'
import type { Queryable } from '../../database/sql.ts'
import { type ComparedInvoice, liveListingsBeside } from '../../store/finance/listings.ts'
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
  nearTwins: number
}

/** The same of an invoice that is to be listed, and how many live listings are near twins of it. */
export const receivableToList = async (
  db: Queryable,
  invoice: string,
): Promise<ListedReceivable | undefined> => {
  const chain = await receivableChain(db, invoice)
  if (chain === undefined) return undefined
  const [own] = chain
  const nearTwins = own === undefined ? 0 : await nearTwinsOf(db, comparedInvoice(own))
  return { fingerprints: fingerprintsOfAll(chain), nearTwins }
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

/** How many live listings of other invoices are near twins of this one. */
export const nearTwinsOf = async (db: Queryable, one: ComparedInvoice): Promise<number> => {
  const own = comparedReceivable(one)
  const others = await liveListingsBeside(db, one)
  return others.filter((other) => isNearTwin(own, comparedReceivable(other))).length
}

const comparedReceivable = (one: ComparedInvoice): ComparedReceivable => ({
  reference: one.reference,
  total: one.invoice_total,
  date: one.invoice_date,
})
