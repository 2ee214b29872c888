/** The words by which a document is found (contract 8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchableWords } from '../../src/core/documents/search-terms.ts'

const wordsOf = (notes: string): string[] => {
  const content = {
    notes,
    line_items: [],
    external_refs: { issuer_ref: 'SO-2026-0117' },
    issuer: { name: 'Bäckerei Süß' },
    counterparty: { name: 'Ørsted & Cie' },
  }
  const fields = {
    side: 'issuer',
    number: 'INV-000042',
    issuer_number: 'INV-000042',
    currency: 'EUR',
    content: JSON.stringify(content),
    total: 1_050n,
    payment_amounts: null,
  }
  return [...searchableWords(fields)]
}

test('a document has the same words whatever documents came before it', () => {
  const long = 'a-1'.repeat(1_000)
  const texts = ['OAK180', 'oak180', long, `${long}b`, 'Süß', 'suss']
  const before = texts.map(wordsOf)
  // More different words than the process remembers.
  for (let i = 0; i < 5_000; i += 1) assert(wordsOf(`X-${i}`).includes(`#x${i}`))
  assert.deepEqual(texts.map(wordsOf), before)
  assert.deepEqual(texts.map(wordsOf), before)
  assert(before[0]!.includes('oak') && before[0]!.includes('#inv42'))
  assert.notDeepEqual(before[2], before[3])
})
