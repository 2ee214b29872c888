/**
 * The stored form of event envelopes, responses and bodies of history: JSON texts that are kept
 * byte for byte, but mostly repeat what is stored already. In events and responses the document's
 * content becomes a mark, since the document has it. The rest is compressed with a dictionary of
 * what all texts of its kind share, and of what the rows beside the text say.
 *
 * Stored texts outlive the release that wrote them, so a dictionary never changes. A new one gets
 * the next number; its predecessor stays as long as a text can be stored.
 */
import assert from 'node:assert/strict'
import { compressSync, uncompressSync } from 'lz4-napi'
import { limits } from '../contract/limits.ts'
import type { Rows } from '../database/rows.ts'
import { encodeId } from './ids.ts'

/**
 * Stands for a document's content without its braces, as projections splice it in. JSON escapes
 * every control character, so no text contains the mark itself.
 */
export const contentMark = '\u0001'

/** Fragments, not sentences: each ends where a value begins. Frequent values are among them. */
const envelopeFragments = [
  '["acknowledged","approved","disputed","rejected"]["accepted","rejected","cancelled"]',
  '"status":"sent","phase":"pending","status":"expired","phase":"closed","status":"rejected",',
  '"document_type":"purchase_order","direction":"received","label":"Purchase order",',
  '"document_type":"credit_note","label":"Credit note","amount_applied":',
  '"document_type":"quote","label":"Quote","label":"Sales order","label":"Delivery note",',
  '"dispute":{"raised_by":"counterparty","reason_code":"wrong_price","note":"","opened_at":"2026-',
  '","from_status":"submitted"},"allowed_transitions":["acknowledged","cancelled"],"issued_at":',
  '"previous_status":"acknowledged","cause":"valid_until passed","cause":"balance_zero",',
  '"failure":{"code":"payment_failed","message":"The payment did not go through."},',
  '"processing_at":null,"settled_at":null,"failed_at":"scheduled_for":"2026-',
  '"status":"scheduled","status":"processing","status":"failed","method":"card","rail":"stripe",',
  '{"id":"evt_01m","type":"document.created","api_version":"1.15.0","created_at":"2026-',
  '{"id":"evt_01m","type":"document.edited","api_version":"1.15.0","created_at":"2026-',
  'Z","sequence":1,"data":{"document":{"id":"doc_01m","connection_id":"con_01m',
  '","document_type":"invoice","number":"INV-000","issuer_number":"INV-000',
  '","direction":"issued","label":"Invoice","status":"draft","phase":"draft","origin":"app",\u0001',
  ',"amount_paid":0,"amount_credited":0,"balance_due":0,"overdue":true,"payable":false,',
  '"payment":null,"dispute":null,"pledge":null,"metadata":{},"allowed_transitions":["cancelled"],',
  '"issued_at":null,"created_at":"2026-","updated_at":"2026-","revision":1}},"request":',
  '{"id":"evt_01m","type":"document.status_changed","api_version":"1.15.0","created_at":"2026-',
  'Z","sequence":2,"data":{"document":{"id":"doc_01m","connection_id":"con_01m',
  '","document_type":"invoice","number":"BILL-000","issuer_number":"INV-000',
  '","direction":"received","label":"Bill","status":"submitted","phase":"pending","origin":"api",',
  '\u0001,"amount_paid":0,"amount_credited":0,"balance_due":,"overdue":false,"payable":false,',
  '"payment":null,"dispute":null,"allowed_transitions":["acknowledged","approved","disputed",',
  '"rejected"],"issued_at":"2026-Z","created_at":"2026-Z","updated_at":"2026-Z","revision":2},',
  '"previous_status":"draft"},"request":null,"sandbox":true}',
  '"label":"Invoice","status":"approved","phase":"accepted","origin":"api",\u0001',
  '"overdue":false,"payable":true,"payment":null,"dispute":null,"pledge":null,"metadata":{},',
  '"allowed_transitions":["disputed","payment_scheduled","paid"],"issued_at":"2026-',
  '"revision":3},"previous_status":"submitted"},"request":{"id":"req_01m',
  '","idempotency_key":"","key_prefix":"rk_test_dx1_","key_prefix":"rk_live_dx1_"}}',
  '{"id":"evt_01m","type":"payment.settled","api_version":"1.15.0","created_at":"2026-',
  '"status":"paid","phase":"settled","origin":"api",\u0001,"amount_paid":',
  ',"amount_credited":0,"balance_due":0,"overdue":false,"payable":false,"payment":{"id":"pay_01m',
  '","kind":"document_payment","document_id":"doc_01m","connection_id":"con_01m',
  '","direction":"incoming","direction":"outgoing","status":"settled","amount":',
  ',"currency":"USD","currency":"EUR","method":"ach","rail":"simulator","source_account_id":null,',
  '"destination_account_id":"acct_01m","source_account_id":"acct_01m',
  '","destination_account_id":null,"scheduled_for":null,"settlement_reference":"sim_01m',
  '","failure":null,"initiated_by":{"kind":"api_key","organization_id":"org_01m',
  '","key_prefix":"rk_test_dx1_","key_id":"key_01m"},"triggered_by_payment_id":null,',
  '"agreement_id":null,"created_at":"2026-Z","processing_at":"2026-Z","settled_at":"2026-',
  'Z","failed_at":null,"returned_at":null,"updated_at":"2026-Z","sandbox":true},"dispute":null,',
  '"pledge":null,"metadata":{},"allowed_transitions":[],"issued_at":"2026-',
  '"revision":4},"previous_status":"approved"},"request":null,"sandbox":true}',
].join('')

/** The same for canonical JSON, whose keys are sorted. Trials chose the order of the fragments. */
const historyFragments = [
  '"},"set":{"notes":""},"type":"document.edited"}',
  '{"actor":{"kind":"system"},"erased":[{"seq":1,"type":"document.created"},{"seq":2,"type":"',
  '{"actor":{"key_id":"key_01m","key_prefix":"rk_live_dx1_',
  '","kind":"document_payment","status":"settled"},"set":{"amount_paid":"',
  '"},"parties":{"counterparty":"org_01m","issuer":"org_01m',
  '","document_type":"invoice","due_date":"2026-","early_payment":null,"external_refs":[],',
  '{"set":{"direction":"received","label":"Bill","number":"BILL-000',
  '"},"note":"","reason_code":"","set":{"dispute":{"from_status":"submitted","note":"',
  '","tax_rate":"0.08","taxable":""}],"total":"","valid_until":null},"state":"',
  '"payment":{"amount":"","currency":"EUR","id":"pay_01m","kind":"document_payment",',
  '"label":"Purchase order","label":"Sales order","label":"Credit note","label":"Quote",',
  '"},"link":{"direction":"to","peer":{"hash":"","seq":2,"stream":"',
  '","direction":"issued","discount_total":"0.00","document_date":"2026-',
  '"links":[{"direction":"from","peer":{"hash":""}],"type":"link.added"}',
  '{"actor":{"key_id":"key_01m","key_prefix":"rk_test_dx1_',
  '"},"currency":"USD","discount_total":"0.00","dispute":null,"document_date":"2026-',
  '"set":{"amount_credited":"","balance_due":"0.00","status":"fulfilled"},"state":"',
  '"status":"failed"},"set":{"status":"approved"},"type":"payment.failed"}',
  '"external_refs":[["issuer_ref",""]],"issued_at":"2026-Z","issuer":{"name":"',
  '","balance_due":"0.00","status":"paid"},"state":"","type":"payment.settled"}',
  '{"actor":{"key_id":"key_01m"},"set":{"direction":"issued","label":"Invoice","metadata":[],',
  '"number":"INV-000"}}',
  '"},"set":{"status":"cancelled"},"set":{"status":"rejected"},"set":{"status":"accepted"},',
  '"},{"description":""}],"net_days":30,"notes":null,"origin":"api","payment_terms":"Net 30",',
  '"references":[],"status":"submitted","subtotal":"","tax":"","tax_breakdown":[{"tax":"',
  '"},"status":"disputed"},"state":"","set":{"dispute":null,"status":"',
  '","kind":"api_key","organization_id":"org_01m"},"set":{"connection_id":"con_01m',
  '{"actor":{"key_prefix":"rk_test_dx1_","kind":"api_key","organization_id":"org_01m',
  '"document_type":"purchase_order","document_type":"credit_note","document_type":"quote",',
  '"discount_type":"percent","discount_value":"10","tax_category":"',
  '"},"set":{"amount_credited":"0.00","amount_paid":"0.00","balance_due":"',
  '","opened_at":"2026-","raised_by":"counterparty","reason_code":"',
  '"status":"draft","type":"document.created"}',
  '"status":"scheduled"},"set":{"status":"payment_scheduled"},"state":"',
  '"},"payment":{"amount":"","currency":"USD","id":"pay_01m',
  '","connection_id":"con_01m","counterparty":{"name":"","organization_id":"org_01m',
  '"},"set":{"status":"approved"},"state":"","type":"document.status_changed"}',
  '"tax_amount":"","tax_category":null,"tax_rate":"0.08","total":"","unit_price":"',
  '"references":[{"document_id":"doc_01m","rel":"converts"}],"rel":"credits"}',
  '"status":"paid"},"type":"document.status_changed"}',
  '","line_items":[{"description":"","discount":"0.00","discount_type":null,',
  '"discount_value":null,"gross":"","line":1,"net":"","quantity":"1","sku":null,',
  '"}],"metadata":[],"net_days":30,"notes":null,"number":"INV-000',
  '","organization_id":"org_01m"},"issuer_number":"INV-000',
  '"},"relation":"billed_as"},"relation":"credited_by"},"relation":"related_to"},',
].join('')

/** The dictionary of events and responses, and that of history; 0 stands for no compression. */
const envelopeDictionary = 1
export const historyDictionary = 2
const uncompressed = 0

/** By number, which is the first byte of every stored text. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([
  [envelopeDictionary, Buffer.from(envelopeFragments)],
  [historyDictionary, Buffer.from(historyFragments)],
])

/** A shorter text would not get shorter. */
const compressedFromLength = 16

/** The text with the mark in place of a document's content, if it has that content. */
export const markContent = (text: string, content: string): string => {
  const inner = content.slice(1, -1)
  const at = inner === '' ? -1 : text.indexOf(inner)
  return at < 0 ? text : text.slice(0, at) + contentMark + text.slice(at + inner.length)
}

/** The columns of a document that never change after its creation, and that its texts repeat. */
export type KnownDocument = Pick<
  Rows['documents'],
  'id' | 'connection_id' | 'issuer_id' | 'counterparty_id' | 'issuer_number' | 'created_at'
>

/** What the rows beside a text say: it belongs to the dictionary of this one text. */
export const knownText = (document: KnownDocument, event?: KnownEvent): string =>
  knownDocumentText(document) + knownEventText(event)

export type KnownEvent = Pick<Rows['events'], 'id' | 'created_at'>

export const knownEventText = (event?: KnownEvent): string =>
  event === undefined ? '' : encodeId('evt', event.id) + event.created_at

export const knownDocumentText = (document: KnownDocument): string =>
  encodeId('con', document.connection_id) +
  document.issuer_number +
  document.created_at +
  encodeId('org', document.issuer_id) +
  encodeId('org', document.counterparty_id) +
  encodeId('doc', document.id)

/** The stored form of a text in which the mark may stand for a document's content. */
export const compactText = (
  marked: string,
  { dictionary = envelopeDictionary, known = '' }: { dictionary?: number; known?: string } = {},
): Buffer =>
  marked.length < compressedFromLength
    ? numbered(uncompressed, Buffer.from(marked))
    : numbered(dictionary, compressSync(marked, withKnown(dictionary, known)))

const numbered = (dictionary: number, bytes: Uint8Array): Buffer => {
  const stored = Buffer.allocUnsafe(bytes.length + 1)
  stored[0] = dictionary
  stored.set(bytes, 1)
  return stored
}

/** Longer than what is known of any text. */
const knownMaxBytes = 1_024

/** Each dictionary, with room behind it for what is known of one text. */
const extensible: ReadonlyMap<number, Buffer> = new Map(
  [...dictionaries].map(([number, dictionary]) => [
    number,
    Buffer.concat([dictionary, Buffer.alloc(knownMaxBytes)]),
  ]),
)

/** To be used at once: the next text overwrites what was known of this one. */
const withKnown = (number: number, known: string): Buffer => {
  const dictionary = dictionaries.get(number)!
  if (known === '') return dictionary
  // A character of UTF-16 has at most three bytes in UTF-8.
  assert(known.length * 3 <= knownMaxBytes, 'what is known of a text is short')
  const extended = extensible.get(number)!
  return extended.subarray(0, dictionary.length + extended.write(known, dictionary.length))
}

/**
 * The text of a stored form, with the content that the document had then. `known` is what it was
 * compressed with.
 */
export const fullText = (stored: Uint8Array, content: string | null, known = ''): string => {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset + 1, stored.length - 1)
  const marked = stored[0] === uncompressed ? bytes.toString() : expand(bytes, stored[0]!, known)
  return withContent(marked, content)
}

/** The text in which the mark stands for the content, if it does. */
const withContent = (marked: string, content: string | null): string =>
  contentParts(marked, content).join('')

/** The same in its parts, of which none is a copy. */
export const contentParts = (marked: string, content: string | null): readonly string[] => {
  const at = marked.indexOf(contentMark)
  if (at < 0) return [marked]
  assert(content, 'a stored text shows a document whose content is missing')
  return [marked.slice(0, at), content.slice(1, -1), marked.slice(at + 1)]
}

/** The first four bytes are the length of the text, for which memory is allocated. */
const expand = (compressed: Buffer, number: number, known: string): string => {
  assert(dictionaries.has(number), 'this text was stored by a newer release')
  const length = compressed.readUInt32LE()
  assert(length <= limits.storedTextMaxBytes, 'a stored text is too long')
  const text = uncompressSync(compressed, withKnown(number, known))
  assert.equal(text.length, length, 'a stored text is cut short')
  return text.toString()
}
