/** Unknown fields, parameters and values are refused with a suggestion (contract 1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { closestMatch } from '../../src/core/did-you-mean.ts'

const names = [
  'type',
  'connection_id',
  'status',
  'since',
  'until',
  'updated_since',
  'phase',
  'limit',
  'cursor',
  'line_items',
  'tax_rate',
  'tax_category',
  'unit_price',
  'quantity',
  'description',
  'currency',
  'notes',
  'payment_terms',
  'external_refs',
  'metadata',
  'document_date',
  'due_date',
  'to',
  'id',
]

// word                             suggestion
const near: [string, string][] = [
  ['taxRate', 'tax_rate'],
  ['taxrate', 'tax_rate'],
  ['tax-rate', 'tax_rate'],
  ['TAX_RATE', 'tax_rate'],
  ['TaxRate', 'tax_rate'],
  ['_tax__rate_', 'tax_rate'],
  ['tax_rte', 'tax_rate'],
  ['tax_raet', 'tax_rate'],
  ['txa_rtae', 'tax_rate'],
  ['tax_rates', 'tax_rate'],
  ['lineItem', 'line_items'],
  ['line_itmes', 'line_items'],
  ['lines_items', 'line_items'],
  ['unitprice', 'unit_price'],
  ['quantiy', 'quantity'],
  ['qantitty', 'quantity'],
  ['Currency', 'currency'],
  ['curency', 'currency'],
  ['note', 'notes'],
  ['staus', 'status'],
  ['tpye', 'type'],
  ['typ', 'type'],
  ['untill', 'until'],
  ['meta_data', 'metadata'],
  ['dueDate', 'due_date'],
  ['duedat', 'due_date'],
  ['connectionId', 'connection_id'],
  ['ID', 'id'],
  ['To', 'to'],
  ['document_type', 'type'],
  ['invoice-currency', 'currency'],
]

test('1 a near name is suggested despite differences in case, hyphens and typos', () => {
  for (const [word, expected] of near) {
    assert.equal(closestMatch(word, names), expected, word)
  }
})

test('1 a far, short or very long word gets no suggestion', () => {
  const far = '_ - x ti if tx foo amount quality_of rate txrt price external_reference'.split(' ')
  for (const word of ['', ...far, 'tax_rate'.repeat(9), 'x'.repeat(1_000_000)]) {
    assert.equal(closestMatch(word, names), undefined, word.slice(0, 40))
  }
  assert.equal(closestMatch('tax_rate', []), undefined)
  assert.equal(closestMatch('paymnt_trms', names), 'payment_terms')
  assert.equal(
    closestMatch('paymnt_trmx', names),
    undefined,
    'three errors are too many for any word',
  )
})

test('1 the nearest of several wins, and the first among equals', () => {
  assert.equal(closestMatch('statsu', ['stats', 'status', 'state']), 'stats')
  assert.equal(closestMatch('accepted', ['excepted', 'accepted', 'accented']), 'accepted')
  assert.equal(closestMatch('since', ['sinc', 'since_', 'since']), 'since_')
  assert.equal(closestMatch('bat_x', ['cat_x', 'rat_x']), 'cat_x')
})

test('1 names of prototype members are ordinary words', () => {
  for (const word of ['__proto__', 'constructor', 'toString']) {
    assert.equal(closestMatch(word, names), undefined)
  }
  assert.equal(closestMatch('constructer', ['constructor']), 'constructor')
})

test('1 a name of four or more characters is always suggested for a single typo', () => {
  const long = names.filter((name) => name.length >= 4)
  const letter = fc.stringMatching(/^[a-z]$/)
  fc.assert(
    fc.property(
      fc.constantFrom(...long),
      fc.nat(),
      letter,
      fc.nat(3),
      (name, place, extra, kind) => {
        const at = place % name.length
        const [before, here, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)]
        const words = [
          before + after,
          before + extra + here + after,
          before + extra + after,
          before + after.charAt(0) + here + after.slice(1),
        ]
        assert.ok(closestMatch(words[kind] ?? name, [name]) === name)
      },
    ),
  )
})
