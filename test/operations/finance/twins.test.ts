/**
 * One receivable is pledged once, whatever its invoice is called (domain 5.6). `LONG=1` issues it
 * 10,000 times again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { addDays } from '../../../src/core/dates.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sealRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi, postWhenFree } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { randomOf } from '../../support/provenance/generated-mutations.ts'
import { askedTerms, loanParties, loansClient } from '../../support/finance/loans.ts'
import { anInvoice } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

const withReference = (issuer_ref: string) => ({ external_refs: { issuer_ref } })

const assertPledged = async (invoiceFields: object): Promise<void> => {
  const { id } = await loans.invoice(parties, invoiceFields)
  const body = { document_id: id, terms: askedTerms }
  const { key } = borrower
  const refused = await postWhenFree(running, '/v1/finance/listings', { key, body })
  const told = JSON.stringify(invoiceFields)
  assert.equal(refused.status, 409, told)
  assert.equal(refused.body.error.details.reason, 'already_pledged', told)
}

test('domain 5.6: a twin of a pledged invoice is refused, however its reference is written', async () => {
  const { agreement } = await loans.accepted(parties, {}, withReference('Inv 2026-0042'))
  const twins = [
    'inv 2026-0042',
    'INV20260042',
    'Inv 2026-42',
    ' i n v 2026 / 42 ',
    'INV-2026-000042',
    'ＩＮＶ２０２６-42',
    'inv.2026.0042',
    'INV_0002026_42',
    // Letters that nobody sees, and the digits of other scripts.
    'INV-2026-0042\u3164',
    'I\uffa0NV\u115f 2026-42',
    'INV-٢٠٢٦-٠٠٤٢',
    'INV २०२६ ४२',
  ]
  for (const twin of twins) await assertPledged(withReference(twin))
  await posted(lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
  await loans.accepted(parties, {}, withReference('INV 2026 42'))
})

test('domain 5.6: an invoice that was credited and issued again stays pledged', async () => {
  const { pledged_document_id: invoice } = await loans.funded(parties, {}, withReference('Crane 7'))
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, {
    document_type: 'credit_note',
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  const references = [{ rel: 'supersedes', document_id: invoice }]
  await assertPledged({ ...withReference('Crane 8'), references })
  // Also through another one that replaces it in turn.
  const second = await loans.invoice(parties, { ...withReference('Crane 9'), references })
  const cancelling = await posted(borrower.key, `/v1/documents/${second.id}/convert`, {
    document_type: 'credit_note',
  })
  await posted(borrower.key, `/v1/documents/${cancelling.id}/issue`)
  const again = [{ rel: 'supersedes', document_id: second.id }]
  await assertPledged({ ...withReference('Crane 10'), references: again })
})

test('domain 5.6: an invoice inherits from so many that it replaces, and is refused with more', async () => {
  const most = limits.replacedInvoicesMax
  const cancelled = async () => {
    const { id } = await anInvoice(running, parties.trade)
    await posted(borrower.key, `/v1/documents/${id}/transition`, { to: 'cancelled' })
    return { rel: 'supersedes', document_id: id }
  }
  const references = await Promise.all(Array.from({ length: most + 1 }, cancelled))
  await loans.accepted(parties, {}, { references: references.slice(0, most) })
  const { id: document_id } = await loans.invoice(parties, { references })
  const body = { document_id, terms: askedTerms }
  const refused = await post(borrower.key, '/v1/finance/listings', body)
  assert.equal(refused.status, 409, refused.text)
  assert.deepEqual(refused.body.error.details, { reason: 'not_payable', document_id })
})

test('domain 5.6: of two listed twins the second is refused when it is accepted', async () => {
  const [one, two] = [
    await loans.offered(parties, {}, withReference('Truck 1')),
    await loans.offered(parties, {}, withReference('truck 001')),
  ]
  const accept = (offer: { id: string }) =>
    post(borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))
  assert.equal((await accept(one)).status, 201)
  assert.equal((await accept(two)).body.error.details.reason, 'already_pledged')
})

test('domain 5.6: a lender is told of near twins, and the borrower authorizes that', async () => {
  const own = await loanParties(running)
  await loans.listed(own, {}, withReference('Shed 1'))
  const { id, duplicate_warning } = await loans.listed(own, {}, withReference('Shed 2'))
  assert.equal(duplicate_warning.matches, 1)
  const seen = await found(own.lender.key, `/v1/finance/listings/${id}`)
  assert.equal(seen.duplicate_warning.matches, 1)
  const other = [{ description: 'Other', quantity: 1, unit_price: 20_000, tax_rate: 0 }]
  await loans.listed(own, {}, { ...withReference('Shed 3'), line_items: other })
  const list = await found(own.lender.key, '/v1/finance/listings')
  assert.deepEqual(
    list.data.map((listing: typeof seen) => listing.duplicate_warning.matches),
    [0, 1, 1],
  )
  const offer = await posted(own.lender.key, `/v1/finance/listings/${id}/offers`, {
    kind: 'at_ask',
  })
  assert.deepEqual(offer.standing_authorization.document.duplicate_warning, { matches: 1 })
})

test('domain 5.6: invoices of one amount are near twins if their dates are at most a week apart', async () => {
  const own = await loanParties(running)
  const today = inDays(0)
  const matchesOf = async (issuer_ref: string, days: number): Promise<number> => {
    const fields = { ...withReference(issuer_ref), document_date: addDays(today, days) }
    return (await loans.listed(own, {}, fields)).duplicate_warning.matches
  }
  assert.equal(await matchesOf('Mill 1', 0), 0)
  assert.equal(await matchesOf('Mill 2', -7), 1)
  assert.equal(await matchesOf('Mill 3', -15), 0)
  const { data } = await found(own.lender.key, '/v1/finance/listings')
  const shown = data.map((one: { duplicate_warning: object }) => one.duplicate_warning)
  assert.deepEqual(shown, [{ matches: 0 }, { matches: 1 }, { matches: 1 }])
})

test('domain 5.6: what answers a new listing is the listing, with its warning', async () => {
  const own = await loanParties(running)
  const { key } = own.borrower
  const warningOf = async ({ id }: { id: string }) =>
    (await found(key, `/v1/finance/listings/${id}`)).duplicate_warning.matches
  const first = await loans.listed(own, {}, withReference('Barn 1'))
  assert.equal(first.duplicate_warning.matches, 0, 'nothing looks like it')
  const second = await loans.listed(own, {}, withReference('Barn 2'))
  assert.deepEqual(await found(key, `/v1/finance/listings/${second.id}`), second)
  assert.deepEqual([await warningOf(first), await warningOf(second)], [1, 1])
  // An invoice to another debtor is no twin, nor is one that is neither listed nor pledged.
  await posted(key, `/v1/finance/listings/${first.id}/withdraw`)
  assert.equal(await warningOf(second), 0)
  const elsewhere = await loanParties(running)
  const other = await loans.listed(elsewhere, {}, withReference('Barn 2'))
  assert.equal(other.duplicate_warning.matches, 0)
  const dry = await loans.invoice(own, withReference('Barn 3'))
  const rehearsed = await callApi(running, 'POST', '/v1/finance/listings', {
    key,
    body: { document_id: dry.id, terms: askedTerms },
    headers: { 'svc-dry-run': 'true' },
  })
  assert.equal(rehearsed.body.duplicate_warning.matches, 1, rehearsed.text)
  assert.equal(await warningOf(second), 0, 'nothing was listed')
})

test('domain 5.6: near twins are counted up to a bound, for everybody the same', async () => {
  const own = await loanParties(running)
  const first = await loans.listed(own, {}, withReference('Mast 1'))
  const most = limits.nearTwinsComparedMax
  const { database } = running
  await database.script('set session_replication_role = replica')
  await database.run(sql`
    insert into finance_listings select (jsonb_populate_record(l, jsonb_build_object(
      'id', gen_random_uuid(), 'document_id', gen_random_uuid(), 'reference', 'MAST' || i))).*
    from finance_listings l, generate_series(2, ${most + 1}::bigint) i
    where l.id = ${decodeId('lst', first.id)!}`)
  await database.script('set session_replication_role = origin')
  await sealRows(database, 'finance_listings')
  const last = await loans.listed(own, {}, withReference('Mast 0'))
  const { key } = own.lender
  const seen = await found(key, `/v1/finance/listings/${last.id}`)
  const offer = await posted(key, `/v1/finance/listings/${last.id}/offers`, { kind: 'at_ask' })
  const { duplicate_warning } = offer.standing_authorization.document
  assert.deepEqual(
    [last.duplicate_warning, seen.duplicate_warning, duplicate_warning],
    Array.from({ length: 3 }, () => ({ matches: most })),
  )
})

/** The reference Ship 2026-0042 in one of its spellings. */
const spelling = (seed: string): string => {
  const random = randomOf(seed)
  const oneOf = (values: readonly string[]) => values[random(values.length)]!
  const wide = (character: string) => String.fromCodePoint(character.codePointAt(0)! + 0xfee0)
  const written = (text: string, between: readonly string[]) =>
    [...text]
      .map((one) => oneOf([one.toLowerCase(), one.toUpperCase(), one, wide(one)]) + oneOf(between))
      .join('')
  const number = (digits: string) => written('0'.repeat(random(4)) + digits, [''])
  const letters = written('Ship', ['', '', ' ', '.', '-'])
  const separator = () => oneOf([' ', '-', '/', '.', '_', ' / ', '  '])
  return [letters, number('2026'), number('42')].join(separator())
}

const again = process.env['LONG'] === '1' ? 10_000 : 20

test(`domain 5.6: of ${again} twins, spelt anew or credited and issued again, none passes`, async () => {
  await loans.accepted(parties, {}, withReference('Ship 2026-0042'))
  const { pledged_document_id: credited } = await loans.funded(
    parties,
    {},
    withReference('Ferry 1'),
  )
  const note = await posted(borrower.key, `/v1/documents/${credited}/convert`, {
    document_type: 'credit_note',
  })
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  const references = [{ rel: 'supersedes', document_id: credited }]
  // A side refers to a document a thousand times at most.
  const twins = Array.from({ length: again }, (_, i) =>
    i % 20 === 0
      ? { ...withReference(`Ferry ${i + 2}`), references }
      : withReference(spelling(`twin ${i}`)),
  )
  const waiting = twins.values()
  const worker = async () => {
    for (const twin of waiting) await assertPledged(twin)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
})
