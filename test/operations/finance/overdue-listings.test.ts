/** A listing ends with the due date of its invoice, by the borrower's clock (domain 5.1, 5.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import type { Reply } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import {
  type LoanParties,
  loanParties,
  loansClient,
  setToNoon,
} from '../../support/finance/loans.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans

const inTwoDays = { payment_terms: 'Net 2' }

/** The parties of a loan at noon, with a listing of an invoice that is due in two days. */
const listed = async (more: object = {}) => {
  const parties = await loanParties(running)
  const date = await setToNoon(running, parties)
  return { parties, date, listing: await loans.listed(parties, more, inTwoDays) }
}

const advance = ({ key }: { key: string }, advance_by: string) =>
  posted(key, '/v1/sandbox/clock', { advance_by })

const offer = ({ lender }: LoanParties, { id }: { id: string }) =>
  post(lender.key, `/v1/finance/listings/${id}/offers`, { kind: 'at_ask' })

const statusOf = async ({ borrower }: LoanParties, { id }: { id: string }): Promise<string> =>
  (await found(borrower.key, `/v1/finance/listings/${id}`)).status

const refusalOf = ({ status, body }: Reply) => [status, body.error?.details]

test('domain 5.2: after the due date a listing is invalidated, and its offers lapse', async () => {
  const { parties, listing } = await listed()
  const { borrower, lender } = parties
  const { body: offered } = await offer(parties, listing)
  await advance(lender, 'P3D')
  assert.equal(await statusOf(parties, listing), 'open', "the lender's clock does not count")
  await advance(borrower, 'P2D')
  assert.equal(await statusOf(parties, listing), 'open', 'the due date')
  assert.equal((await offer(parties, listing)).status, 201)
  await advance(borrower, 'P1D')

  assert.equal(await statusOf(parties, listing), 'invalidated')
  const { data } = await found(lender.key, `/v1/finance/offers?listing=${listing.id}`)
  const statuses = data.map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses, ['lapsed', 'superseded'])
  const open = await found(lender.key, '/v1/finance/listings?status=open')
  assert.deepEqual(open.data, [])
  assert.deepEqual(refusalOf(await offer(parties, listing)), [
    409,
    { reason: 'listing_not_open', from: 'invalidated' },
  ])
  const path = `/v1/finance/offers/${data[0].id}/accept`
  const accepted = await post(borrower.key, path, loans.acceptanceOf(offered))
  assert.deepEqual(refusalOf(accepted), [409, { reason: 'offer_not_open', from: 'lapsed' }])
})

test('domain 5.2: a listing that expires before the due date has passed is expired', async () => {
  const tomorrow = await listed()
  const expiring = await listed({ expires_at: `${tomorrow.listing.terms.due_date}` })
  for (const { parties, listing, status } of [
    { ...tomorrow, status: 'invalidated' },
    { ...expiring, status: 'expired' },
  ]) {
    await advance(parties.borrower, 'P30D')
    assert.equal(await statusOf(parties, listing), status)
  }
})

test('domain 5.2: live: an overdue listing ends by itself, and takes no offer until then', async () => {
  const parties = await loanParties(running, 'live')
  const [{ listing_id }, other] = [await loans.offered(parties), await loans.listed(parties)]
  const id = decodeId('lst', listing_id)!
  await runAndSeal(
    running.database,
    'finance_listings',
    sql`update finance_listings set due_date = current_date - 1 where id = ${id}`,
  )
  const refused = await offer(parties, { id: listing_id })
  assert.deepEqual([refused.status, refused.body.error?.details.reason], [409, 'listing_not_open'])
  const isInvalidated = async () => (await statusOf(parties, { id: listing_id })) === 'invalidated'
  await until('the overdue listing has ended', isInvalidated)
  assert.equal(await statusOf(parties, other), 'open')
})
