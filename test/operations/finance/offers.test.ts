/** Offers: how long they last, who sees them, and what accepting one takes (domain 5.2, 5.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrganization } from '../../../src/changes/identity/organizations.ts'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sealRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { inTurn } from '../../support/database/in-turn.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import {
  askedTerms,
  enableFinance,
  loanParties,
  loansClient,
  setToNoon,
} from '../../support/finance/loans.ts'
import { type TestOrganization, anOrganization, connectPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

const dayMs = 86_400_000

const offersOf = ({ id }: { id: string }) => `/v1/finance/listings/${id}/offers`

const offer = (listing: { id: string }, more: object = {}) =>
  post(lender.key, offersOf(listing), { kind: 'at_ask', ...more })

const after = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()

const daysUntil = ({ created_at, expires_at }: Record<string, string>): number =>
  Math.round((Date.parse(expires_at!) - Date.parse(created_at!)) / dayMs)

test('domain 5.2: an offer lasts 7 days, or as asked for, but never longer than its listing', async () => {
  const listing = await loans.listed(parties)
  assert.equal(daysUntil((await offer(listing)).body), 7)
  const expires_at = after(13)
  assert.equal((await offer(listing, { expires_at })).body.expires_at, expires_at)
  const last = { expires_at: listing.expires_at }
  assert.equal((await offer(listing, last)).body.expires_at, last.expires_at)
  for (const wrong of [after(14.1), after(-0.1)]) {
    const { status, body } = await offer(listing, { expires_at: wrong })
    const [{ param, code }] = body.error.details.errors
    assert.deepEqual([status, param, code], [400, '/expires_at', 'out_of_range'])
  }
  const short = await loans.listed(parties, { expires_at: after(2) })
  assert.equal(daysUntil((await offer(short)).body), 2)
})

test('domain 5.2: the listing lasts by the clock of its borrower, and the lender counts by its own', async () => {
  const others = await loanParties(running)
  const date = await setToNoon(running, others)
  await posted(others.borrower.key, '/v1/sandbox/clock', { advance_by: 'P10D' })
  const path = offersOf(await loans.listed(others))
  const send = (days: number) => {
    const expires_at = new Date(Date.parse(`${date}T12:00:00.000Z`) + days * dayMs).toISOString()
    return post(others.lender.key, path, { kind: 'at_ask', expires_at })
  }
  assert.equal((await send(14.1)).body.error?.details.errors[0].param, '/expires_at')
  const { status, body } = await send(13)
  assert.deepEqual([status, body.disclosure?.term_days], [201, 40])
})

const credit = async (invoice: string, unit_price: number): Promise<void> => {
  const line_items = [{ description: 'Damaged', quantity: 1, unit_price, tax_rate: 0 }]
  const body = { document_type: 'credit_note', line_items }
  const { id } = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${id}/issue`)
}

test('domain 5.2: an offer lapses once less is left of the invoice than the listing asks for', async () => {
  const { id, listing_id } = await loans.offered(parties)
  const { document_id } = await found(borrower.key, `/v1/finance/listings/${listing_id}`)
  const statusOf = async () => (await found(lender.key, `/v1/finance/offers/${id}`)).status
  await credit(document_id, 2_500)
  assert.equal(await statusOf(), 'open', '10,000.00 are left')
  await credit(document_id, 0.01)
  assert.equal(await statusOf(), 'lapsed')
})

test('domain 5.1: whoever borrows no more gets no offer, and accepts none', async () => {
  const others = await loanParties(running)
  const offered = await loans.offered(others)
  const { key } = others.borrower
  const body = { borrower: { enabled: false } }
  assert.equal((await callApi(running, 'PUT', '/v1/finance/setup', { key, body })).status, 200)
  const again = { kind: 'at_ask' }
  const refused = await post(others.lender.key, offersOf({ id: offered.listing_id }), again)
  assert.equal(refused.body.error?.details.reason, 'listing_not_open', refused.text)
  const path = `/v1/finance/offers/${offered.id}/accept`
  const { body: reply } = await post(key, path, loans.acceptanceOf(offered))
  const { code, details } = reply.error
  assert.deepEqual([code, details.reason], ['capability_unavailable', 'not_set_up'])
})

test('domain 5.1: an offer is not accepted once its parties are connected no more', async () => {
  const others = await loanParties(running)
  const offered = await loans.offered(others)
  const { data } = await found(others.lender.key, '/v1/connections')
  await posted(others.lender.session, `/v1/connections/${data[0].id}/end`)
  const path = `/v1/finance/offers/${offered.id}/accept`
  const { body } = await post(others.borrower.key, path, loans.acceptanceOf(offered))
  assert.equal(body.error?.details.reason, 'connection_not_active')
})

test('domain 5.1: a counter asks for no more than is left of the invoice', async () => {
  const listing = await loans.listed(parties)
  const counter = (principal: number) =>
    offer(listing, { kind: 'counter', terms: { ...askedTerms, principal } })
  assert.equal((await counter(12_500.01)).body.error?.details.errors[0].param, '/terms/principal')
  assert.equal((await counter(12_500)).status, 201)
})

test('domain 5.2: live: what has expired is not accepted, though nothing has ended it yet', async () => {
  const live = await loanParties(running, 'live')
  const offered = await loans.offered(live)
  const accept = async () => {
    const path = `/v1/finance/offers/${offered.id}/accept`
    return (await post(live.borrower.key, path, loans.acceptanceOf(offered))).body.error?.details
  }
  const { database } = running
  const listing = sql`where id = ${decodeId('lst', offered.listing_id)!}`
  const past = sql`set expires_at = now()`
  await runAndSeal(database, 'finance_listings', sql`update finance_listings ${past} ${listing}`)
  assert.deepEqual(await accept(), { reason: 'listing_not_open', from: 'open' })
  const own = sql`where id = ${decodeId('ofr', offered.id)!}`
  await runAndSeal(database, 'finance_offers', sql`update finance_offers ${past} ${own}`)
  assert.deepEqual(await accept(), { reason: 'offer_not_open', from: 'open' })
})

test('domain 5.2: a lender has one open offer for a listing; the next one supersedes it', async () => {
  const listing = await loans.listed(parties)
  const rival = await anOrganization(running)
  await connectPair(running, rival, borrower)
  await enableFinance(running, rival.key)
  const theirs = await posted(rival.key, offersOf(listing), { kind: 'at_ask' })
  const { body: first } = await offer(listing)
  const terms = { principal: 9_000, fee: { type: 'flat', value: 300 }, grace_days: 0 }
  const { body: second } = await offer(listing, { kind: 'counter', terms })
  assert.deepEqual([second.kind, second.terms.total_repayable], ['counter', 9_300])
  const statusesFor = async (key: string, query = '') => {
    const { data } = await found(key, `/v1/finance/offers?listing=${listing.id}${query}`)
    return data.map(({ id, status }: Record<string, string>) => [id, status])
  }
  const own = [
    [second.id, 'open'],
    [first.id, 'superseded'],
  ]
  assert.deepEqual(await statusesFor(borrower.key), [...own, [theirs.id, 'open']])
  assert.deepEqual(await statusesFor(lender.key), own)
  assert.deepEqual(await statusesFor(rival.key), [[theirs.id, 'open']])
  assert.deepEqual(await statusesFor(lender.key, '&status=superseded,declined'), [own[1]])
  assert.deepEqual(await statusesFor(lender.key, '&role=borrower'), [])
  assert.deepEqual(await statusesFor(borrower.key, '&role=borrower&status=open'), [
    own[0],
    [theirs.id, 'open'],
  ])
})

/** Gives a listing with one offer open copies of it, from lenders that do nothing else. */
const addOpenOffers = async (listing: string, count: number): Promise<void> => {
  const { database } = running
  const id = decodeId('lst', listing)!
  for (let i = 0; i < count; i += 1) {
    const options = { name: 'Lender', mode: 'test', verified: true, currency: 'USD' } as const
    const other = await inTurn(database, (tx) => createOrganization(tx, options))
    await database.run(sql`
      insert into finance_offers select (jsonb_populate_record(o, jsonb_build_object(
        'id', gen_random_uuid(), 'lender_id', ${other}::uuid))).*
      from finance_offers o where o.listing_id = ${id} order by created_at limit 1`)
  }
  await sealRows(database, 'finance_offers')
  await runAndSeal(
    database,
    'finance_listings',
    sql`update finance_listings set open_offers = (
      select '[' || string_agg('"' || o.id || '"', ',' order by o.id::text collate "C") || ']'
      from finance_offers o where o.listing_id = ${id}) where id = ${id}`,
  )
}

test('domain 5.2: a listing has so many open offers, and a lender can still replace its own', async () => {
  const most = limits.openOffersPerListingMax
  const listing = await loans.listed(parties)
  const others = []
  for (let i = 0; i < 2; i += 1) {
    const other = await anOrganization(running)
    await connectPair(running, other, borrower)
    await enableFinance(running, other.key)
    others.push(other)
  }
  const [last, late] = others as [TestOrganization, TestOrganization]
  const own = await posted(lender.key, offersOf(listing), { kind: 'at_ask' })
  await addOpenOffers(listing.id, most - 2)
  await posted(last.key, offersOf(listing), { kind: 'at_ask' })
  const refused = await post(late.key, offersOf(listing), { kind: 'at_ask' })
  assert.equal(refused.status, 409, refused.text)
  assert.deepEqual(refused.body.error.details, { reason: 'listing_not_open', from: 'open' })
  assert(refused.body.error.message.includes(`${most} open offers`), refused.text)
  const next = await posted(lender.key, offersOf(listing), { kind: 'at_ask' })
  assert.equal((await found(lender.key, `/v1/finance/offers/${own.id}`)).status, 'superseded')
  await posted(borrower.key, `/v1/finance/offers/${next.id}/decline`)
  await posted(late.key, offersOf(listing), { kind: 'at_ask' })
})

test('domain 5.3: accepting takes the digest of the offer, in its form', async () => {
  const { id, standing_authorization } = await loans.offered(parties)
  const path = `/v1/finance/offers/${id}/accept`
  const { digest } = standing_authorization
  const wrong = [
    {},
    { authorization_digest: '' },
    { authorization_digest: null },
    { authorization_digest: digest.slice('sha256:'.length) },
    { authorization_digest: digest.toUpperCase() },
    { authorization_digest: `${digest}0` },
  ]
  for (const body of wrong) {
    const refused = (await post(borrower.key, path, body)).body.error
    const [{ param }] = refused.details.errors
    assert.deepEqual([refused.code, param], ['invalid_request', '/authorization_digest'])
  }
  const open = await found(borrower.key, `/v1/finance/offers/${id}`)
  assert.deepEqual([open.status, open.standing_authorization], ['open', standing_authorization])
  const accepted = await posted(borrower.key, path, { authorization_digest: digest })
  assert.equal(accepted.agreement.authorization_digest, digest)
})
