/** The setup of borrowers and lenders: accounts, maximum and what is missing (domain 5.1, 5.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { askedTerms, enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import { type TestOrganization, anOrganization, connectPair } from '../../support/fixtures.ts'
import { connectTestProcessor } from '../../support/payments/connect-test-processor.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans

const update = ({ key }: TestOrganization, body: object) =>
  callApi(running, 'PUT', '/v1/finance/setup', { key, body })

const setupOf = ({ key }: TestOrganization) => found(key, '/v1/finance/setup')

const accountOf = async ({ key }: TestOrganization, wanted: object): Promise<string> => {
  const { data } = await found(key, '/v1/treasury/accounts?limit=100')
  const fields = Object.entries(wanted)
  const one = data.find((row: Record<string, unknown>) => fields.every(([k, v]) => row[k] === v))
  return one.id
}

test('domain 5.2: the setup says who can borrow and lend, and what is missing', async () => {
  const organization = await anOrganization(running)
  assert.deepEqual(await setupOf(organization), {
    borrower: { enabled: false, settlement_account_id: null },
    lender: { enabled: false, funding_account_id: null, max_principal: null },
    verified: true,
    eligible_as_borrower: false,
    eligible_as_lender: false,
    blockers: ['borrower_setup', 'lender_setup'],
    updated_at: null,
  })
  const settlement = await accountOf(organization, { purpose: 'settlement', currency: 'USD' })
  const funding = await accountOf(organization, { purpose: 'funding', currency: 'USD' })
  await update(organization, { borrower: { enabled: true } })
  const half = await setupOf(organization)
  assert.deepEqual(half.borrower, { enabled: true, settlement_account_id: settlement })
  assert.deepEqual(
    [half.eligible_as_borrower, half.eligible_as_lender, half.blockers],
    [true, false, ['lender_setup']],
  )
  // A role that is left out stays as it is.
  const { body } = await update(organization, { lender: { enabled: true, max_principal: 50_000 } })
  assert.deepEqual(body, {
    borrower: { enabled: true, settlement_account_id: settlement },
    lender: { enabled: true, funding_account_id: funding, max_principal: 50_000 },
    verified: true,
    eligible_as_borrower: true,
    eligible_as_lender: true,
    blockers: [],
    updated_at: body.updated_at,
  })
  assert.deepEqual(await setupOf(organization), body)
})

test('domain 5.1: only the verified borrow and lend, and in live only through a processor', async () => {
  const unverified = await anOrganization(running, { verified: false })
  const refused = (await update(unverified, { borrower: { enabled: true } })).body.error
  assert.deepEqual(refused?.details, {
    capability: 'finance',
    reason: 'organization_unverified',
    blockers: ['verification'],
  })
  const live = await anOrganization(running, { mode: 'live' })
  await enableFinance(running, live.key)
  const { blockers, eligible_as_borrower, eligible_as_lender } = await setupOf(live)
  assert.deepEqual(blockers, ['payer_processor', 'payee_processor'])
  assert.deepEqual([eligible_as_borrower, eligible_as_lender], [false, false])
})

test('domain 5.1: live: whoever is not connected to the processor lists and offers nothing', async () => {
  const parties = await loanParties(running, 'live')
  const { borrower, debtor, lender } = parties
  const other = await anOrganization(running, { mode: 'live' })
  await connectPair(running, other, borrower)
  const trade = await connectPair(running, other, debtor)
  await enableFinance(running, other.key)
  const { id } = await loans.listed(parties)
  const invoice = await loans.invoice({ ...parties, borrower: other, trade })
  const offers = `/v1/finance/listings/${id}/offers`
  const offer = () => post(other.key, offers, { kind: 'at_ask' })
  const list = () =>
    post(other.key, '/v1/finance/listings', { document_id: invoice.id, terms: askedTerms })
  for (const attempt of [offer, list]) {
    const { status, body } = await attempt()
    assert.deepEqual([status, body.error.code], [403, 'capability_unavailable'])
    assert.deepEqual(body.error.details, {
      capability: 'finance',
      reason: 'processor_not_connected',
      blockers: ['payer_processor', 'payee_processor'],
    })
  }
  const { data } = await found(borrower.key, `/v1/finance/offers?listing=${id}`)
  assert.deepEqual(data, [])
  await connectTestProcessor(running, other)
  assert.deepEqual((await setupOf(other)).blockers, [])
  for (const attempt of [offer, list]) assert.equal((await attempt()).status, 201)
  assert.equal((await post(lender.key, offers, { kind: 'at_ask' })).status, 201)
})

/** As if the processor had taken the payouts of an organization away. */
const disconnect = ({ uuid }: TestOrganization) =>
  runAndSeal(
    running.database,
    'processor_accounts',
    sql`update processor_accounts set payout_reference = null where organization_id = ${uuid}`,
  )

const suspended =
  (at: string | null) =>
  ({ uuid }: TestOrganization) =>
    runAndSeal(
      running.database,
      'organizations',
      sql`update organizations set suspended_at = ${at} where id = ${uuid}`,
    )

test('domain 5.1: an offer of a lender that cannot lend any more is not accepted', async () => {
  const lending = (enabled: boolean) => (lender: TestOrganization) =>
    update(lender, { lender: { enabled } })
  const cases = [
    { mode: 'test', ends: lending(false), resumes: lending(true) },
    { mode: 'test', ends: suspended(new Date().toISOString()), resumes: suspended(null) },
    {
      ...({ mode: 'live', ends: disconnect } as const),
      resumes: (lender: TestOrganization) => connectTestProcessor(running, lender),
    },
  ] as const
  for (const { mode, ends, resumes } of cases) {
    const parties = await loanParties(running, mode)
    const { borrower, lender } = parties
    const offer = await loans.offered(parties)
    const accept = () =>
      post(borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))
    await ends(lender)
    const { status, body } = await accept()
    assert.equal(status, 409, body.error.message)
    assert.deepEqual(body.error.details, { reason: 'offer_not_open', from: 'open' })
    await resumes(lender)
    assert.equal((await accept()).status, 201)
  }
})

test('domain 5.1: live: a borrower that is not connected any more accepts nothing', async () => {
  const parties = await loanParties(running, 'live')
  const offer = await loans.offered(parties)
  const { key } = parties.borrower
  await disconnect(parties.borrower)
  const path = `/v1/finance/offers/${offer.id}/accept`
  const { error } = (await post(key, path, loans.acceptanceOf(offer))).body
  assert.deepEqual(
    [error.code, error.details.blockers],
    ['capability_unavailable', ['payee_processor']],
  )
})

/** Only the dollars of an organization can be debited. */
const paysOnlyDollars = ({ uuid }: TestOrganization) =>
  runAndSeal(
    running.database,
    'processor_accounts',
    sql`update processor_accounts set payment_methods = '{"USD":"pm_usd"}'
      where organization_id = ${uuid}`,
  )

test('domain 5.1: live: both parties of a loan can pay in its currency', async () => {
  const parties = await loanParties(running, 'live')
  const { borrower, lender } = parties
  const euros = { currency: 'EUR' }
  const offer = await loans.offered(parties, {}, euros)
  const list = async (invoice: { id: string }) =>
    post(borrower.key, '/v1/finance/listings', { document_id: invoice.id, terms: askedTerms })
  const accept = () =>
    post(borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))
  const offerAgain = () =>
    post(lender.key, `/v1/finance/listings/${offer.listing_id}/offers`, { kind: 'at_ask' })
  const assertCannotPay = ({ status, text, body }: Reply) => {
    assert.equal(status, 403, text)
    assert.deepEqual(body.error.details.blockers, ['payer_processor'])
  }
  await paysOnlyDollars(lender)
  assertCannotPay(await offerAgain())
  const { error } = (await accept()).body
  assert.deepEqual(error.details, { reason: 'offer_not_open', from: 'open' })
  await connectTestProcessor(running, lender)

  await paysOnlyDollars(borrower)
  assert.equal((await setupOf(borrower)).eligible_as_borrower, true)
  assertCannotPay(await accept())
  assertCannotPay(await list(await loans.invoice(parties, euros)))
  assert.equal((await list(await loans.invoice(parties))).status, 201)
  await connectTestProcessor(running, borrower)
  assert.equal((await accept()).status, 201)
})

test('domain 5.1: a role that is not enabled is named by the refusal', async () => {
  const parties = await loanParties(running)
  const { borrower, lender } = parties
  const blockersOf = async (key: string, path: string, body: object) => {
    const { error } = (await post(key, path, body)).body
    assert.deepEqual([error.code, error.details.reason], ['capability_unavailable', 'not_set_up'])
    assert.equal(error.details.capability, 'finance')
    return error.details.blockers
  }
  const { id } = await loans.listed(parties)
  await update(lender, { lender: { enabled: false } })
  const offers = `/v1/finance/listings/${id}/offers`
  assert.deepEqual(await blockersOf(lender.key, offers, { kind: 'at_ask' }), ['lender_setup'])
  await update(borrower, { borrower: { enabled: false } })
  const { id: document_id } = await loans.invoice(parties)
  const terms = { principal: 1, fee: { type: 'flat', value: 0 }, grace_days: 0 }
  const listing = { document_id, terms }
  assert.deepEqual(await blockersOf(borrower.key, '/v1/finance/listings', listing), [
    'borrower_setup',
  ])
})

test('domain 5.2: a setup takes an account of the purpose, and of the organization', async () => {
  const [organization, other] = [await anOrganization(running), await anOrganization(running)]
  const settlement = await accountOf(organization, { purpose: 'settlement', currency: 'EUR' })
  const funding = await accountOf(organization, { purpose: 'funding', currency: 'EUR' })
  const asBorrower = (settlement_account_id: string) =>
    update(organization, { borrower: { enabled: true, settlement_account_id } })
  const asLender = (funding_account_id: string) =>
    update(organization, { lender: { enabled: true, funding_account_id } })
  const problemOf = ({ body }: Awaited<ReturnType<typeof update>>) => {
    const [{ param, code }] = body.error.details.errors
    return [body.error.code, param, code]
  }
  assert.deepEqual(
    [problemOf(await asBorrower(funding)), problemOf(await asLender(settlement))],
    [
      ['invalid_request', '/borrower/settlement_account_id', 'invalid_value'],
      ['invalid_request', '/lender/funding_account_id', 'invalid_value'],
    ],
  )
  const theirs = await accountOf(other, { purpose: 'settlement', currency: 'EUR' })
  assert.equal((await asBorrower(theirs)).body.error.code, 'not_found')
  assert.equal((await asBorrower(settlement)).body.borrower.settlement_account_id, settlement)
  assert.equal((await asLender(funding)).body.lender.funding_account_id, funding)
})

test('domain 5.2: the accounts of an open agreement stay until it is closed', async () => {
  const parties = await loanParties(running)
  const { borrower, lender } = parties
  const { agreement } = await loans.accepted(parties)
  const changes = [
    [borrower, 'borrower', 'settlement_account_id', 'settlement'],
    [lender, 'lender', 'funding_account_id', 'funding'],
  ] as const
  const change = async ([who, role, field, purpose]: (typeof changes)[number], currency: string) =>
    update(who, { [role]: { enabled: true, [field]: await accountOf(who, { purpose, currency }) } })
  for (const one of changes) {
    const [who, role, field] = one
    const before = await setupOf(who)
    const { status, body } = await change(one, 'EUR')
    assert.equal(status, 409)
    assert.equal(body.error.code, 'conflict')
    assert.deepEqual(body.error.details, {
      reason: 'account_in_use',
      account_id: before[role][field],
    })
    assert.deepEqual(await setupOf(who), before)
    // The same account, the other role and the maximum can be sent.
    assert.equal((await change(one, 'USD')).status, 200)
    assert.equal((await update(who, { lender: { enabled: true, max_principal: 9 } })).status, 200)
  }
  await posted(lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
  for (const one of changes) assert.equal((await change(one, 'EUR')).status, 200)
})

test('domain 5.2: a lender offers at most its max_principal', async () => {
  const parties = await loanParties(running)
  const { lender } = parties
  const { id } = await loans.listed(parties)
  const path = `/v1/finance/listings/${id}/offers`
  const atMost = (max_principal: number | null) =>
    update(lender, { lender: { enabled: true, max_principal } })
  await atMost(9_999.99)
  const refused = await post(lender.key, path, { kind: 'at_ask' })
  const [{ param, code }] = refused.body.error.details.errors
  assert.deepEqual([refused.status, param, code], [400, '/terms/principal', 'out_of_range'])
  await atMost(10_000)
  assert.equal((await post(lender.key, path, { kind: 'at_ask' })).status, 201)
  await atMost(null)
  assert.equal((await post(lender.key, path, { kind: 'at_ask' })).status, 201)
})
