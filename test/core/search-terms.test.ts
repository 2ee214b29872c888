/** The words by which a document is found (contract 8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountWord } from '../../src/core/documents/search-amounts.ts'
import {
  matchesQuery,
  queryWords,
  searchQueryOf,
  searchableWords,
} from '../../src/core/documents/search-terms.ts'
import { bestMatchOf } from '../../src/core/search-ranking.ts'

const wordsOf = (notes: string, lines: readonly string[] = []): string[] => {
  const content = {
    notes,
    line_items: lines.map((description) => ({ description, sku: null })),
    external_refs: { issuer_ref: 'SO-2026-0117' },
    issuer: { name: 'Bäckerei Süß' },
    counterparty: { name: 'Ørsted & Cie' },
  }
  const fields = {
    side: 'issuer' as const,
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
  const before = texts.map((text) => wordsOf(text))
  // More different words than the process remembers.
  for (let i = 0; i < 5_000; i += 1) assert(wordsOf(`X-${i}`).includes(`#x${i}`))
  assert.deepEqual(
    texts.map((text) => wordsOf(text)),
    before,
  )
  assert.deepEqual(
    texts.map((text) => wordsOf(text)),
    before,
  )
  assert(before[0]!.includes('oak') && before[0]!.includes('#inv42'))
  assert.notDeepEqual(before[2], before[3])
})

for (const unit of ['a-1-', '\u{fdfa}', '½', '山田', 'DE12 ']) {
  test(`the longest lines cost little, whatever they repeat: ${unit}`, () => {
    const lines = Array.from({ length: 200 }, (_, i) => `${i}${unit.repeat(1_000)}`.slice(0, 1_000))
    const before = process.cpuUsage()
    assert(wordsOf('', lines).includes('#inv42'))
    const { user, system } = process.cpuUsage(before)
    assert(user + system < 500_000, `${(user + system) / 1_000_000} s of this processor`)
  })
}

const finds = (query: string, notes: string): boolean =>
  matchesQuery(new Set(wordsOf(notes)), searchQueryOf(queryWords(query), [], 'document'))

for (const [query, notes] of [
  ['ΘΕΣ', 'Αποθήκη Θεσσαλονίκης'],
  ['IŞIK', 'ışık lamba'],
  ['lodz', 'Łódź'],
  ['SORENSEN', 'Sørensen'],
  ['aeblegrod', 'Æblegrød'],
  ['Oeuvre', 'œuvre'],
  ['GROSSE', 'Große Kiste'],
] as const) {
  test(`${query} finds ${notes}: letters are compared in their plain form`, () => {
    assert(finds(query, notes))
    assert(finds(notes, notes))
  })
}

for (const [query, notes] of [
  ['山田', '株式会社山田商店'],
  ['タワー', '東京タワー入場券'],
  ['ไทย', 'บริษัทไทย'],
  ['商店', `${'納品先'.repeat(30)}山田商店2026`],
  ['山田商店2026', '株式会社山田商店2026年'],
  ['abc', '株式会社ABC商事'],
  ['2026', '第2026号'],
  ['京都2-3', '東京都2-3-1'],
] as const) {
  test(`${query} is found where no spaces separate words: ${notes}`, () => {
    assert(finds(query, notes))
    assert(!finds(`${query}水`, notes))
  })
}

test('an IBAN is found in groups and as one word, however it is searched', () => {
  const [grouped, compact] = ['DE89 3704 0044 0532 0130 00', 'DE89370400440532013000']
  const apart = grouped.replace(' ', '  ').replace(' 0532', '\n0532').replace(' 00', '\u202f00')
  const texts = [compact, grouped, `IBAN: ${grouped} bis Freitag`, apart]
  for (const query of [grouped, compact, compact.toLowerCase()])
    for (const notes of texts) assert(finds(query, notes), `${query} in ${notes}`)
  assert(!finds(grouped, 'DE02120300000000202051'))
  assert(finds('DE89 3704', grouped), 'its groups are words as well')
})

test('an IBAN in groups is found whatever short words and IBANs are beside it', () => {
  const [first, second] = ['DE89 3704 0044 0532 0130 00', 'FR14 2004 1010 0505 0001 3M02 606']
  for (const notes of [`${first} ${second}`, `RE12 is for ${first} and ${second} in May`])
    for (const iban of [first, second]) {
      assert(finds(iban, notes), `${iban} in ${notes}`)
      assert(finds(iban.replaceAll(' ', ''), notes), `${iban} in ${notes}`)
    }
})

test('a number with blanks between its thousands finds the amount and the text', () => {
  const total = new Set([amountWord('document', 1_250_000n, 'EUR')])
  const matches = (query: string) =>
    matchesQuery(total, searchQueryOf(queryWords(query), [], 'document'))
  for (const query of [
    '12 500,00',
    '12 500',
    '12 500,00 EUR',
    '12\u00a0500,00',
    '12\u202f500,00',
  ]) {
    assert(matches(query), query)
    assert.equal(bestMatchOf(query, [{ ...searched, kind: 'amount' }])?.field, 'total', query)
  }
  assert(!matches('12 500,01') && !matches('12 500,00 USD'))
  assert(finds('12 500,00', 'Rest: 12 500,00 EUR'))
})

const searched = { field: 'total', value: '12500.00 EUR' }

test('a word of a script with spaces is found by its beginning only', () => {
  assert(!finds('lager', 'Hochlager'))
})
