/** Random documents as exports take them: all rates, discounts, currencies, 1 to 200 lines. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { currencies } from '../../../src/contract/currencies.ts'
import { taxCategories } from '../../../src/contract/code-lists.ts'
import type { Profile, ProfileUpdate } from '../../../src/contract/shapes/organization.ts'
import { buildContent } from '../../../src/core/documents/content.ts'
import { deriveTerms } from '../../../src/core/documents/payment-terms.ts'
import { type LineInput, computeTotals } from '../../../src/core/documents/totals.ts'
import { fromMinor, moneyBounds, multiply, parseDecimal, toMinor } from '../../../src/core/money.ts'
import { changedProfile, emptyProfile } from '../../../src/core/identity/organization-profile.ts'
import type { ExportedDocument } from '../../../src/core/interop/exported-document.ts'
import { buyerProfile, sellerProfile } from '../identity/profiles.ts'

const profileOf = (update: ProfileUpdate) => changedProfile(emptyProfile, update)

/** A decimal of at most so many digits after the point, as a client would write it. */
const decimal = (max: number, decimals: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: max * 10 ** Math.min(decimals, 2) }),
      fc.integer({ min: 0, max: decimals }),
    )
    .map(([value, scale]) => Number(`${value}e-${scale}`))
    .filter((value) => value <= max && !String(value).includes('e'))

const millionths = (value: number) => Number(`${value}e-6`)

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((one) => `x${one}`)

/** Some have what UBL takes for the code of a subject. */
const note = fc.oneof(
  { weight: 9, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom('#123# of 7', 'See #AAI#', '#ZZZ#', 'a#\ud83d\ude00bc#'),
  },
)

/** Those in force somewhere, and any other that BR-CO-17 does not take for zero. */
const taxed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0.21, 0.2, 0.19, 0.0825, 0.14975, 0.05, 0.1) },
  { weight: 1, arbitrary: fc.integer({ min: 5_000, max: 1_000_000 }).map(millionths) },
)

const untaxedCategories = Object.keys(taxCategories).filter((one) => !['S', 'O'].includes(one))

/** The second one is as large as two hundred lines of a document may be. */
const priced = fc
  .record({
    description: text,
    sku: fc.option(text),
    amounts: fc.oneof(
      { weight: 9, arbitrary: fc.tuple(decimal(10_000, 6), decimal(10_000, 6)) },
      { weight: 1, arbitrary: fc.tuple(decimal(5, 0), decimal(499_999_999, 2)) },
    ),
  })
  .map(({ amounts: [quantity, unit_price], ...rest }) => ({ ...rest, quantity, unit_price }))

type Priced = typeof priced extends fc.Arbitrary<infer P> ? P : never

/** A percentage, or an amount from nothing to all of the line. */
const discountOf = ({ quantity, unit_price }: Priced) => {
  const gross = toMinor(multiply(parseDecimal(quantity)!, parseDecimal(unit_price)!))
  const cents = fc.oneof(fc.constantFrom(0n, gross), fc.bigInt({ min: 0n, max: gross }))
  return fc.oneof(
    fc.constant({}),
    decimal(100, 4).map((value) => ({ discount_type: 'percent' as const, discount_value: value })),
    cents.map((value) => ({ discount_type: 'fixed' as const, discount_value: fromMinor(value) })),
  )
}

const taxedLine = fc.oneof(
  { weight: 3, arbitrary: taxed.map((tax_rate) => ({ tax_rate })) },
  { weight: 1, arbitrary: fc.constant({ tax_rate: 0 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...untaxedCategories)
      .map((tax_category) => ({ tax_rate: 0, tax_category })),
  },
)

const outsideLine = fc.constant({ tax_rate: 0, tax_category: 'O' })

const linesWith = (tax: fc.Arbitrary<Pick<LineInput, 'tax_rate'>>): fc.Arbitrary<LineInput[]> =>
  lineCount.chain((count) =>
    fc.array(lineWith(tax), { minLength: count, maxLength: count, size: 'max' }),
  )

/** Mostly few, since the rules take longer the more there are. */
const lineCount = fc.oneof(
  { weight: 16, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 3, arbitrary: fc.integer({ min: 9, max: 199 }) },
  { weight: 1, arbitrary: fc.constant(moneyBounds.lines.max) },
)

const lineWith = (tax: fc.Arbitrary<Pick<LineInput, 'tax_rate'>>): fc.Arbitrary<LineInput> =>
  fc
    .tuple(
      priced.chain((line) => discountOf(line).map((discount) => ({ ...line, ...discount }))),
      tax,
    )
    .map(([line, rate]) => ({ ...line, ...rate }))

const lines = fc.oneof(
  { weight: 9, arbitrary: linesWith(taxedLine) },
  { weight: 1, arbitrary: linesWith(outsideLine) },
)

const facts = fc.record({
  lines,
  type: fc.constantFrom('invoice' as const, 'credit_note' as const),
  currency: fc.constantFrom(...currencies),
  terms: fc.constantFrom('Net 30', 'Due on receipt', 'Payable on delivery', '2/10 net 30', null),
  notes: fc.option(note),
  hasOrder: fc.boolean(),
  isDraft: fc.boolean(),
  isSandbox: fc.boolean(),
})

type Facts = typeof facts extends fc.Arbitrary<infer F> ? F : never

const parties = {
  issuer: profileOf(sellerProfile as ProfileUpdate),
  counterparty: profileOf(buyerProfile as ProfileUpdate),
}
const date = '2026-11-21'

const documentOf = (given: Facts): ExportedDocument => {
  const derived = deriveTerms({ payment_terms: given.terms, document_date: date })
  const totals = computeTotals(given.lines)
  assert(derived.ok && totals.ok, 'random documents are valid')
  const details = {
    currency: given.currency,
    notes: given.notes,
    external_refs: {},
    references: [],
    issuer: { organization_id: 'org_1', name: 'Corner Shop' },
    counterparty: { organization_id: 'org_2', name: 'Acheteur' },
  }
  const terms = { ...derived, document_date: date, valid_until: null }
  const order = {
    rel: 'bills' as const,
    document_type: 'purchase_order',
    number: 'PO-000007',
    date,
  }
  const invoice = { rel: 'credits' as const, document_type: 'invoice', number: 'INV-000041', date }
  return {
    type: given.type,
    number: 'INV-000042',
    content: buildContent(terms, details, given.lines as never, totals.totals),
    parties,
    references: [
      ...(given.hasOrder ? [order] : []),
      ...(given.type === 'credit_note' ? [invoice] : []),
    ],
    connection: 'con_01kbm9s2y8f7tbn1w5q0c4x6rz',
    isDraft: given.isDraft,
    isSandbox: given.isSandbox,
  }
}

/** What is ordered, offered, sent or received: the same lines in another document. */
export const tradeDocument = (
  document: ExportedDocument,
  type: 'purchase_order' | 'quote' | 'delivery_note' | 'goods_receipt',
): ExportedDocument => {
  const other = (document_type: string, number: string) => ({
    rel: 'fulfils' as const,
    document_type,
    number,
    date,
  })
  const references = {
    purchase_order: [other('quote', 'QUO-000003')],
    quote: [],
    delivery_note: [other('purchase_order', 'PO-000007')],
    goods_receipt: [other('purchase_order', 'PO-000007'), other('delivery_note', 'DN-000009')],
  }[type]
  const content = { ...document.content, valid_until: '2026-12-21' }
  return { ...document, type, content, references }
}

/** The same for a seed. */
export const randomDocuments = (count: number, seed: number): ExportedDocument[] =>
  fc.sample(facts, { numRuns: count, seed }).map(documentOf)

const missing = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.constant(null) })

/** Sellers and buyers of the countries with rules of their own; profiles may lack anything. */
const nationalities = {
  BE: { vat_id: 'BE0202239951', company_id: '0202239951' },
  DE: { vat_id: 'DE136695976', company_id: 'HRB 1' },
  DK: { vat_id: 'DK13585628', company_id: '13585628' },
  FR: { vat_id: 'FR40303265045', company_id: '303265045' },
  GR: { vat_id: 'EL094259216', company_id: '094259216' },
  IS: { vat_id: 'IS12345', company_id: '5501692829' },
  IT: { vat_id: 'IT00743110157', company_id: '00743110157' },
  NL: { vat_id: 'NL004495445B01', company_id: '12345678' },
  NO: { vat_id: 'NO923609016MVA', company_id: '923609016' },
  SE: { vat_id: 'SE202100548901', company_id: '2021005489' },
} as const

type Country = keyof typeof nationalities

const countries = fc.constantFrom(...(Object.keys(nationalities) as Country[]))

const profileFrom = (country: Country): fc.Arbitrary<Profile> => {
  const { vat_id, company_id } = nationalities[country]
  return fc.record({
    legal_name: fc.constant('Company'),
    logo_attachment: fc.constant(null),
    address: fc.record({
      line1: missing(fc.constant('Street 1')),
      line2: fc.constant(null),
      city: missing(fc.constant('City')),
      postal_code: missing(fc.constant('1000')),
      region: fc.constant(null),
      country: fc.oneof(
        { weight: 19, arbitrary: fc.constant(country) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
    }),
    vat_id: missing(fc.constantFrom(vat_id, vat_id.replace('MVA', ''))),
    company_id: missing(fc.constantFrom(company_id, '1')),
    electronic_address: missing(fc.constant({ scheme: '0088', id: '7300010000001' })),
    bank: missing(fc.constant({ iban: 'BE68539007547034', bic: null, account_name: null })),
    locale: fc.constant('en' as const),
    time_zone: fc.constant('UTC'),
  })
}

/** Half of them are from one country, whose rules then hold for both. */
const bothParties = fc
  .tuple(countries, countries, fc.boolean())
  .chain(([one, other, isWithin]) =>
    fc.record({ issuer: profileFrom(one), counterparty: profileFrom(isWithin ? one : other) }),
  )

const anyLine = lineWith(
  fc.record({
    tax_rate: fc.constantFrom(0, 0.25, 0.2, 0.0049),
    tax_category: fc.constantFrom(null, null, ...Object.keys(taxCategories)),
  }),
)

const incomplete = fc.record({
  facts: fc
    .tuple(facts, fc.array(anyLine, { minLength: 1, maxLength: 2 }))
    .map(([given, few]) => ({ ...given, lines: few })),
  parties: bothParties,
})

/** Documents whose profiles lack something, or whose lines contradict themselves. */
export const incompleteDocuments = (count: number, seed: number): ExportedDocument[] =>
  fc
    .sample(incomplete, { numRuns: count, seed })
    .map(({ facts: given, parties: both }) => ({ ...documentOf(given), parties: both }))
