/**
 * The stored form of event envelopes and responses: JSON texts that are kept byte for byte, but
 * mostly repeat what is stored already. The document's content becomes a mark, since the document
 * has it, and the rest is compressed with a dictionary of what all these texts share.
 *
 * Stored texts outlive the release that wrote them, so a dictionary never changes. A new one gets
 * the next number; its predecessor stays as long as a text can be stored.
 */
import assert from 'node:assert/strict'
import { compressSync, uncompressSync } from 'lz4-napi'
import { limits } from '../contract/limits.ts'

/**
 * Stands for a document's content without its braces, as projections splice it in. JSON escapes
 * every control character, so no text contains the mark itself.
 */
export const contentMark = '\u0001'

/** Fragments, not sentences: each ends where a value begins. Frequent values are among them. */
const firstDictionary = [
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

/** By number, which is the first byte of every stored text. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([
  [1, Buffer.from(firstDictionary)],
])
const newest = Math.max(...dictionaries.keys())
const newestDictionary = dictionaries.get(newest)!
const prefix = Buffer.of(newest)

/** The text with the mark in place of a document's content, if it has that content. */
export const markContent = (text: string, content: string): string => {
  const inner = content.slice(1, -1)
  const at = inner === '' ? -1 : text.indexOf(inner)
  return at < 0 ? text : text.slice(0, at) + contentMark + text.slice(at + inner.length)
}

/** The stored form of a text in which the mark may stand for a document's content. */
export const compactText = (marked: string): Buffer =>
  Buffer.concat([prefix, compressSync(marked, newestDictionary)])

/** The text of a stored form, with the content that the document had then. */
export const fullText = (stored: Uint8Array, content: string | null): string => {
  const dictionary = dictionaries.get(stored[0]!)
  assert(dictionary, 'this text was stored by a newer release')
  const marked = expand(
    Buffer.from(stored.buffer, stored.byteOffset + 1, stored.length - 1),
    dictionary,
  )
  const at = marked.indexOf(contentMark)
  if (at < 0) return marked
  assert(content, 'a stored text shows a document whose content is missing')
  return marked.slice(0, at) + content.slice(1, -1) + marked.slice(at + 1)
}

/** The first four bytes are the length of the text, for which memory is allocated. */
const expand = (compressed: Buffer, dictionary: Buffer): string => {
  const length = compressed.readUInt32LE()
  assert(length <= limits.storedTextMaxBytes, 'a stored text is too long')
  const text = uncompressSync(compressed, dictionary)
  assert.equal(text.length, length, 'a stored text is cut short')
  return text.toString()
}
