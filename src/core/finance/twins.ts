/**
 * Twins of an invoice (domain 5.6). Two invoices with the same fingerprint are one receivable, of
 * which only one pledge can be active. Near twins are only similar, and lenders are told of them.
 */
import { hash } from 'node:crypto'
import { canonicalJson } from '../canonical-json.ts'
import { daysBetween } from '../dates.ts'
import { encodeId } from '../ids.ts'
import { minorText } from '../money.ts'
import { parseContent } from '../documents/content.ts'

export interface Receivable {
  issuer: string
  debtor: string
  /** Normalised. */
  reference: string
  currency: string
  total: bigint
  date: string
}

/** The same text for every way to write one number: INV-00042, "inv 42" and Inv.42. */
const normalisedReference = (reference: string): string =>
  reference
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''))

export interface ReceivableDocument {
  issuer_id: string
  counterparty_id: string
  issuer_number: string
  currency: string
  total: bigint
  document_date: string
  content: string
}

/** The issuer's own reference identifies an invoice, else the number that we gave it. */
export const receivableOf = (document: ReceivableDocument): Receivable => {
  const { issuer_ref: given } = parseContent(document.content).external_refs
  const reference = normalisedReference(given ?? '')
  return {
    issuer: document.issuer_id,
    debtor: document.counterparty_id,
    reference: reference === '' ? normalisedReference(document.issuer_number) : reference,
    currency: document.currency,
    total: document.total,
    date: document.document_date,
  }
}

export const fingerprintOf = (one: Receivable): string =>
  hash(
    'sha256',
    canonicalJson({
      counterparty: encodeId('org', one.debtor),
      currency: one.currency,
      document_date: one.date,
      issuer: encodeId('org', one.issuer),
      reference: one.reference,
      total: minorText(one.total),
    }),
  )

const nearDays = 7

/** Whether two receivables of the same parties and currency agree in two of three. */
export const isNearTwin = (one: Receivable, other: Receivable): boolean => {
  const agreements = [
    one.reference === other.reference,
    one.total === other.total,
    Math.abs(daysBetween(one.date, other.date)) <= nearDays,
  ].filter(Boolean)
  return agreements.length >= 2
}
