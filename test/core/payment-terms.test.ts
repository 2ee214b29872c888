/** Payment terms (domain 3.5). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addDays } from '../../src/core/dates.ts'
import {
  type PaymentTerms,
  type TermsInput,
  deriveTerms,
  redateTerms,
  termsWarnings,
} from '../../src/core/documents/payment-terms.ts'
import { termsBounds } from '../../src/core/documents/terms-problems.ts'
import vectors from '../vectors/payment-terms.json' with { type: 'json' }

const samples = process.env['LONG'] ? 200_000 : 5_000
const documentDate = '2026-01-31'

const daysUntil = (due: string): number => Temporal.PlainDate.from(documentDate).until(due).days

function termsOf(input: Partial<TermsInput>): PaymentTerms {
  const result = deriveTerms({ document_date: documentDate, ...input })
  assert(result.ok)
  const { ok: _, ...terms } = result
  return terms
}

function refusalsOf(input: Partial<TermsInput>): string[] {
  const result = deriveTerms({ document_date: documentDate, ...input })
  assert(!result.ok, 'these terms must be refused')
  assert(result.problems.every(({ message, fix }) => /\.$/.test(message) && /[^.]$/.test(fix!)))
  return result.problems.map(({ param, code }) => `${param} ${code}`)
}

for (const { payment_terms, document_date, expected } of vectors.cases) {
  test(`3.5 "${payment_terms}" from ${document_date} is due on ${expected.due_date}`, () => {
    const { form: _, ...terms } = termsOf({ payment_terms, document_date })
    assert.deepEqual(terms, { payment_terms, ...expected })
  })
}

for (const { payment_terms, document_date } of vectors.refused) {
  test(`3.5 "${payment_terms}" from ${document_date} is refused`, () => {
    assert.match(refusalsOf({ payment_terms, document_date }).join(), /^\/payment_terms \w+$/)
  })
}

for (const { due_date, document_date, payment_terms } of vectors.derived_from_due_date) {
  test(`3.5 a due date ${due_date} from ${document_date} derives "${payment_terms}"`, () => {
    const terms = termsOf({ due_date, document_date })
    assert.deepEqual([terms.payment_terms, terms.due_date], [payment_terms, due_date])
    assert.equal(terms.form, 'date')
  })
}

// text → due date from 2026-01-31, null for words that fit no form
const texts: [string, string | null][] = [
  ['net30', '2026-03-02'],
  ['  NET   30  ', '2026-03-02'],
  ['Net_30', '2026-03-02'],
  ['net_30_eom', '2026-03-02'],
  ['1 day', '2026-02-01'],
  ['Net 365', '2027-01-31'],
  ['Net 366', '2027-02-01'],
  ['Due 2027-02-01', '2027-02-01'],
  ['360 EOM', '2027-01-26'],
  ['366 EOM', '2027-02-01'],
  ['30 days EOM', '2026-03-02'],
  ['Net 0 EOM', '2026-01-31'],
  ['eom', '2026-01-31'],
  ['upon receipt', documentDate],
  ['IMMEDIATE', documentDate],
  ['cod', documentDate],
  ['due_on_receipt', documentDate],
  ['DUE 2026-02-15', '2026-02-15'],
  ['Net-30', '2026-03-02'],
  ['N30', '2026-03-02'],
  ['Net 30 days.', '2026-03-02'],
  ['Net 30 days EOM', '2026-03-02'],
  ['15 EOM', '2026-02-15'],
  ['30 days end of month', '2026-03-02'],
  ['END OF MONTH', documentDate],
  ['On receipt', documentDate],
  ['Due upon receipt', documentDate],
  ['Due immediately', documentDate],
  ['by 2026-03-01', '2026-03-01'],
  ['Due By 2026-03-01', '2026-03-01'],
  ['due on 2026-03-01', '2026-03-01'],
  ['2026-01-31', documentDate],
  ['2 % 10 , net 30', '2026-03-02'],
  ['2% 10, net 30', '2026-03-02'],
  ['1.5/10 net 30', '2026-03-02'],
  ['1.2345/10 net 30', '2026-03-02'],
  ['100/30 net 30', '2026-03-02'],
  ['Net', null],
  ['Net 30.5', null],
  ['Net -1', null],
  ['Net thirty', null],
  ['2026-2-15', null],
  ['Net #', null],
  ['Net 1,000', null],
  ['30', null],
  ['30-60 days', null],
  ['2026-02-15 or 2026-02-16', null],
  ['Payable in two instalments', null],
  ['Nach Vereinbarung', null],
]

test('3.5 terms are read regardless of case, blanks and underscores, and stored verbatim', () => {
  for (const [payment_terms, due] of texts) {
    const terms = termsOf({ payment_terms })
    assert.equal(terms.due_date, due, payment_terms)
    assert.equal(terms.payment_terms, payment_terms)
    assert.equal(terms.net_days, due === null ? null : daysUntil(due))
  }
})

test('3.5, contract 11: a discount period longer than net keeps the text, without dates', () => {
  const terms = termsOf({ payment_terms: '2/40 net 30' })
  const none = { net_days: null, due_date: null, early_payment: null, form: 'text' }
  assert.deepEqual(terms, { payment_terms: '2/40 net 30', ...none })
  const [warning, ...others] = termsWarnings(terms)
  assert.deepEqual([warning?.code, others], ['early_period_too_long', []])
  const due = { payment_terms: '2/40 net 30', due_date: '2026-03-02' }
  assert.equal(termsOf(due).payment_terms, '2/40 net 30')
  const moved = redateTerms(termsOf(due), '2026-02-05')
  assert(moved.ok)
  assert.deepEqual([moved.payment_terms, moved.due_date], ['2/40 net 30', '2026-03-02'])
})

test('contract 12: a text that names no due date is warned about, unless one was sent', () => {
  const codesOf = (input: Partial<TermsInput>) =>
    termsWarnings(termsOf(input)).map(({ code }) => code)
  assert.deepEqual(codesOf({ payment_terms: 'Payable on delivery' }), ['no_due_date'])
  const dated = { payment_terms: 'Payable on delivery', due_date: '2026-02-15' }
  for (const input of [dated, { payment_terms: '2/10 net 30' }, { due_date: '2026-02-15' }, {}]) {
    assert.deepEqual(codesOf(input), [])
  }
})

test('3.5 an early payment discount counts from the document date', () => {
  const early = termsOf({ payment_terms: '1.5/10 net 30' }).early_payment
  assert.deepEqual(early, { percent: 1.5, days: 10, until: '2026-02-10' })
})

// refused input → the field and code of each problem
const refused: [Partial<TermsInput>, string[]][] = [
  [{ payment_terms: 'Net 367' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '367 days' }, ['/payment_terms out_of_range']],
  [{ payment_terms: 'Due 2027-02-02' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '367 EOM' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '337 EOM', document_date: '2026-01-01' }, ['/payment_terms out_of_range']],
  [{ payment_terms: 'Net 400 EOM' }, ['/payment_terms out_of_range']],
  [{ payment_terms: `Net ${'9'.repeat(30)}` }, ['/payment_terms out_of_range']],
  [{ payment_terms: '2/10 net 400' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '101/10 net 30' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '2.00001/10 net 30' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '400 EOM' }, ['/payment_terms out_of_range']],
  [{ payment_terms: 'innerhalb von 400 Tagen' }, ['/payment_terms out_of_range']],
  [{ payment_terms: 'vence el 2026-01-30' }, ['/payment_terms out_of_range']],
  [{ payment_terms: 'Due 2026-02-30' }, ['/payment_terms invalid_value']],
  [{ payment_terms: '2026-13-01' }, ['/payment_terms invalid_value']],
  [{ payment_terms: 'Due 2026-01-30' }, ['/payment_terms out_of_range']],
  [{ payment_terms: '  ' }, ['/payment_terms invalid_value']],
  [{ payment_terms: 'é'.repeat(201) }, ['/payment_terms too_long']],
  [{ due_date: '2026-02-30' }, ['/due_date invalid_value']],
  [{ due_date: '02/15/2026' }, ['/due_date invalid_value']],
  [{ due_date: '2026-01-30' }, ['/due_date out_of_range']],
  [{ due_date: '2027-02-02' }, ['/due_date out_of_range']],
  [{ payment_terms: 'Net 30', due_date: '2026-03-03' }, ['/due_date invalid_value']],
  [{ payment_terms: 'Due 2026-03-02', due_date: '2026-03-03' }, ['/due_date invalid_value']],
  [
    { payment_terms: 'Net 400', due_date: '2026-02-30' },
    ['/payment_terms out_of_range', '/due_date invalid_value'],
  ],
]

for (const [input, expected] of refused) {
  test(`3.5 ${JSON.stringify(input).slice(0, 70)} is refused with ${expected.join(', ')}`, () => {
    assert.deepEqual(refusalsOf(input), expected)
  })
}

test('3.5 the text has at most 200 characters, counted as code points', () => {
  const words = '😀'.repeat(termsBounds.textCharacters)
  assert.equal(termsOf({ payment_terms: words }).payment_terms, words)
})

test('3.5 text and date are accepted when they agree, and the text decides the form', () => {
  const both = termsOf({ payment_terms: 'Net 30', due_date: '2026-03-02' })
  assert.deepEqual([both.form, both.net_days, both.due_date], ['text', 30, '2026-03-02'])
  const date = termsOf({ payment_terms: 'Due 2026-12-02', due_date: '2026-12-02' })
  assert.deepEqual([date.form, date.net_days], ['date', 305])
})

test('3.5 words that fit no form derive no date, so any due date agrees with them', () => {
  const terms = termsOf({ payment_terms: 'Payable on delivery', due_date: '2026-03-02' })
  assert.deepEqual(terms, {
    payment_terms: 'Payable on delivery',
    net_days: 30,
    due_date: '2026-03-02',
    early_payment: null,
    form: 'date',
  })
})

test('3.5 without text and date there are no terms, and the caller supplies the default', () => {
  const none = { payment_terms: null, net_days: null, due_date: null, early_payment: null }
  assert.deepEqual(termsOf({}), { ...none, form: 'none' })
  assert.deepEqual(termsOf({ payment_terms: null, due_date: null }), { ...none, form: 'none' })
})

test('contract 11: what bounds a due date is its distance, however its text counts', () => {
  const onTheFirst = { payment_terms: '336 EOM', document_date: '2026-01-01' }
  assert.deepEqual(
    [termsOf(onTheFirst).net_days, termsOf(onTheFirst).due_date],
    [366, '2027-01-02'],
  )
  const moved = redateTerms(termsOf({ payment_terms: '366 EOM' }), '2026-03-01')
  assert(moved.ok, 'a text that was accepted stays valid when the document date moves')
  assert.equal(moved.due_date, '2027-04-01')
})

// input on 2026-01-31, issued on → text, days, due date
const redatings: [Partial<TermsInput>, string, [string | null, number | null, string | null]][] = [
  [{ payment_terms: 'Net 30' }, '2026-02-05', ['Net 30', 30, '2026-03-07']],
  [{ payment_terms: 'EOM' }, '2028-02-10', ['EOM', 19, '2028-02-29']],
  [{ payment_terms: '2/10 net 30' }, '2026-02-05', ['2/10 net 30', 30, '2026-03-07']],
  [{ payment_terms: 'cod' }, '2026-02-05', ['cod', 0, '2026-02-05']],
  [{ payment_terms: 'On delivery' }, '2026-02-05', ['On delivery', null, null]],
  [{}, '2026-02-05', [null, null, null]],
  [{ payment_terms: 'Due 2026-02-15' }, '2026-02-05', ['Due 2026-02-15', 10, '2026-02-15']],
  [{ due_date: '2026-02-15' }, '2026-02-05', ['Net 10', 10, '2026-02-15']],
  [{ due_date: '2026-02-15' }, '2026-02-15', ['Due on receipt', 0, '2026-02-15']],
  [{ due_date: '2026-01-31' }, '2026-01-30', ['Net 1', 1, '2026-01-31']],
  [{ due_date: '2027-02-01' }, '2026-01-31', ['Net 366', 366, '2027-02-01']],
  [{ due_date: '2027-02-01' }, '2026-01-30', ['Due 2027-02-01', 367, '2027-02-01']],
  [{ due_date: '2026-02-15' }, '2025-01-01', ['Due 2026-02-15', 410, '2026-02-15']],
  [
    { payment_terms: 'On delivery', due_date: '2026-02-15' },
    '2026-02-05',
    ['On delivery', 10, '2026-02-15'],
  ],
]

for (const [input, issued, expected] of redatings) {
  test(`3.5 ${JSON.stringify(input)} issued on ${issued} becomes ${expected.join(', ')}`, () => {
    const terms = redateTerms(termsOf(input), issued)
    assert(terms.ok)
    assert.deepEqual([terms.payment_terms, terms.net_days, terms.due_date], expected)
    assert.equal(terms.form, termsOf(input).form)
  })
}

test('3.5 the early payment day moves with the document date', () => {
  const terms = redateTerms(termsOf({ payment_terms: '2/10 net 30' }), '2026-02-05')
  assert(terms.ok)
  assert.equal(terms.early_payment?.until, '2026-02-15')
})

test('3.5 a due date already past at issue is reported as terms_date_past', () => {
  const past = { ok: false, reason: 'terms_date_past', due_date: '2026-02-15' }
  const byText = termsOf({ payment_terms: 'Due 2026-02-15' })
  assert.deepEqual(redateTerms(byText, '2026-02-16'), past)
  assert.deepEqual(redateTerms({ ...byText, due_date: null }, '2026-02-16'), past)
  assert.deepEqual(redateTerms(termsOf({ due_date: '2026-02-15' }), '2026-02-16'), past)
})

const dates = fc
  .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2060, 0, 1) })
  .map((milliseconds) => new Date(milliseconds).toISOString().slice(0, 10))

test('3.5 terms derived from a due date derive the same due date', () => {
  const property = fc.property(dates, fc.nat({ max: 365 }), (date, days) => {
    const due = addDays(date, days)
    const terms = termsOf({ due_date: due, document_date: date })
    const back = termsOf({ payment_terms: terms.payment_terms, document_date: date })
    assert.deepEqual([back.due_date, back.net_days], [due, days])
  })
  fc.assert(property, { numRuns: samples })
})

test('3.5 no text throws, neither when it is parsed nor when it is redated', () => {
  const words = fc.constantFrom('net', 'eom', 'due', '2026-02-15', 'days', '30', '%', '/', '_', ' ')
  const text = fc.oneof(
    fc.string(),
    fc.array(words).map((parts) => parts.join('')),
  )
  const property = fc.property(text, dates, dates, (payment_terms, date, issued) => {
    const terms = deriveTerms({ payment_terms, document_date: date })
    if (terms.ok) redateTerms(terms, issued)
  })
  fc.assert(property, { numRuns: samples })
})
