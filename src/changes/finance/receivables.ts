/** What is known about an invoice and its twins when a loan is decided about (domain 5.6). */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  type ComparedReceivable,
  type ReceivableDocument,
  isNearTwin,
  receivableOf,
} from '../../core/finance/twins.ts'
import { encodeId } from '../../core/ids.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import type { Heir } from '../../engine/working-set.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ComparedInvoice, ListingRow } from '../../store/finance/listings.ts'
import type { DocumentRow } from '../change-context.ts'
import { pledgeRowsOf } from './referenced-rows.ts'

/** What near twins of an invoice are found by. After the issue, only an erasure changes it. */
export const invoiceToCompare = async (
  db: Queryable,
  invoice: string,
): Promise<ComparedInvoice[]> =>
  (await sealedRows(db, 'documents', sql`where t.id = ${invoice}`)).map(comparedInvoice)

const comparedInvoice = (document: ReceivableDocument & { id: string }): ComparedInvoice => {
  const { issuer, debtor, currency, reference, total, date } = receivableOf(document)
  return {
    borrower_id: issuer,
    debtor_id: debtor,
    document_id: document.id,
    currency,
    reference,
    invoice_total: total,
    invoice_date: date,
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

/**
 * The fingerprints of an invoice that is to be pledged, and those that it inherits; refuses a twin
 * of a pledged invoice.
 */
export const unpledgedFingerprints = (
  unit: UnitOfWork,
  invoice: DocumentRow,
): readonly string[] => {
  const { fingerprints, heirs } = unit.receivable(invoice.id)
  if (fingerprints === undefined) throw replacesTooMany(invoice)
  const twins = unit.find(
    'finance_pledges',
    ({ fingerprint }) => fingerprints.includes(fingerprint),
    (pledge) => pledge.is_active && pledge.mode === invoice.mode,
  )
  const isHeld = (heir: Heir) =>
    pledgeRowsOf(unit, unit.get('documents', heir.invoice)!, heir.agreement).length > 0
  if (twins.length === 0 && !heirs.some(isHeld)) return fingerprints
  throw refuse(
    'conflict',
    `${invoice.issuer_number} is the same receivable as an invoice that is pledged already.`,
    { reason: 'already_pledged', document_id: encodeId('doc', invoice.id) },
  )
}

const replacesTooMany = ({ id }: DocumentRow): Error =>
  refuse('conflict', 'The invoice replaces too many others to be listed.', {
    reason: 'not_payable',
    document_id: encodeId('doc', id),
  })
