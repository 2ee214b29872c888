/** The forms of payment terms in four languages (specification 2.1, domain 3.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  type TermsForm,
  type TermsLanguage,
  termsForms,
  termsLanguages,
} from '../../src/contract/terms-forms.ts'
import { addDays } from '../../src/core/dates.ts'
import { deriveTerms, namesDueDate, statedDueDate } from '../../src/core/documents/payment-terms.ts'
import { matchTerms, writtenTerms } from '../../src/core/documents/terms-forms.ts'

const samples = process.env['LONG'] ? 200_000 : 5_000
const languages = Object.keys(termsLanguages) as TermsLanguage[]

const derived = (payment_terms: string, document_date: string) => {
  const terms = deriveTerms({ payment_terms, document_date })
  assert(terms.ok, payment_terms)
  return terms
}

const phrases = termsForms.flatMap((form) =>
  languages.flatMap((language) =>
    form.phrases[language].map((phrase) => ({ form, language, phrase })),
  ),
)

interface Values {
  days: number
  early: number
  percent: number
  date: string
}

const write = ({ language, phrase }: (typeof phrases)[number], values: Values): string =>
  writtenTerms(phrase, language, {
    days: String(values.days),
    early: String(values.early),
    percent: String(values.percent),
    date: values.date,
  })

/** The last day of the month, by another calendar than the one of the code. */
const lastDayOfMonth = (date: string): string => {
  const [year, month] = date.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}

/** When the phrase is due, as the table says. */
const dueOf = (form: TermsForm, phrase: string, documentDate: string, values: Values): string => {
  if (form.from === 'date') return values.date
  const start = form.from === 'month_end' ? lastDayOfMonth(documentDate) : documentDate
  return /\{(days|period)\}/.test(phrase) ? addDays(start, values.days) : start
}

const values: Values = { days: 45, early: 10, percent: 2.5, date: '2026-03-01' }

for (const form of termsForms) {
  for (const language of languages) {
    const [first] = form.phrases[language]
    test(`3.5 ${termsLanguages[language]}: "${first}" and its variants are due ${form.due}`, () => {
      for (const row of phrases) {
        if (row.form !== form || row.language !== language) continue
        const text = write(row, values)
        const terms = derived(text, '2026-01-31')
        assert.equal(terms.due_date, dueOf(form, row.phrase, '2026-01-31', values), text)
        assert.equal(terms.payment_terms, text, 'stored as sent')
        const hasDiscount = row.phrase.includes('{percent}')
        const early = { percent: 2.5, days: 10, until: '2026-02-10' }
        assert.deepEqual(terms.early_payment, hasDiscount ? early : null, text)
        assert.equal(matchTerms(text)!.form, form, 'no other form takes the text')
      }
    })
  }
}

test('3.5 the forms that people write have the same due date in every language', () => {
  const rows: [string, ...string[]][] = [
    ['2026-03-02', 'Net 30 days', 'netto 30 Tage', 'net 30 jours', 'neto 30 días'],
    ['2026-03-02', 'Net-30', 'Netto-30', 'NET 30', 'Neto 30'],
    ['2026-03-02', '30 days', '30 TAGE', '30 jours', '30 dias'],
    ['2026-03-02', 'Net 30 days EOM', '30 Tage Monatsende', '30 jours fin de mois'],
    ['2026-03-02', 'N30 EOM', '30 days net EOM', '30 Tage zum Monatsende', '30 jours FDM'],
    ['2026-03-02', 'Net–30', 'Net‑30', 'n/30', '30 Tage, netto'],
    ['2026-02-15', '15 EOM', '15 Monatsende', '15 fin de mois', '15 fin de mes'],
    ['2026-02-15', 'EOM+15', 'EOM + 15', 'EOM +15 days', '15 FDM'],
    ['2026-01-31', 'Net EOM', 'due EOM', 'FDM', 'zum Monatsende'],
    ['2026-01-31', 'due upon receipt of invoice', 'nach Rechnungserhalt', 'dès réception'],
    ['2026-03-02', '30 days end of month', '30 Tage ab Monatsende', '30 días fin de mes'],
    ['2026-01-31', 'End of month', 'Monatsende', 'Fin de mois', 'fin de mes'],
    ['2026-01-31', 'On receipt', 'bei Erhalt', 'à réception', 'a la recepción'],
    ['2026-01-31', 'Due upon receipt', 'faellig bei Erhalt', 'DU A RECEPTION', 'al recibir'],
    ['2026-01-31', 'Due immediately', 'sofort fällig', 'dû immédiatement', 'pago inmediato'],
    ['2026-03-01', 'by 2026-03-01', 'bis 2026-03-01', "d'ici le 2026-03-01", 'el 2026-03-01'],
    ['2026-03-01', 'para el 2026-03-01', 'pagadero para el 2026-03-01'],
    ['2026-03-01', 'due by 2026-03-01', 'fällig bis zum 2026-03-01', 'D’ici le 2026-03-01'],
    ['2026-03-01', 'due on 2026-03-01', 'fällig am 2026-03-01', 'échéance le 2026-03-01'],
    ['2026-03-02', '2% 10, net 30', '2 % 10 Tage, 30 Tage netto', '2,0% 10 jours, 30 jours net'],
  ]
  for (const [due, ...texts] of rows) {
    for (const text of texts) assert.equal(derived(text, '2026-01-31').due_date, due, text)
  }
})

test('3.5 one day has a singular in every language', () => {
  for (const text of ['1 day', '1 Tag', '1 jour', '1 día', 'zahlbar innerhalb von 1 Tag']) {
    assert.equal(derived(text, '2028-02-28').due_date, '2028-02-29', text)
  }
})

const dates = fc
  .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2060, 0, 1) })
  .map((milliseconds) => new Date(milliseconds).toISOString().slice(0, 10))

test('3.5 every form derives its date from any day, month ends and leap years included', () => {
  const monthEnds = dates.map(lastDayOfMonth)
  const leapDays = fc.constantFrom('2028-02-28', '2028-02-29', '2028-03-01', '2027-02-28')
  const property = fc.property(
    fc.constantFrom(...phrases),
    fc.oneof(dates, monthEnds, leapDays),
    fc.nat(335),
    fc.nat(335),
    (row, documentDate, days, ahead) => {
      const named = {
        days,
        early: Math.min(7, days),
        percent: 3,
        date: addDays(documentDate, ahead),
      }
      const terms = derived(write(row, named), documentDate)
      assert.equal(terms.due_date, dueOf(row.form, row.phrase, documentDate, named))
    },
  )
  fc.assert(property, { numRuns: samples })
})

test('3.5 case, accents, spaces, hyphens and underscores make no difference', () => {
  const change = fc.constantFrom<(text: string) => string>(
    (text) => text.toUpperCase(),
    (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, ''),
    (text) => ` ${text.replaceAll(' ', '  ')}\t`,
    (text) => text.replaceAll(' ', '_'),
    (text) => text.replaceAll(/(?<=\p{L}) (?=[\p{L}\d])/gu, '-'),
    (text) => `${text}.`,
  )
  const property = fc.property(
    fc.constantFrom(...phrases),
    fc.uniqueArray(change, { minLength: 1, maxLength: 3 }),
    (row, changes) => {
      const plain = write(row, values)
      const text = changes.reduce((changed, apply) => apply(changed), plain)
      const { due_date, net_days, early_payment } = derived(plain, '2026-01-31')
      const other = derived(text, '2026-01-31')
      assert.deepEqual(
        [other.due_date, other.net_days, other.early_payment],
        [due_date, net_days, early_payment],
        text,
      )
    },
  )
  fc.assert(property, { numRuns: samples })
})

test('contract 11: a due date was stated by itself, unless the text names it', () => {
  const due_date = '2026-02-15'
  const stated = (input: { due_date?: string; payment_terms?: string }) => {
    const terms = deriveTerms({ ...input, document_date: '2026-01-31' })
    assert(terms.ok)
    return statedDueDate(terms)
  }
  assert.deepEqual([stated({ due_date }), stated({ payment_terms: 'Net 15' })], [due_date, null])
  assert.equal(stated({ payment_terms: `Due ${due_date}` }), null)
  assert.deepEqual(['Net 15', '2/40 net 30', null].map(namesDueDate), [true, false, false])
})
