/** Twins: however it is written, a re-issued invoice is the receivable that it was (domain 5.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ReceivableDocument,
  fingerprintsOf,
  receivableOf,
} from '../../src/core/finance/twins.ts'

const document = (issuer_ref: string, more: Partial<ReceivableDocument> = {}) => ({
  issuer_id: '01980000-0000-7000-8000-000000000001',
  counterparty_id: '01980000-0000-7000-8000-000000000002',
  issuer_number: 'INV-000042',
  currency: 'USD',
  total: 1_250_000n,
  document_date: '2026-11-20',
  content: JSON.stringify({ external_refs: { issuer_ref } }),
  ...more,
})

const isTwin = (one: ReceivableDocument, other: ReceivableDocument): boolean => {
  const known = new Set(fingerprintsOf(receivableOf(one)))
  return fingerprintsOf(receivableOf(other)).some((fingerprint) => known.has(fingerprint))
}

/** Letters and numbers by turns, such as INV, 2026 and 42. */
const parts = fc.array(
  fc.record({
    letters: fc.stringMatching(/^[A-Za-zÀ-ÖØ-öÀ-ÿÄÖÜäöüÑñ]{1,4}$/),
    digits: fc.integer({ min: 0, max: 99_999 }),
  }),
  { minLength: 1, maxLength: 3 },
)
const separator = fc.constantFrom('', ' ', '-', '/', '.', '_', '#', '\u00a0', ' – ')

test('domain 5.6: 10,000 re-issued twins (case, spaces, punctuation, zeros) are all recognised', () => {
  const rewritten = fc.record({
    parts,
    separators: fc.array(separator, { minLength: 12, maxLength: 12 }),
    zeros: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
    isLower: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    outside: separator,
  })
  fc.assert(
    fc.property(rewritten, ({ parts: original, separators, zeros, isLower, outside }) => {
      const plain = original.map(({ letters, digits }) => `${letters}${digits}`).join('-')
      const twin = original.map(({ letters, digits }, i) => {
        const cased = isLower[i]! ? letters.toLowerCase() : letters.toUpperCase()
        const number = `${'0'.repeat(zeros[i]!)}${digits}`
        return `${separators[i]!}${cased}${separators[i + 3]!}${number}${separators[i + 6]!}`
      })
      const written = `${outside}${twin.join('')}${outside}`
      assert(isTwin(document(plain), document(written)), `${plain} is ${written}`)
    }),
    { numRuns: 10_000 },
  )
})

test('domain 5.6: a reference is the same wherever its numbers are broken', () => {
  for (const twin of ['2026-42', '2026/0042', '20260042', '2 026 0042', 'inv 2026-42'.slice(4)]) {
    assert(isTwin(document('2026-0042'), document(twin)), twin)
  }
  assert(isTwin(document('INV 4 02'), document('inv402')))
})

test('domain 5.6: other numbers, parties, currencies, totals and dates are no twins', () => {
  const one = document('INV-42')
  for (const other of ['INV-43', 'INV-420', 'INV-402', 'INW-42', 'INV-4.3']) {
    assert(!isTwin(one, document(other)), other)
  }
  const differences: Partial<ReceivableDocument>[] = [
    { issuer_id: one.counterparty_id },
    { counterparty_id: one.issuer_id },
    { currency: 'EUR' },
    { total: 1_250_001n },
    { document_date: '2026-11-21' },
  ]
  for (const more of differences) assert(!isTwin(one, document('INV-42', more)))
  // Without a reference of its own, the number that the service gave it.
  assert(isTwin(document(' - '), document('inv 42')))
})

test('domain 5.6: the digits of every script are those of ASCII', () => {
  const ascii = document('INV 0123456789')
  let run = ''
  let count = 0
  for (let codePoint = 0; codePoint < 0x11_0000; codePoint += 1) {
    const character = String.fromCodePoint(codePoint)
    run = /^\p{Nd}$/u.test(character) ? run + character : ''
    if ([...run].length < 10) continue
    assert(isTwin(ascii, document(`INV ${run}`)), run)
    run = ''
    count += 1
  }
  assert(count > 60)
})
