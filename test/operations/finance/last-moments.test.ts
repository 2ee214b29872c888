/** The moment at which a listing or an offer ends, to the millisecond (domain 5.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeContext } from '../../../src/changes/change-context.ts'
import { endDueListing } from '../../../src/changes/finance/listings.ts'
import { expireFinanceOffer } from '../../../src/changes/finance/offers.ts'
import { organizationClockMs } from '../../../src/changes/organization-clock.ts'
import { addDays } from '../../../src/core/dates.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { performAsSystem } from '../../../src/tasks/system-write.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, found } = loans
const parties = await loanParties(running)
const { borrower, lender } = parties

interface Moment {
  /** By whose clock. */
  by: { uuid: string }
  atMs: number
  listing: { id: string; document_id: string }
}

/** Does the due work of a listing as if it were exactly that time. */
const performAt = ({ by, atMs, listing }: Moment, work: (change: ChangeContext) => void) => {
  const listings = [decodeId('lst', listing.id)!]
  const documents = [decodeId('doc', listing.document_id)!]
  return performAsSystem(running.service.context, by.uuid, { documents, listings }, (change) => {
    change.unit.lateMs = organizationClockMs(change.unit, by.uuid) - atMs
    work(change)
  })
}

const midnightAfter = (date: string): string => `${addDays(date, 1)}T00:00:00.000Z`

const listingEnds = async (more: object, lastMs: (due: string) => number): Promise<string[]> => {
  const listing = await loans.listed(parties, more)
  const statuses: string[] = []
  for (const early of [1, 0]) {
    const atMs = lastMs(listing.terms.due_date) - early
    const id = decodeId('lst', listing.id)!
    await performAt({ by: borrower, atMs, listing }, (change) => endDueListing(change, id))
    const { status } = await found(borrower.key, `/v1/finance/listings/${listing.id}`)
    statuses.push(status)
  }
  return statuses
}

test('domain 5.2: at the midnight after the due date of its invoice, a listing is invalidated', async () => {
  const inSixtyDays = { expires_at: new Date(Date.now() + 59 * 86_400_000).toISOString() }
  const ends = await listingEnds(inSixtyDays, (due) => Date.parse(midnightAfter(due)))
  assert.deepEqual(ends, ['open', 'invalidated'])
})

test('domain 5.2: a listing is expired at its `expires_at`, also if that is this very midnight', async () => {
  const invoice = await loans.invoice(parties)
  const atMidnight = { expires_at: midnightAfter(invoice.due_date) }
  const ends = await listingEnds(atMidnight, (due) => Date.parse(midnightAfter(due)))
  assert.deepEqual(ends, ['open', 'expired'])
  const noon = `${invoice.due_date}T12:00:00.000Z`
  const earlier = await listingEnds({ expires_at: noon }, () => Date.parse(noon))
  assert.deepEqual(earlier, ['open', 'expired'])
})

test('domain 5.2: an offer is expired at its `expires_at`', async () => {
  const listing = await loans.listed(parties)
  const path = `/v1/finance/listings/${listing.id}/offers`
  const offer = await posted(lender.key, path, { kind: 'at_ask' })
  const id = decodeId('ofr', offer.id)!
  const statuses: string[] = []
  for (const early of [1, 0]) {
    const atMs = Date.parse(offer.expires_at) - early
    await performAt({ by: lender, atMs, listing }, (change) => expireFinanceOffer(change, id))
    statuses.push((await found(lender.key, `/v1/finance/offers/${offer.id}`)).status)
  }
  assert.deepEqual(statuses, ['open', 'expired'])
})
