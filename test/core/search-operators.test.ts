/** The operators in the text of a search (console 4, docs/decisions/0170). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch, searchOperators } from '../../src/core/documents/search-operators.ts'

const shown = (text: string): string[] =>
  parseSearch(text).restrictions.map(({ shown: one }) => one)

test('a text without colon, minus and quotes is its own words, whatever it is', () => {
  const alphabet = [...'ab É9ß.,/#€<>=_(\u00a0\t’']
  for (let seed = 1; seed <= 500; seed += 1) {
    const text = Array.from(
      { length: seed % 23 },
      (_, i) => alphabet[(seed * (i + 7) * 2_654_435 + i * i) % alphabet.length]!,
    ).join('')
    assert.deepEqual(parseSearch(text), { text, restrictions: [], problems: [] })
  }
})

test('times, references, addresses, dashes and lone quotes stay text', () => {
  for (const text of [
    '12:30',
    'at 12:30 sharp',
    'https://example.com/a?b=c',
    'S2:4711',
    'SO-2026:17',
    ':x',
    'SKU-9',
    'oak - planed',
    '-',
    '--',
    '""',
    '5" by 6"',
    'a"b c"',
    'Note: ring',
    'ref_no:4',
  ]) {
    assert.deepEqual(parseSearch(text), { text, restrictions: [], problems: [] }, text)
  }
})

test('operators are found anywhere, in any case, with values in quotes', () => {
  const parsed = parseSearch('oak STATUS:Paid,approved boards party:"Harbour Café" -"two words" -x')
  assert.deepEqual(parsed.problems, [])
  assert.equal(parsed.text, 'oak boards')
  assert.deepEqual(parsed.restrictions, [
    { operator: 'status', values: ['paid', 'approved'], shown: 'status:Paid,approved' },
    { operator: 'party', text: 'Harbour Café', shown: 'party:Harbour Café' },
    { operator: 'without', text: 'two words', isPhrase: true, shown: '-"two words"' },
    { operator: 'without', text: 'x', isPhrase: false, shown: '-x' },
  ])
  assert.deepEqual(shown('"oak boards" -https://example.com'), [
    '"oak boards"',
    '-https://example.com',
  ])
})

test('amounts and dates are compared', () => {
  const totals = ['1000', '=1000', '<1000', '<=1.000,00', '>1,000.00', '>="EUR 1000"']
  assert.deepEqual(
    totals.map((value) => {
      const [found] = parseSearch(`total:${value}`).restrictions
      assert(found?.operator === 'total')
      return [found.comparison, found.minor, found.currency]
    }),
    ['=', '=', '<', '<=', '>', '>='].map((sign) => [sign, 100_000n, sign === '>=' ? 'EUR' : '']),
  )
  const [due] = parseSearch('due:<2028-02-29').restrictions
  assert(due?.operator === 'due')
  assert.deepEqual([due.comparison, due.date], ['<', '2028-02-29'])
})

test('an unknown operator names the legal ones, and the one that was meant', () => {
  for (const text of ['statsu:paid', '-statsu:paid', 'oak statsu:"paid"']) {
    const [problem] = parseSearch(text).problems
    for (const name of searchOperators) assert(problem?.message.includes(`${name}:`), text)
    assert.match(problem?.fix ?? '', /did you mean status:\?/)
  }
  assert.match(parseSearch('PO:4711').problems[0]!.fix, /"PO:4711" in quotes/)
})

test('an illegal value names the legal ones', () => {
  for (const [text, legal] of [
    ['status:aproved', /did you mean approved\?/],
    ['status:', /draft, submitted/],
    ['type:connection', /invoice/],
    ['currency:JPY', /USD, EUR, GBP, CAD/],
    ['is:late', /overdue, draft/],
    ['number:', /a word/],
    ['party:---', /a word/],
    ['total:many', /an amount/],
    ['total:"12 13"', /an amount/],
    ['due:2026-02-30', /a date/],
    ['due:tomorrow', /a date/],
    ['-status:paid', /leave the minus out/],
  ] as const) {
    const { problems } = parseSearch(text)
    assert.equal(problems.length, 1, text)
    assert.match(problems[0]!.fix, legal)
  }
})
