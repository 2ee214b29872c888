/**
 * The bytes that a borrower authorizes (domain 5.3, 5.6), built a second time: by a program that
 * shares nothing with the service but the description in the docs.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../../src/core/dates.ts'
import { flattenSections } from '../../../src/docs/blocks.ts'
import { loans as chapter } from '../../../src/docs/chapters/loans.ts'
import { independentAuthorizations } from '../../support/finance/independent-authorizations.ts'
import {
  type LoanParties,
  loanParties,
  loansClient,
  setToNoon,
} from '../../support/finance/loans.ts'
import { startTestService } from '../../support/test-service.ts'
import firstVersion from '../../vectors/standing-authorization.json' with { type: 'json' }
import secondVersion from '../../vectors/standing-authorization-2.json' with { type: 'json' }

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found, get } = loans

const accountOf = async (key: string, purpose: string, currency: string): Promise<string> => {
  const { data } = await found(key, '/v1/treasury/accounts?limit=100')
  const isWanted = (one: Record<string, string>) =>
    one['purpose'] === purpose && one['currency'] === currency
  return data.find(isWanted).id
}

/** An offer at these terms, the facts around it, and the bytes that the service has frozen. */
const anOffer = async (
  parties: LoanParties,
  terms: object,
  { listed = {}, invoice: fields = {}, credited = 0, kind = 'at_ask' } = {},
) => {
  const { borrower, lender } = parties
  const invoice = await loans.invoice(parties, fields)
  if (credited > 0) {
    const line_items = [{ description: 'Less', quantity: 1, unit_price: credited, tax_rate: 0 }]
    const note = { document_type: 'credit_note', line_items }
    const { id } = await posted(borrower.key, `/v1/documents/${invoice.id}/convert`, note)
    await posted(borrower.key, `/v1/documents/${id}/issue`)
  }
  const asked = { principal: 1, fee: { type: 'flat', value: 0 }, grace_days: 0 }
  const body = { document_id: invoice.id, terms: kind === 'at_ask' ? terms : asked, ...listed }
  const listing = await posted(borrower.key, '/v1/finance/listings', body)
  const own = kind === 'at_ask' ? { kind } : { kind, terms }
  const { now } = await found(lender.key, '/v1/sandbox/clock')
  const offer = await posted(lender.key, `/v1/finance/listings/${listing.id}/offers`, own)
  const { currency } = invoice
  const facts = {
    offer,
    listing,
    invoice: await loans.documentOf(borrower.key, invoice.id),
    settlement_account_id: await accountOf(borrower.key, 'settlement', currency),
    funding_account_id: await accountOf(lender.key, 'funding', currency),
    today: now.slice(0, 10) as string,
  }
  const { text } = await get(borrower.key, `/v1/finance/offers/${offer.id}/authorization`)
  return { facts, text, digest: offer.standing_authorization.digest as string }
}

const bps = (principal: number, value: number, grace_days = 7) => ({
  principal,
  fee: { type: 'bps', value },
  grace_days,
})
const flat = (principal: number, value: number, grace_days = 0) => ({
  principal,
  fee: { type: 'flat', value },
  grace_days,
})

test('domain 5.3: the bytes of version 2 follow from what the API shows, by the docs alone', async () => {
  const parties = await loanParties(running)
  const date = await setToNoon(running, parties)
  const due = (days: number) => ({
    invoice: { due_date: addDays(date, days), payment_terms: null },
  })
  const offers = [
    await anOffer(parties, bps(10_000, 250)),
    await anOffer(parties, bps(333.33, 125, 90), { listed: { notice: 'disclosed' } }),
    await anOffer(parties, bps(0.4, 125), { kind: 'counter' }),
    await anOffer(parties, flat(12_500, 0), { invoice: { currency: 'EUR' } }),
    await anOffer(parties, flat(8_499.99, 100.01), { credited: 4_000.01, kind: 'counter' }),
    // Ties of the cost: 0.5, 1.5 and 2.5 ten thousandths.
    await anOffer(parties, flat(2_920, 0.01), due(25)),
    await anOffer(parties, flat(2_920, 0.03), due(25)),
    await anOffer(parties, flat(2_920, 0.05), due(25)),
  ]
  await posted(parties.lender.key, '/v1/sandbox/clock', { advance_by: 'P9D' })
  offers.push(await anOffer(parties, bps(1_234.56, 175)))
  // By the clock of the lender it is due in the past: that is one day.
  offers.push(await anOffer(parties, bps(12_500, 10_000), due(3)))
  const warned = offers.filter(({ facts }) => facts.listing.duplicate_warning.matches > 0)
  assert(warned.length > 0, 'some of them look alike')
  const built = independentAuthorizations(offers.map(({ facts }) => facts))
  for (const [i, { text, digest }] of offers.entries()) assert.deepEqual(built[i], [text, digest])
  const costs = offers.map(({ facts }) => facts.offer.disclosure.annualized_cost)
  assert.deepEqual(costs.slice(5, 8), [0, 0.0002, 0.0002])
  assert.equal(offers.at(-1)!.facts.offer.disclosure.term_days, 1)
})

test('domain 5.3: the vectors of both versions', () => {
  const given = [{ document: JSON.parse(firstVersion.canonical) as object }, secondVersion.facts]
  assert.deepEqual(independentAuthorizations(given), [
    [firstVersion.canonical, firstVersion.digest],
    [secondVersion.canonical, secondVersion.digest],
  ])
})

test('the docs name every member of the authorization', () => {
  const section = flattenSections([chapter]).find(({ id }) => id === 'loan-authorization')!
  const text = JSON.stringify(section)
  const namesIn = (value: object): string[] =>
    Object.entries(value).flatMap(([name, inner]) => [
      name,
      ...(typeof inner === 'object' ? namesIn(inner as object) : []),
    ])
  for (const name of namesIn(JSON.parse(secondVersion.canonical) as object)) {
    assert.match(text, new RegExp(`\\b${name}\\b`))
  }
})
