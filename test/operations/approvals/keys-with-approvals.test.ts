/** clients 4: which payments of a key need an approval, and where its record is kept. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Currency } from '../../../src/contract/currencies.ts'
import { canonicalJson } from '../../../src/core/canonical-json.ts'
import { thresholdsText } from '../../../src/core/approvals/thresholds.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember, always } from '../../support/approvals/keys-that-ask.ts'
import { inDays } from '../../support/dates.ts'
import { type LoanParties, loanParties, loansClient } from '../../support/finance/loans.ts'
import { aPair, anOrganization, exampleLine, move } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { assertBundlesHold } from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const sent = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } })

const assertAsks = (reply: Reply) => {
  const details = assertRefused(reply, 'conflict')
  assert.equal(details.reason, 'approval_required', reply.text)
  return details.approval
}

const above = (amounts: Partial<Record<Currency, bigint>>) => ({
  requires_approval: false,
  requires_approval_above: thresholdsText(new Map(Object.entries(amounts))),
})

const scopes = ['documents:read', 'documents:write', 'payments:read', 'payments:write']

const create = (key: string, body: object) =>
  callApi(running, 'POST', '/v1/keys', { key, body: { name: 'Agent', scopes, ...body } })

describe('a key with requires_approval_above', () => {
  test('pays up to the sum of a day by itself, across its rotations', async () => {
    const pair = await aPair(running)
    const bills = [
      await anApprovedInvoice(running, pair),
      await anApprovedInvoice(running, pair),
      await anApprovedInvoice(running, pair),
    ]
    const [first, second, third] = bills.map(({ id }) => id)
    const { session } = pair.counterparty
    const minted = await create(session, { requires_approval_above: { USD: 2_160 } })
    assert.deepEqual(minted.body.requires_approval_above, { USD: 2_160 })
    assert.equal((await pay(running, minted.body.key, first)).status, 200)
    const path = `/v1/keys/${minted.body.id}/rotate`
    const rotated = await callApi(running, 'POST', path, { key: session })
    assert.deepEqual(rotated.body.requires_approval_above, { USD: 2_160 })
    assert.equal((await pay(running, rotated.body.key, second)).status, 200)
    assertAsks(await pay(running, rotated.body.key, third))
  })

  test('asks for everything in a currency that is not named', async () => {
    const pair = await aPair(running)
    const { id } = await anApprovedInvoice(running, pair)
    const key = await aKeyThatAsks(running, pair.counterparty, above({ EUR: 10_000_000n }))
    assertAsks(await pay(running, key, id))
  })
})

test('clients.md 4: a loan counts with what is lent, or with all that is to be repaid', async () => {
  const parties = await loanParties(running)
  const { lender, borrower } = parties
  const loans = loansClient(running)
  const listing = await loans.listed(parties)
  const offers = `/v1/finance/listings/${listing.id}/offers`
  const offerBy = async (threshold: bigint) => {
    const key = await aKeyThatAsks(running, lender, above({ USD: threshold }))
    return loans.post(key, offers, { kind: 'at_ask' })
  }
  assertAsks(await offerBy(999_999n))
  const { status, body: offer } = await offerBy(1_000_000n)
  assert.equal(status, 201)
  const acceptBy = async (threshold: bigint) => {
    const key = await aKeyThatAsks(running, borrower, above({ USD: threshold }))
    const path = `/v1/finance/offers/${offer.id}/accept`
    return loans.post(key, path, loans.acceptanceOf(offer))
  }
  assertAsks(await acceptBy(1_024_999n))
  assert.equal((await acceptBy(1_025_000n)).status, 201)
})

test('clients.md 4: a payment that others have scheduled is not brought forward unasked', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const { key } = pair.counterparty
  const scheduled = await move(running, key, id, 'payment_scheduled', { scheduled_for: inDays(5) })
  assert.equal(scheduled.status, 200, scheduled.text)
  const asks = await aKeyThatAsks(running, pair.counterparty)
  assertAsks(await pay(running, asks, id))
  assertAsks(await move(running, asks, id, 'paid'))
  const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
  assert.equal(body.payment.status, 'scheduled')
})

test('clients.md 4: whether a key may cancel by itself depends on the sum of the same day', async () => {
  const pair = await aPair(running)
  const [first, second] = [
    await anApprovedInvoice(running, pair),
    await anApprovedInvoice(running, pair),
  ]
  const key = await aKeyThatAsks(running, pair.counterparty, above({ USD: 108_000n }))
  const approver = await aMember(running, pair.counterparty, 'approver')
  const body = { to: 'payment_scheduled', scheduled_for: inDays(5) }
  const options = { key, body, ...sent(freshIdempotencyKey()) }
  const path = `/v1/documents/${second.id}/transition`
  const schedule = () => callApi(running, 'POST', path, options)
  assert.equal((await move(running, key, first.id, body.to, body)).status, 200)
  const { id, digest } = assertAsks(await schedule())
  const decision = { key: approver.session, body: { digest } }
  await callApi(running, 'POST', `/v1/approvals/${id}/approve`, decision)
  assert.equal((await schedule()).status, 200)
  assertAsks(await move(running, key, second.id, 'approved'))
})

describe('the setting of a key', () => {
  test('is for payments:write, one of the two, in amounts', async () => {
    const { session } = await anOrganization(running)
    const reading = await create(session, { scopes: ['documents:read'], requires_approval: true })
    assertProblems(reading, '/requires_approval invalid_value')
    const both = await create(session, {
      requires_approval: true,
      requires_approval_above: { USD: 1 },
    })
    assertProblems(both, '/requires_approval_above invalid_value')
    const precise = await create(session, { requires_approval_above: { USD: 0.001 } })
    assertProblems(precise, '/requires_approval_above/USD too_precise')
    const unknown = await create(session, { requires_approval_above: { XYZ: 1 } })
    assertProblems(unknown, '/requires_approval_above/XYZ unknown_field')
  })
})

test('clients.md 4: payment limits refuse before anybody is asked', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const approver = await aMember(running, pair.counterparty, 'approver')
  for (const [limit, more] of [
    ['max_per_payment', { maxPerPayment: 107_999n }],
    ['daily_volume', { dailyVolume: 107_999n }],
  ] as const) {
    const key = await aKeyThatAsks(running, pair.counterparty, always, more)
    const details = assertRefused(await pay(running, key, id), 'payment_limit_exceeded')
    assert.deepEqual([details.limit, details.attempted], [limit, 1_080])
  }
  const { body } = await callApi(running, 'GET', '/v1/approvals', { key: approver.session })
  assert.deepEqual(body.data, [])
  const within = await aKeyThatAsks(running, pair.counterparty, always, { dailyVolume: 108_000n })
  assertAsks(await pay(running, within, id))
})

const credit = async (key: string, id: string): Promise<void> => {
  const line_items = [{ ...exampleLine, quantity: 1 }]
  const body = { document_type: 'credit_note', line_items }
  const note = await callApi(running, 'POST', `/v1/documents/${id}/convert`, { key, body })
  assert.equal(note.status, 201, note.text)
  const issued = await callApi(running, 'POST', `/v1/documents/${note.body.id}/issue`, { key })
  assert.equal(issued.status, 200, issued.text)
}

const dispute = async (key: string, id: string): Promise<void> => {
  const body = { to: 'disputed' }
  const reply = await callApi(running, 'POST', `/v1/documents/${id}/transition`, { key, body })
  assert.equal(reply.status, 200, reply.text)
}

test('clients.md 4: a credit note that comes after the approval makes it stale', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const approver = await aMember(running, pair.counterparty, 'approver')
  const idempotencyKey = freshIdempotencyKey()
  const { id: approval, digest } = assertAsks(await pay(running, key, id, sent(idempotencyKey)))
  const path = `/v1/approvals/${approval}/approve`
  const options = { key: approver.session, body: { digest } }
  assert.equal((await callApi(running, 'POST', path, options)).status, 200)
  await credit(pair.issuer.key, id)
  const refused = assertRefused(await pay(running, key, id, sent(idempotencyKey)), 'conflict')
  assert.equal(refused.reason, 'approval_stale')
  const bill = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
  assert.deepEqual([bill.body.status, bill.body.balance_due], ['approved', 972])
})

test('clients.md 4: it also makes the approval of accepting an offer for the invoice stale', async () => {
  const parties = await loanParties(running)
  const { borrower } = parties
  const loans = loansClient(running)
  const listing = await loans.listed(parties)
  const offers = `/v1/finance/listings/${listing.id}/offers`
  const offer = await loans.posted(parties.lender.key, offers, { kind: 'at_ask' })
  const key = await aKeyThatAsks(running, borrower)
  const approver = await aMember(running, borrower, 'approver')
  const { headers } = sent(freshIdempotencyKey())
  const path = `/v1/finance/offers/${offer.id}/accept`
  const accept = () =>
    callApi(running, 'POST', path, { key, headers, body: loans.acceptanceOf(offer) })
  const { id: approval, digest } = assertAsks(await accept())
  await loans.posted(approver.session, `/v1/approvals/${approval}/approve`, { digest })
  await credit(borrower.key, listing.document_id)
  assert.equal(assertRefused(await accept(), 'conflict').reason, 'approval_stale')
})

for (const [what, happens] of [
  ['credited', ({ borrower }, invoice) => credit(borrower.key, invoice)],
  ['disputed', ({ debtor }, invoice) => dispute(debtor.key, invoice)],
] as [string, (parties: LoanParties, invoice: string) => Promise<void>][]) {
  test(`clients.md 4: lending is approved anew once the invoice is ${what}`, async () => {
    const parties = await loanParties(running)
    const { lender } = parties
    const loans = loansClient(running)
    const { agreement } = await loans.accepted(parties)
    const { disbursement_id: id } = agreement.documents
    const key = await aKeyThatAsks(running, lender)
    const approver = await aMember(running, lender, 'approver')
    const approved = async () => {
      const options = sent(freshIdempotencyKey())
      const { id: approval, digest } = assertAsks(await pay(running, key, id, options))
      await loans.posted(approver.session, `/v1/approvals/${approval}/approve`, { digest })
      return () => pay(running, key, id, options)
    }
    const lend = await approved()
    await happens(parties, agreement.pledged_document_id)
    assert.equal(assertRefused(await lend(), 'conflict').reason, 'approval_stale')
    const lendNow = await approved()
    const { status, text } = await lendNow()
    assert.equal(status, 200, text)
  })
}

test('clients.md 4: the digest covers the key that asked, and until when', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const digests = new Set<string>()
  for (const key of [
    await aKeyThatAsks(running, pair.counterparty),
    await aKeyThatAsks(running, pair.counterparty),
  ]) {
    const asked = assertAsks(await pay(running, key, id))
    const { body } = await callApi(running, 'GET', `/v1/approvals/${asked.id}`, { key })
    const me = await callApi(running, 'GET', '/v1/me', { key })
    const { statement, digest } = body
    assert.deepEqual([statement.key_id, statement.expires_at], [me.body.key.id, asked.expires_at])
    const day = Date.parse(asked.expires_at) - Date.parse(body.created_at)
    assert.equal(day, 86_400_000)
    assert.equal(digest, `sha256:${hash('sha256', canonicalJson(statement))}`)
    digests.add(digest)
  }
  assert.equal(digests.size, 2)
})

test('the history shows approval, digest and approver to the own side only, and bundles verify', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty, always)
  const approver = await aMember(running, pair.counterparty, 'approver')
  const idempotencyKey = freshIdempotencyKey()
  const asked = assertAsks(await pay(running, key, id, sent(idempotencyKey)))
  const { digest } = asked
  const path = `/v1/approvals/${asked.id}/approve`
  await callApi(running, 'POST', path, { key: approver.session, body: { digest } })
  assert.equal((await pay(running, key, id, sent(idempotencyKey))).status, 200)
  const history = async (reader: string) =>
    callApi(running, 'GET', `/v1/documents/${id}/history`, { key: reader })
  const own = await history(pair.counterparty.key)
  const shown = own.body.entries.flatMap(({ approval }: { approval?: object }) => approval ?? [])
  assert.deepEqual(shown, [{ id: asked.id, digest, approved_by: [approver.id] }])
  const other = await history(pair.issuer.key)
  for (const secret of [asked.id, digest, approver.id]) assert(!other.text.includes(secret))
  await assertBundlesHold(running, id, [pair.counterparty.key, pair.issuer.key])
})

test('offering a loan, accepting it and repaying need an approval', async () => {
  const parties = await loanParties(running)
  const loans = loansClient(running)
  const listing = await loans.listed(parties)
  const lends = await aKeyThatAsks(running, parties.lender)
  const offers = `/v1/finance/listings/${listing.id}/offers`
  assert.match(
    assertAsks(await loans.post(lends, offers, { kind: 'at_ask' })).summary,
    /^Offer to lend 10000\.00 USD to /,
  )
  const offer = await loans.posted(parties.lender.key, offers, { kind: 'at_ask' })
  const borrows = await aKeyThatAsks(running, parties.borrower)
  const accept = `/v1/finance/offers/${offer.id}/accept`
  assertAsks(await loans.post(borrows, accept, loans.acceptanceOf(offer)))
  const still = await loans.found(parties.borrower.key, `/v1/finance/offers/${offer.id}`)
  assert.equal(still.status, 'open')
  const agreement = await loans.funded(parties)
  assertAsks(await loans.post(borrows, `/v1/finance/agreements/${agreement.id}/repayment`))
})
