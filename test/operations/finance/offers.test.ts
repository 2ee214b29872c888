/** Offers: how long they last, who sees them, and what accepting one takes (domain 5.2, 5.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import { anOrganization, connectPair } from '../../support/fixtures.ts'
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
  for (const wrong of [after(14.1), after(-0.1)]) {
    const { status, body } = await offer(listing, { expires_at: wrong })
    const [{ param, code }] = body.error.details.errors
    assert.deepEqual([status, param, code], [400, '/expires_at', 'out_of_range'])
  }
  const short = await loans.listed(parties, { expires_at: after(2) })
  assert.equal(daysUntil((await offer(short)).body), 2)
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

test('domain 5.3: accepting takes the digest of the offer, in its form', async () => {
  const { id, standing_authorization } = await loans.offered(parties)
  const path = `/v1/finance/offers/${id}/accept`
  const { digest } = standing_authorization
  const wrong = [
    ...[{}, { authorization_digest: '' }, { authorization_digest: null }],
    ...[{ authorization_digest: digest.slice('sha256:'.length) }],
    ...[{ authorization_digest: digest.toUpperCase() }, { authorization_digest: `${digest}0` }],
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
