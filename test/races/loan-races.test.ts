/**
 * Concurrent acceptances over two services on one database: one invoice and its twin, whichever
 * lender offers, become one pledge. `LONG=1` runs more rounds; `RACE_ROUNDS` says how many of the
 * first race.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { type Reply, callApi, postWhenFree } from '../support/api-client.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import {
  type LoanParties,
  askedTerms,
  enableFinance,
  loanParties,
  loansClient,
} from '../support/finance/loans.ts'
import { openConnection } from '../support/engine/engine-fixture.ts'
import { type TestOrganization, anOrganization, connectPair } from '../support/fixtures.ts'
import { auditLedgerDuring } from '../support/payments/ledger-auditor.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { together } from '../support/together.ts'

const settings = { SANDBOX_QUOTAS: 'off' }
const one = await startTestService(settings)
const two = await one.startAnother()
const services = [one, two] as const
const loans = loansClient(one)
const isLong = process.env['LONG'] === '1'

/** The borrower's lenders, of whom the first is that of the parties. */
const lendersOf = async ({ borrower, lender }: LoanParties, count: number) => {
  const lenders = [lender]
  while (lenders.length < count) {
    const other = await anOrganization(one)
    await connectPair(one, other, borrower)
    await enableFinance(one, other.key)
    lenders.push(other)
  }
  return lenders
}

const outcomes = (replies: readonly Reply[]) =>
  replies.map(({ status, body }) => body.error?.details?.reason ?? body.error?.code ?? status)

const activePledges = async (borrower: string, documents: readonly string[]) => {
  const rows = await Promise.all(documents.map((id) => loans.documentOf(borrower, id)))
  return rows.filter(({ pledge }) => pledge !== null && pledge.status !== 'released')
}

const aCast = async () => {
  const parties = await loanParties(one)
  return { parties, lenders: await lendersOf(parties, 4) }
}
type Cast = Awaited<ReturnType<typeof aCast>>

/** Two approved invoices that are one receivable, each listed, with an offer of every lender. */
const twinOffers = async ({ parties, lenders }: Cast, round: number) => {
  const references = [`R-${round + 1}`, `r 00${round + 1}`]
  const listings = await Promise.all(
    references.map((issuer_ref) => loans.listed(parties, {}, { external_refs: { issuer_ref } })),
  )
  const offers = await Promise.all(
    listings.flatMap(({ id }) =>
      lenders.map(({ key }) =>
        loans.posted(key, `/v1/finance/listings/${id}/offers`, { kind: 'at_ask' }),
      ),
    ),
  )
  return { documents: listings.map(({ document_id }) => document_id as string), offers }
}

const refusedReasons = new Set([
  'already_pledged',
  'listing_not_open',
  'offer_not_open',
  'not_payable',
  'service_unavailable',
])

const raceRound = async (cast: Cast, round: number): Promise<void> => {
  const { borrower, debtor } = cast.parties
  const { documents, offers } = await twinOffers(cast, round)
  const replies = await together(64, (i) => {
    const offer = offers[i % offers.length]
    return callApi(services[i % 2]!, 'POST', `/v1/finance/offers/${offer.id}/accept`, {
      key: borrower.key,
      body: loans.acceptanceOf(offer),
    })
  })
  const accepted = replies.filter(({ status }) => status === 201)
  assert.equal(accepted.length, 1, outcomes(replies).join())
  const refusals = new Set(outcomes(replies.filter(({ status }) => status !== 201)))
  assert(refusals.isSubsetOf(refusedReasons), [...refusals].join())
  const pledged = await activePledges(borrower.key, documents)
  assert.deepEqual(
    pledged.map(({ pledge }) => pledge.agreement_id),
    [accepted[0]!.body.agreement.id],
  )
  // The debtor pays both: one is swept, the other was never pledged.
  if (round % 4 > 0) return
  await together(2, (i) => loans.posted(debtor.key, `/v1/documents/${documents[i]!}/pay`))
}

const roundsOfCast = 25

/**
 * Three invoices are raced for at a time, each of another borrower. After a few rounds others go
 * on, or most of the time would pass with counting the near twins that stay listed.
 */
const raceInParallel = async (casts: readonly Cast[], rounds: number): Promise<void> => {
  const waiting = casts.entries()
  await together(3, async () => {
    for (const [i, cast] of waiting) {
      const first = i * roundsOfCast
      const last = Math.min(first + roundsOfCast, rounds)
      for (let round = first; round < last; round += 1) await raceRound(cast, round)
    }
  })
}

describe('domain 5.4: one pledge per receivable', () => {
  const rounds = Number(process.env.RACE_ROUNDS ?? (isLong ? 2_000 : 3))
  test(`64 acceptances at once make one loan, in each of ${rounds} rounds`, async (t) => {
    const casts: Cast[] = []
    while (casts.length * roundsOfCast < rounds) casts.push(await aCast())
    const snapshots = await auditLedgerDuring(one.databaseUrl, raceInParallel(casts, rounds))
    t.diagnostic(`${snapshots} snapshots audited`)
    const [count] = await one.database.rows<{ agreements: bigint; pledges: bigint }>(sql`
      select (select count(*) from finance_agreements) as agreements,
        (select count(*) from finance_pledges where is_own) as pledges`)
    assert.deepEqual(count, { agreements: BigInt(rounds), pledges: BigInt(rounds) })
    await assertServiceConsistent(one)
  })

  test('64 lenders offer at once, and all of their offers are accepted at once', async () => {
    const many = await loanParties(one)
    const all = await lendersOf(many, 64)
    for (let round = 0; round < (isLong ? 20 : 1); round += 1) {
      const { id } = await loans.listed(many)
      const offers = await together(64, (i) =>
        postWhenFree(services[i % 2]!, `/v1/finance/listings/${id}/offers`, {
          key: all[i]!.key,
          body: { kind: 'at_ask' },
        }),
      )
      const made = offers.filter(({ status }) => status === 201).map(({ body }) => body)
      assert.equal(made.length, 64, outcomes(offers).join())
      const replies = await together(64, (i) =>
        postWhenFree(services[i % 2]!, `/v1/finance/offers/${made[i].id}/accept`, {
          key: many.borrower.key,
          body: loans.acceptanceOf(made[i]),
        }),
      )
      assert.equal(replies.filter(({ status }) => status === 201).length, 1)
      const list = await loans.found(
        many.borrower.key,
        `/v1/finance/offers?listing=${id}&limit=100`,
      )
      const statuses = list.data.map(({ status }: { status: string }) => status)
      assert.deepEqual(
        ['accepted', 'lapsed'].map((name) => statuses.filter((one: string) => one === name).length),
        [1, 63],
      )
    }
  })

  test('whatever comes at once, a listing ends once and its offers with it', async () => {
    const { parties, lenders } = await aCast()
    const { borrower, debtor } = parties
    for (let round = 0; round < (isLong ? 200 : 3); round += 1) {
      const listing = await loans.listed(parties)
      const path = `/v1/finance/listings/${listing.id}`
      const [offer] = await Promise.all(
        lenders.map(({ key }) => loans.posted(key, `${path}/offers`, { kind: 'at_ask' })),
      )
      const accept = [`/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer)] as const
      const moves: readonly (readonly [key: string, path: string, body?: object])[] = [
        ...Array.from({ length: 6 }, () => [borrower.key, ...accept] as const),
        [borrower.key, `${path}/withdraw`],
        [borrower.key, `/v1/finance/offers/${offer.id}/decline`],
        [lenders[0]!.key, `/v1/finance/offers/${offer.id}/withdraw`],
        ...lenders.map(({ key }) => [key, `${path}/offers`, counter] as const),
        [debtor.key, `/v1/documents/${listing.document_id}/pay`],
        [debtor.key, `/v1/documents/${listing.document_id}/transition`, { to: 'disputed' }],
      ]
      const replies = await together(moves.length, (i) => {
        const [key, to, body = {}] = moves[(i * 7) % moves.length]!
        return callApi(services[i % 2]!, 'POST', to, { key, body })
      })
      const failed = replies.filter(({ status }) => status >= 500 && status !== 503)
      assert.deepEqual(outcomes(failed), [])
      const ended = await loans.found(borrower.key, path)
      const { data } = await loans.found(
        borrower.key,
        `/v1/finance/offers?listing=${listing.id}&limit=100`,
      )
      const isOver = ended.status !== 'open'
      const open = data.filter(({ status }: { status: string }) => status === 'open')
      assert.equal(isOver && open.length > 0, false, `${ended.status} with open offers`)
      const accepted = data.filter(({ status }: { status: string }) => status === 'accepted')
      assert.equal(accepted.length, ended.status === 'matched' ? 1 : 0)
    }
    await assertServiceConsistent(one)
  })
})

const lockWaiters = sql`select from pg_stat_activity where datname = current_database()
  and application_name like 'docex lane%' and wait_event_type = 'Lock'`

/** All of the calls have read what they read without a lock before one of them gets its locks. */
const atOnce = async (
  { uuid }: TestOrganization,
  calls: readonly (() => Promise<Reply>)[],
): Promise<Reply['body'][]> => {
  const foreign = await openConnection(one.databaseUrl)
  const pending = await inTransaction(foreign, async () => {
    await foreign.run(sql`select from organization_counters
      where organization_id = ${uuid} for no key update`)
    const begun: Promise<Reply>[] = []
    for (const call of calls) {
      begun.push(call())
      const areWaiting = async () => (await one.database.rows(lockWaiters)).length === begun.length
      await until(`${begun.length} calls wait`, areWaiting)
    }
    return begun
  })
  return (await Promise.all(pending)).map(({ body }) => body)
}

test('domain 5.6: near twins that are listed at the same time are counted', async () => {
  const { parties, lenders } = await aCast()
  const { borrower } = parties
  const invoices = await together(3, (i) =>
    loans.invoice(parties, { external_refs: { issuer_ref: `Near ${i}` } }),
  )
  const list = (service: TestService, invoice: number) => () => {
    const body = { document_id: invoices[invoice]!.id, terms: askedTerms }
    return callApi(service, 'POST', '/v1/finance/listings', { key: borrower.key, body })
  }
  const listings = await atOnce(borrower, [list(one, 0), list(two, 1)])
  assert.deepEqual(listings.map(({ duplicate_warning: { matches } }) => matches).toSorted(), [0, 1])
  const path = `/v1/finance/listings/${listings[0].id}/offers`
  const atAsk = { key: lenders[0]!.key, body: { kind: 'at_ask' } }
  const [third, offer] = await atOnce(borrower, [
    list(one, 2),
    () => callApi(two, 'POST', path, atAsk),
  ])
  assert.equal(third.duplicate_warning.matches, 2)
  // The digest has what was true when the offer was made, whichever of the two came first.
  const isAfter = offer.created_at > third.created_at
  const { duplicate_warning } = offer.standing_authorization.document
  assert.deepEqual(duplicate_warning, { matches: isAfter ? 2 : 1 })
})

const counter = { kind: 'counter', terms: { ...askedTerms, principal: 9_000 } }
