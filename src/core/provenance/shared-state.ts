/**
 * The shared state of a document in the form that is hashed (provenance 1.2): amounts, quantities
 * and rates as decimal strings, external_refs as sorted pairs, all other numbers safe integers.
 */
import { CanonicalText, type NumberFormatter, canonicalIntegerJson } from '../canonical-json.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import { type PartyProfiles, partyProfilesOf } from '../documents/party-profiles.ts'
import { type DocumentContent, parseContent } from '../documents/content.ts'
import { pledgeForDebtor, pledgeForIssuer } from '../finance/document-finance.ts'
import { encodeId } from '../ids.ts'
import { majorText, decimalText, minorText } from '../money.ts'
import { rememberingLast } from '../remembering-parser.ts'
import { balanceDue } from '../documents/projection.ts'
import type { DocumentRecord } from '../documents/document-record.ts'

/** Amounts, written with two decimals. Fields in neither list are integers. */
const amountFields = new Set([
  'gross',
  'discount',
  'net',
  'tax_amount',
  'total',
  'subtotal',
  'discount_total',
  'tax',
  'taxable',
])

/** Quantities, prices and rates, written with the digits as sent. */
const decimalFields = new Set(['quantity', 'unit_price', 'tax_rate', 'discount_value', 'percent'])

const formatNumber: NumberFormatter = (field, value) => {
  if (amountFields.has(field)) return majorText(value)
  return decimalFields.has(field) ? decimalText(value) : undefined
}

/** The canonical text of a record, or of one party's part of it. */
export const canonicalText = (record: object): string => canonicalIntegerJson(record, formatNumber)

/** The record, to be part of others and hashed alone. */
export const canonicalRecord = (record: object): CanonicalText =>
  new CanonicalText(canonicalText(record))

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Sorted by UTF-16 code units, as the canonical form sorts keys. */
const sortedPairs = (map: { readonly [name: string]: Json }): Json =>
  Object.entries(map)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, value])

export const canonicalContent = (content: DocumentContent) => ({
  ...content,
  external_refs: sortedPairs(content.external_refs),
})

export const canonicalMetadata = (metadata: Readonly<Record<string, string>>): Json =>
  sortedPairs(metadata)

/** What each party reads of a document in its own way, as its own slot records it. */
export const ownState = (document: DocumentRecord, side: Side) => ({
  number: document[`${side}_number`],
  label: documentTypes[document.type as DocumentTypeName][side].label,
  direction: side === 'issuer' ? ('issued' as const) : ('received' as const),
})

/** The fields of a document that change after issue. */
export const mutableState = (document: DocumentRecord): { [name: string]: Json } => ({
  status: document.status,
  amount_paid: minorText(document.amount_paid),
  amount_credited: minorText(document.amount_credited),
  balance_due: minorText(balanceDue(document)),
  dispute: document.dispute === null ? null : (JSON.parse(document.dispute) as Json),
  ...disclosedPledge(document),
})

/** Both parties learn of a pledge of which the debtor is told. */
const disclosedPledge = (document: DocumentRecord): { [name: string]: Json } => {
  const pledge = pledgeForDebtor(document)
  return pledge === null ? {} : { pledge: { ...pledge } }
}

/** What a lender learns of a document that can be pledged, and nothing else. */
export interface FinanceBody {
  balance_due: string
  due_date: string | null
  pledge: object | null
  status: string
}

/** The slot for lenders of a document that can be pledged: an issued one that is paid. */
export const financeBody = (document: DocumentRecord): FinanceBody | null =>
  document.issued_at === null || documentTypes[document.type as DocumentTypeName].payer === null
    ? null
    : {
        balance_due: minorText(balanceDue(document)),
        due_date: document.due_date,
        pledge: pledgeForIssuer(document),
        status: document.status,
      }

/** The same, derived from what the events say, as far as they are true. */
export const financeBodyOfState = (
  state: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null => {
  const { balance_due = null, due_date = null, pledge = null, status = null } = state
  const { issued_at, document_type } = state
  const type = documentTypes[document_type as DocumentTypeName] as
    | (typeof documentTypes)[DocumentTypeName]
    | undefined
  if (typeof issued_at !== 'string' || type === undefined || type.payer === null) return null
  return { balance_due, due_date, pledge, status }
}

/** What exports call the parties is part of the record once they have profiles. */
const profilesAtIssue = (document: DocumentRecord): { party_profiles?: PartyProfiles } =>
  document.party_profiles === null ? {} : { party_profiles: partyProfilesOf(document) }

/** An agreement that is repaid and closed at once says its content twice. */
const contentOf = rememberingLast(parseContent)

/** `mutable` is its mutable state and `content` its content, where a caller has them already. */
export const sharedState = (
  document: DocumentRecord,
  mutable = mutableState(document),
  content = contentOf(document.content),
) => ({
  connection_id: encodeId('con', document.connection_id),
  document_type: document.type,
  origin: document.origin,
  issuer_number: document.issuer_number,
  issued_at: document.issued_at,
  ...canonicalContent(content),
  ...profilesAtIssue(document),
  ...mutable,
})
