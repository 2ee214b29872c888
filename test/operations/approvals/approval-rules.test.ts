/** Contract 12: the rules of an organization say which writes wait, and for whom. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Role } from '../../../src/contract/roles.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { type Pair, type TestOrganization, aPair } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const dryRun = { headers: { 'svc-dry-run': 'true' } }

const payingUsd = { operation: 'documents.pay', currency: 'USD' }

const sendRule = (key: string, body: object) =>
  callApi(running, 'POST', '/v1/approval_rules', { key, body: { name: 'A rule', ...body } })

const aRule = async ({ session }: Pick<TestOrganization, 'session'>, body: object) => {
  const reply = await sendRule(session, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** A bill of 1080.00 USD, whose payer has an admin who pays. */
const aBill = async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  return { pair, id, payer: pair.counterparty }
}

const people = (payer: TestOrganization, roles: readonly Role[]) =>
  Promise.all(roles.map((role) => aMember(running, payer, role)))

const askedIn = (reply: Reply) => {
  const details = assertRefused(reply, 'conflict')
  assert.equal(details.reason, 'approval_required')
  return details.approval
}

const approve = (session: string, { id, digest }: { id: string; digest: string }) =>
  callApi(running, 'POST', `/v1/approvals/${id}/approve`, { key: session, body: { digest } })

const reasonOf = (reply: Reply) => assertRefused(reply, 'forbidden').reason

const paymentsOf = async ({ counterparty }: Pair, id: string) =>
  (await callApi(running, 'GET', `/v1/payments?document=${id}`, { key: counterparty.key })).body
    .data

const tryRules = ({ session: key }: TestOrganization, body: object) =>
  callApi(running, 'POST', '/v1/approval_rules/test', { key, body })

const tried = async (organization: TestOrganization, body: object) => {
  const reply = await tryRules(organization, body)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

describe('what a rule makes wait', () => {
  test('a session that pays more than the amount waits for another person, then pays once', async () => {
    const { pair, id, payer } = await aBill()
    await aRule(payer, { when: { ...payingUsd, amount_above: 1079.99 } })
    const [approver] = await people(payer, ['approver'])
    const sent = { headers: { 'idempotency-key': freshIdempotencyKey() } }
    const asked = askedIn(await pay(running, payer.session, id, sent))
    assert.deepEqual(await paymentsOf(pair, id), [])
    assert.equal(reasonOf(await approve(payer.session, asked)), 'four_eyes')
    assert.equal((await approve(approver!.session, asked)).body.status, 'approved')
    const paid = await pay(running, payer.session, id, sent)
    assert.equal(paid.status, 200, paid.text)
    assert.equal((await pay(running, payer.session, id, sent)).text, paid.text)
    assert.equal((await paymentsOf(pair, id)).length, 1)
    const history = await callApi(running, 'GET', `/v1/documents/${id}/history`, { key: payer.key })
    const shown = history.body.entries.flatMap(
      (entry: { approval?: object }) => entry.approval ?? [],
    )
    assert.deepEqual(
      shown.map(({ approved_by }: { approved_by: string[] }) => approved_by),
      [[approver!.id]],
    )
  })

  test('a payment of exactly the amount, and what no rule names, does not wait', async () => {
    const { id, payer } = await aBill()
    await aRule(payer, { when: { ...payingUsd, amount_above: 1080 } })
    await aRule(payer, { when: { operation: 'documents.pay', currency: 'EUR' } })
    await aRule(payer, { when: { operation: 'finance.offers.accept' } })
    assert.equal((await pay(running, payer.session, id)).status, 200)
  })

  test('a rule for one way to pay a document holds for all of them', async () => {
    for (const operation of ['documents.pay', 'documents.transition']) {
      const { id, payer } = await aBill()
      await aRule(payer, { when: { operation, document_type: 'invoice' } })
      askedIn(await pay(running, payer.session, id))
      const path = `/v1/documents/${id}/transition`
      const body = { to: 'paid' }
      askedIn(await callApi(running, 'POST', path, { key: payer.session, body }))
    }
  })

  test('a repayment waits, whether it is repaid or paid as a document', async () => {
    const parties = await loanParties(running)
    const loans = loansClient(running)
    const { id, documents } = await loans.funded(parties)
    const { session } = parties.borrower
    await aRule(parties.borrower, { when: { operation: 'finance.agreements.repay' } })
    askedIn(await loans.post(session, `/v1/finance/agreements/${id}/repayment`))
    askedIn(await pay(running, session, documents.repayment_id))
  })

  test('a rule for a connection holds for the loans on it', async () => {
    const parties = await loanParties(running)
    const { lender, borrower } = parties
    const loans = loansClient(running)
    const [{ id: connection_id }] = (await loans.found(lender.key, '/v1/connections')).data
    const { id } = await loans.listed(parties)
    const offers = `/v1/finance/listings/${id}/offers`
    const offer = await loans.posted(lender.session, offers, { kind: 'at_ask' })
    await aRule(lender, { when: { operation: 'finance.offers.create', connection_id } })
    askedIn(await loans.post(lender.session, offers, { kind: 'at_ask' }))
    await aRule(borrower, { when: { operation: 'finance.offers.accept', connection_id } })
    const path = `/v1/finance/offers/${offer.id}/accept`
    askedIn(await loans.post(borrower.session, path, loans.acceptanceOf(offer)))
  })

  test('a rule binds the keys that have to ask, and no other key', async () => {
    const { id, payer } = await aBill()
    const rule = await aRule(payer, { when: payingUsd, approvers: 2 })
    const asking = await aKeyThatAsks(running, payer)
    const { id: approval } = askedIn(await pay(running, asking, id))
    const { body } = await callApi(running, 'GET', `/v1/approvals/${approval}`, { key: asking })
    assert.deepEqual(body.requirements, [
      { rule_id: rule.id, name: 'A rule', approvers: 2, roles: null, user_ids: null },
    ])
    const thresholds = { requires_approval: false, requires_approval_above: '{"USD":"200000"}' }
    const below = await aKeyThatAsks(running, payer, thresholds)
    assert.equal((await pay(running, below, id, dryRun)).status, 200)
    assert.equal((await pay(running, payer.key, id)).status, 200)
  })

  test('a dry run says that it would wait, and asks nobody', async () => {
    const { id, payer } = await aBill()
    await aRule(payer, { when: payingUsd })
    assert.equal(askedIn(await pay(running, payer.session, id, dryRun)).id, null)
    const list = await callApi(running, 'GET', '/v1/approvals', { key: payer.session })
    assert.deepEqual(list.body.data, [])
  })
})

describe('whose consent counts', () => {
  test('as many different people as the rule asks for, in its roles', async () => {
    const { id, payer } = await aBill()
    await aRule(payer, { when: payingUsd, approvers: 2, roles: ['owner', 'approver'] })
    const [admin, one, two] = await people(payer, ['admin', 'approver', 'owner'])
    const sent = { headers: { 'idempotency-key': freshIdempotencyKey() } }
    const asked = askedIn(await pay(running, payer.session, id, sent))
    assert.equal(reasonOf(await approve(admin!.session, asked)), 'not_an_approver')
    assert.equal((await approve(one!.session, asked)).body.status, 'pending')
    assert.equal((await approve(one!.session, asked)).body.status, 'pending', 'counted once')
    askedIn(await pay(running, payer.session, id, sent))
    assert.equal((await approve(two!.session, asked)).body.status, 'approved')
    assert.equal((await pay(running, payer.session, id, sent)).status, 200)
  })

  test('each rule that matches has to be met; one person may count for several', async () => {
    const { id, payer } = await aBill()
    const [one, two] = await people(payer, ['approver', 'admin'])
    await aRule(payer, { when: payingUsd, user_ids: [one!.id] })
    await aRule(payer, { when: payingUsd, approvers: 2 })
    const asked = askedIn(await pay(running, payer.session, id))
    assert.equal((await approve(two!.session, asked)).body.status, 'pending')
    assert.equal((await approve(one!.session, asked)).body.status, 'approved')
  })

  test('what waits keeps the requirements with which it was asked', async () => {
    const { pair, id, payer } = await aBill()
    const rule = await aRule(payer, { when: payingUsd, approvers: 2 })
    const [approver] = await people(payer, ['approver'])
    const sent = { headers: { 'idempotency-key': freshIdempotencyKey() } }
    const asked = askedIn(await pay(running, payer.session, id, sent))
    const path = `/v1/approval_rules/${rule.id}`
    const changed = await callApi(running, 'PATCH', path, {
      key: payer.session,
      body: { approvers: 1, name: 'One is enough' },
    })
    assert.deepEqual([changed.body.approvers, changed.body.when.currency], [1, 'USD'])
    assert.equal((await approve(approver!.session, asked)).body.status, 'pending')
    const removed = await callApi(running, 'DELETE', path, { key: payer.session })
    assert.equal(removed.body.name, 'One is enough')
    askedIn(await pay(running, payer.session, id, sent))
    assert.deepEqual(await paymentsOf(pair, id), [])
    assert.equal((await pay(running, payer.session, id)).status, 200, 'a new request is free')
  })
})

test('trying the rules tells which apply, and how many members count', async () => {
  const { pair, payer } = await aBill()
  await people(payer, ['approver', 'viewer'])
  const when = { operation: 'documents.pay', connection_id: pair.connection }
  await aRule(payer, { name: 'Partner', when: { ...when, document_type: 'invoice' } })
  const write = { operation: 'documents.pay', amount: 5, currency: 'USD', document_type: 'invoice' }
  const { requires_approval, requirements } = await tried(payer, {
    ...write,
    connection_id: pair.connection,
  })
  assert.equal(requires_approval, true)
  assert.deepEqual([requirements[0].name, requirements[0].eligible_members], ['Partner', 2])
  for (const other of [
    write,
    { ...write, connection_id: pair.connection, document_type: 'credit_note' },
  ]) {
    assert.deepEqual((await tried(payer, other)).requirements, [])
  }
})

test('trying the rules without a type finds those for every way to pay a document', async () => {
  const { payer } = await aBill()
  await aRule(payer, { name: 'Any move', when: { operation: 'documents.transition' } })
  await aRule(payer, { name: 'Loans', when: { ...payingUsd, document_type: 'repayment' } })
  const namesFor = async (operation: string) => {
    const { requirements } = await tried(payer, { operation, amount: 5_000, currency: 'USD' })
    return requirements.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await namesFor('documents.pay'), ['Any move'])
  assert.deepEqual(await namesFor('documents.transition'), ['Any move'])
  assert.deepEqual(await namesFor('finance.agreements.repay'), ['Any move', 'Loans'])
  assert.deepEqual(await namesFor('finance.offers.accept'), [])
})

test('a rule that nobody could meet, or that says too much, is refused', async () => {
  const { payer } = await aBill()
  const [viewer, approver] = await people(payer, ['viewer', 'approver'])
  const refused = async (body: object, ...problems: string[]) =>
    assertProblems(await sendRule(payer.session, body), ...problems)
  const when = payingUsd
  await refused(
    { when: { operation: 'documents.pay', amount_above: 5 } },
    '/when/currency required',
  )
  await refused({ when: { ...when, amount_above: 0.001 } }, '/when/amount_above too_precise')
  await refused({ when: { ...when, amount_above: 1e15 } }, '/when/amount_above out_of_range')
  for (const [operation, document_type] of [
    ['finance.offers.create', 'invoice'],
    ['finance.agreements.repay', 'invoice'],
    ['documents.pay', 'quote'],
  ]) {
    await refused({ when: { operation, document_type } }, '/when/document_type invalid_value')
    const write = { operation, document_type, amount: 1, currency: 'USD' }
    assertProblems(await tryRules(payer, write), '/document_type invalid_value')
  }
  await refused({ when, roles: ['viewer'] }, '/roles/0 invalid_value')
  await refused({ when, user_ids: [viewer!.id] }, '/user_ids/0 invalid_value')
  await refused({ when, user_ids: [approver!.id], approvers: 2 }, '/approvers out_of_range')
  await refused({ when, user_ids: [approver!.id], roles: ['owner'] }, '/user_ids invalid_value')
  await refused({ when, approvers: 4 }, '/approvers out_of_range')
  const { connection: connection_id } = await aPair(running)
  const foreign = await sendRule(payer.session, { when: { ...when, connection_id } })
  assertRefused(foreign, 'not_found')
})

test('a rule goes on naming whoever has left, and names nobody else who may not approve', async () => {
  const { payer } = await aBill()
  const [left, stays, viewer] = await people(payer, ['approver', 'approver', 'viewer'])
  const user_ids = [left!.id, stays!.id]
  const { id } = await aRule(payer, { when: payingUsd, user_ids })
  await callApi(running, 'DELETE', `/v1/members/${left!.id}`, { key: payer.session })
  const update = (body: object) =>
    callApi(running, 'PATCH', `/v1/approval_rules/${id}`, { key: payer.session, body })
  const again = await update({ user_ids, name: 'Renamed' })
  assert.deepEqual([again.status, again.body.user_ids], [200, user_ids], again.text)
  assertProblems(await update({ user_ids: [...user_ids, viewer!.id] }), '/user_ids/2 invalid_value')
  assert.deepEqual((await update({ user_ids: [stays!.id] })).body.user_ids, [stays!.id])
  assertProblems(await update({ user_ids }), '/user_ids/0 invalid_value')
})

test('an organization has a bounded number of rules, which only its admins see and change', async () => {
  const { pair, payer } = await aBill()
  const made = []
  for (let count = 0; count < 50; count += 1) made.push(await aRule(payer, { when: payingUsd }))
  const full = assertRefused(await sendRule(payer.session, { when: payingUsd }), 'conflict')
  assert.equal(full.reason, 'too_many_approval_rules')
  const list = (key: string, query: string) =>
    callApi(running, 'GET', `/v1/approval_rules?${query}`, { key })
  const first = (await list(payer.session, 'limit=20')).body
  const rest = (await list(payer.session, `limit=100&cursor=${first.next_cursor}`)).body
  const ids = [...first.data, ...rest.data].map(({ id }) => id)
  assert.deepEqual(ids, made.map(({ id }) => id).toReversed())
  const path = `/v1/approval_rules/${ids[0]}`
  const { issuer } = pair
  assertRefused(await callApi(running, 'DELETE', path, { key: issuer.session }), 'not_found')
  const [approver] = await people(payer, ['approver'])
  for (const key of [payer.key, approver!.session]) {
    assertRefused(await callApi(running, 'DELETE', path, { key }), 'insufficient_scope')
    assertRefused(await sendRule(key, { when: payingUsd }), 'insufficient_scope')
  }
})
