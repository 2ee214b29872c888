/**
 * Twins of an invoice (domain 5.6). Two invoices with the same fingerprint are one receivable, of
 * which only one pledge can be active. Near twins are only similar, and lenders are told of them.
 */
import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { canonicalJson } from '../canonical-json.ts'
import { daysBetween } from '../dates.ts'
import { encodeId } from '../ids.ts'
import { minorText } from '../money.ts'
import { parseContent } from '../documents/content.ts'
import { financeOf } from './document-finance.ts'
import type { Rows } from '../../database/rows.ts'

export interface Receivable {
  issuer: string
  debtor: string
  /** Normalised. */
  reference: string
  /** The same, if its punctuation separates no numbers: 4 02 is 402. */
  joinedReference: string
  currency: string
  total: bigint
  date: string
}

/** In upper case, without letters that nobody sees, and with the digits of ASCII. */
const upperCase = (reference: string): string =>
  reference
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .toUpperCase()

/** Each script has its ten digits in a row (The Unicode Standard, 4.6); two may be neighbours. */
const asciiDigit = (digit: string): string => {
  const codePoint = digit.codePointAt(0)!
  let value = 0
  while (isDigit(String.fromCodePoint(codePoint - value - 1))) value += 1
  return String(value % 10)
}

const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character)

const withoutPunctuation = (reference: string): string =>
  reference.replaceAll(/[^\p{L}\p{N}]/gu, '')

const withoutLeadingZeros = (reference: string): string =>
  reference.replaceAll(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''))

/** The same text for every way to write one number: INV-2026-00042, "inv 2026/42", Inv.2026.42. */
const normalisedReference = (reference: string): string =>
  withoutPunctuation(withoutLeadingZeros(upperCase(reference)))

const joinedReference = (reference: string): string =>
  withoutLeadingZeros(withoutPunctuation(upperCase(reference)))

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
  const { issuer_ref: given = '' } = parseContent(document.content).external_refs
  const written = normalisedReference(given) === '' ? document.issuer_number : given
  return {
    issuer: document.issuer_id,
    debtor: document.counterparty_id,
    reference: normalisedReference(written),
    joinedReference: joinedReference(written),
    currency: document.currency,
    total: document.total,
    date: document.document_date,
  }
}

/** Receivables that share one of these are twins; the first one is that of the normalised form. */
export const fingerprintsOf = (one: Receivable): string[] => [
  ...new Set([one.reference, one.joinedReference].map((text) => fingerprintWith(one, text))),
]

/**
 * The fingerprints of an invoice and of those that it replaces, its own first. Those of a pledge
 * outlive the erasure of the reference.
 */
export const fingerprintsOfAll = (
  documents: readonly (ReceivableDocument & { finance: string | null })[],
): string[] => [
  ...new Set(
    documents.flatMap((document) => [
      ...fingerprintsOf(receivableOf(document)),
      ...(financeOf(document).pledge?.fingerprints ?? []),
    ]),
  ),
]

/** Whether invoices that refer to this one are the same receivable. */
export const isReplaced = (
  document: Pick<Rows['documents'], 'type' | 'status' | 'amount_credited'>,
): boolean =>
  document.type === 'invoice' &&
  (document.amount_credited > 0n || ['cancelled', 'rejected'].includes(document.status))

const fingerprintWith = (one: Receivable, reference: string): string =>
  hash(
    'sha256',
    canonicalJson({
      counterparty: encodeId('org', one.debtor),
      currency: one.currency,
      document_date: one.date,
      issuer: encodeId('org', one.issuer),
      reference,
      total: minorText(one.total),
    }),
  )

export type ComparedReceivable = Pick<Receivable, 'reference' | 'total' | 'date'>

/** Whether two receivables of the same parties and currency agree in two of three. */
export const isNearTwin = (one: ComparedReceivable, other: ComparedReceivable): boolean => {
  const agreements = [
    one.reference === other.reference,
    one.total === other.total,
    Math.abs(daysBetween(one.date, other.date)) <= limits.nearTwinMaxDays,
  ].filter(Boolean)
  return agreements.length >= 2
}
