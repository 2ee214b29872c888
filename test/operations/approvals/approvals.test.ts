/** clients 4: a write that needs an approval moves nothing before a person has approved it. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { canonicalJson } from '../../../src/core/canonical-json.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { inDays } from '../../support/dates.ts'
import { type Pair, aPair, exampleLine, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const elsewhere = await running.startAnother()

/** A bill of 1080.00 USD, and a key of its payer that has to ask. */
const aBill = async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const approver = await aMember(running, pair.counterparty, 'approver')
  return { pair, id, key, approver }
}

const sent = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } })

const askedIn = (reply: Reply) => {
  const details = assertRefused(reply, 'conflict')
  assert.equal(details.reason, 'approval_required')
  return details.approval
}

const approve = (session: string, { id, digest }: { id: string; digest: string }, at = running) =>
  callApi(at, 'POST', `/v1/approvals/${id}/approve`, { key: session, body: { digest } })

const decline = (session: string, id: string) =>
  callApi(running, 'POST', `/v1/approvals/${id}/decline`, {
    key: session,
    body: { reason: 'Not ours' },
  })

const reasonOf = (reply: Reply): string => assertRefused(reply, 'conflict').reason

const approvalIn = async (session: string, id: string) =>
  (await callApi(running, 'GET', `/v1/approvals/${id}`, { key: session })).body

const paymentsOf = async (pair: Pair, id: string) =>
  (await callApi(running, 'GET', `/v1/payments?document=${id}`, { key: pair.counterparty.key }))
    .body.data

describe('a payment that needs an approval', () => {
  test('is refused with a digest, then runs once as it was approved, and is replayed', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const send = () => pay(running, key, id, sent(idempotencyKey))
    const first = await send()
    const asked = askedIn(first)
    assert.equal(first.headers.get('svc-should-retry'), 'false')
    const { number } = (await callApi(running, 'GET', `/v1/documents/${id}`, { key })).body
    assert.match(number, /^BILL-/)
    assert.match(asked.summary, new RegExp(`^Pay 1080\\.00 USD to .* for bill ${number}$`))
    const base = running.service.context.config.baseUrl
    assert.equal(asked.url, `${base}/v1/approvals/${asked.id}`)
    const page = `${base}/app/o/${pair.counterparty.id}/approvals?approval=${asked.id}`
    assert.equal(asked.page, page, 'clients.md 1: the refusal names the page for the person')
    assert.deepEqual(askedIn(await send()), asked, 'the same refusal while nobody has decided')
    assert.deepEqual(await paymentsOf(pair, id), [])
    const waitingFor = async (session: string) =>
      (await callApi(running, 'GET', '/v1/me', { key: session })).body.approvals_waiting
    const viewer = await aMember(running, pair.counterparty, 'viewer')
    const waiting = () =>
      Promise.all([approver.session, viewer.session, key, pair.issuer.session].map(waitingFor))
    assert.deepEqual(await waiting(), [1, 0, 0, 0], 'only who may decide is told')
    assert.equal((await approve(approver.session, asked)).body.status, 'approved')
    assert.deepEqual(await waiting(), [0, 0, 0, 0])
    assert.deepEqual(await paymentsOf(pair, id), [], 'an approval alone moves nothing')
    const paid = await send()
    assert.equal(paid.status, 200, paid.text)
    const again = await send()
    assert.equal(again.text, paid.text)
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    assert.equal((await paymentsOf(pair, id)).length, 1)
    assert.equal((await approvalIn(key, asked.id)).status, 'executed')
  })

  test('the digest is the SHA-256 of the statement, which names what is approved', async () => {
    const { pair, id, key } = await aBill()
    const body = { payment_method: 'wire' }
    const { id: approval } = askedIn(await pay(running, key, id, { body }))
    const { statement, digest } = await approvalIn(key, approval)
    assert.equal(digest, `sha256:${hash('sha256', canonicalJson(statement))}`)
    const document = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
    assert.deepEqual(
      [statement.operation, statement.path, statement.body, statement.amount, statement.payee],
      ['documents.pay', `/v1/documents/${id}/pay`, body, '1080.00', pair.issuer.id],
    )
    assert.deepEqual(statement.document, { id, revision: document.body.revision })
    assert.equal(statement.approval_id, approval)
    assert.equal(statement.organization_id, pair.counterparty.id)
  })

  test('every check comes first: what cannot be paid asks nobody', async () => {
    const { pair, id, key, approver } = await aBill()
    await move(running, pair.counterparty.key, id, 'disputed')
    assert.equal(reasonOf(await pay(running, key, id)), 'not_payable')
    const list = await callApi(running, 'GET', '/v1/approvals', { key: approver.session })
    assert.deepEqual(list.body.data, [])
  })

  test('a dry run says that an approval is needed, and asks nobody', async () => {
    const { id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const options = { headers: { 'idempotency-key': idempotencyKey, 'Svc-Dry-Run': 'true' } }
    const asked = askedIn(await pay(running, key, id, options))
    assert.deepEqual([asked.id, asked.digest, asked.expires_at], [null, null, null])
    const list = await callApi(running, 'GET', '/v1/approvals', { key: approver.session })
    assert.deepEqual(list.body.data, [])
  })

  test('a document that has changed makes it stale, also once it is approved', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    await approve(approver.session, asked)
    await move(running, pair.counterparty.key, id, 'disputed')
    await move(running, pair.counterparty.key, id, 'approved')
    const send = () => pay(running, key, id, sent(idempotencyKey))
    assert.equal(reasonOf(await send()), 'approval_stale')
    assert.equal(reasonOf(await send()), 'approval_stale')
    assert.equal((await approvalIn(key, asked.id)).status, 'stale')
    assert.deepEqual(await paymentsOf(pair, id), [])
  })

  test('a declined one stays declined; an approval that is not used can be taken back', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    await approve(approver.session, asked)
    const declined = await decline(approver.session, asked.id)
    assert.deepEqual([declined.status, declined.body.status], [200, 'declined'])
    assert.equal(reasonOf(await approve(approver.session, asked)), 'illegal_transition')
    assert.equal(reasonOf(await pay(running, key, id, sent(idempotencyKey))), 'approval_declined')
    assert.deepEqual(await paymentsOf(pair, id), [])
  })

  test('its Idempotency-Key belongs to the caller and the body that asked', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    await approve(approver.session, asked)
    const body = { payment_method: 'wire' }
    const other = await pay(running, key, id, { ...sent(idempotencyKey), body })
    assertRefused(other, 'idempotency_conflict')
    for (const another of [pair.counterparty.key, pair.counterparty.session]) {
      const taken = await pay(running, another, id, sent(idempotencyKey))
      assertRefused(taken, 'idempotency_conflict')
    }
    const draft = await callApi(running, 'POST', '/v1/documents', {
      key: pair.counterparty.key,
      ...sent(idempotencyKey),
      body: { connection_id: pair.connection, document_type: 'invoice', line_items: [exampleLine] },
    })
    assertRefused(draft, 'idempotency_conflict')
    const state = await callApi(running, 'GET', `/v1/idempotency/${idempotencyKey}`, { key })
    assert.deepEqual(state.body, { status: 'unknown' })
    assert.deepEqual(await paymentsOf(pair, id), [])
  })

  test('transitions that pay need it as well, and so does cancelling a payment', async () => {
    const { pair, id, key, approver } = await aBill()
    const day = inDays(30)
    for (const body of [
      { to: 'payment_scheduled', scheduled_for: day },
      { to: 'approved' },
      { to: 'paid' },
    ]) {
      const options = { key, ...sent(freshIdempotencyKey()), body }
      const send = () => callApi(running, 'POST', `/v1/documents/${id}/transition`, options)
      await approve(approver.session, askedIn(await send()))
      const moved = await send()
      assert.equal(moved.status, 200, `${body.to}: ${moved.text}`)
    }
    assert.equal((await paymentsOf(pair, id)).length, 2)
  })
})

describe('who approves', () => {
  test('sessions of owner, admin and approver; never a key, nor another role', async () => {
    const { pair, id, key, approver } = await aBill()
    const asked = askedIn(await pay(running, key, id))
    for (const other of [key, pair.counterparty.key]) {
      const details = assertRefused(await approve(other, asked), 'insufficient_scope')
      assert.deepEqual(details.required_scopes, ['approver_session'])
    }
    for (const role of ['developer', 'finance', 'viewer', 'member'] as const) {
      const { session } = await aMember(running, pair.counterparty, role)
      assertRefused(await approve(session, asked), 'insufficient_scope')
      assertRefused(await decline(session, asked.id), 'insufficient_scope')
    }
    assert.equal((await approve(approver.session, asked)).status, 200)
  })

  test('four eyes: not whoever made the key, nor made the key before its rotation', async () => {
    const { pair, id } = await aBill()
    const [maker, rotator, third] = [
      await aMember(running, pair.counterparty, 'admin'),
      await aMember(running, pair.counterparty, 'admin'),
      await aMember(running, pair.counterparty, 'approver'),
    ]
    const minted = await callApi(running, 'POST', '/v1/keys', {
      key: maker.session,
      body: {
        name: 'Agent',
        scopes: ['documents:read', 'documents:write', 'payments:write'],
        requires_approval: true,
      },
    })
    const path = `/v1/keys/${minted.body.id}/rotate`
    const rotated = await callApi(running, 'POST', path, { key: rotator.session })
    assert.equal(rotated.body.requires_approval, true, 'a rotation carries the rule')
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, minted.body.key, id, sent(idempotencyKey)))
    for (const { session } of [maker, rotator]) {
      const refused = await approve(session, asked)
      assert.equal(assertRefused(refused, 'forbidden').reason, 'four_eyes')
      assert.match(refused.body.error.message, /another person decides\. .*POST \/v1\/invitations/)
      assert.equal(assertRefused(await decline(session, asked.id), 'forbidden').reason, 'four_eyes')
    }
    assert.equal((await approve(third.session, asked)).status, 200)
    const paid = await pay(running, rotated.body.key, id, sent(idempotencyKey))
    assert.equal(paid.status, 200, 'the rotated key asked for the same')
  })

  test('only the exact digest', async () => {
    const { id, key, approver } = await aBill()
    const asked = askedIn(await pay(running, key, id))
    const wrong = { ...asked, digest: `sha256:${'0'.repeat(64)}` }
    assert.equal(reasonOf(await approve(approver.session, wrong)), 'authorization_digest_mismatch')
    assertRefused(await approve(approver.session, { ...asked, digest: 'yes' }), 'invalid_request')
    assert.equal((await approvalIn(key, asked.id)).status, 'pending')
  })

  test('another organization sees and decides nothing, and another key sees nothing', async () => {
    const { pair, id, key } = await aBill()
    const asked = askedIn(await pay(running, key, id))
    const path = `/v1/approvals/${asked.id}`
    for (const other of [pair.issuer.session, pair.issuer.key, pair.counterparty.key]) {
      assertRefused(await callApi(running, 'GET', path, { key: other }), 'not_found')
      const list = await callApi(running, 'GET', '/v1/approvals', { key: other })
      assert.deepEqual(list.body.data, [])
    }
    assertRefused(await approve(pair.issuer.session, asked), 'not_found')
  })
})

describe('races', () => {
  test('of two approvals and two sends on two processes, one payment is made', async () => {
    const { pair, id, key, approver } = await aBill()
    const second = await aMember(running, pair.counterparty, 'approver')
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    const send = (at: typeof running) => pay(at, key, id, sent(idempotencyKey))
    await Promise.all([
      approve(approver.session, asked),
      approve(second.session, asked, elsewhere),
      send(running),
      send(elsewhere),
    ])
    await Promise.all([send(running), send(elsewhere), send(running)])
    assert.equal((await send(running)).status, 200)
    assert.equal((await paymentsOf(pair, id)).length, 1)
  })

  test('an approval that races a change of the document is used before it or not at all', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    await approve(approver.session, asked)
    const [paid, moved] = await Promise.all([
      pay(running, key, id, sent(idempotencyKey)),
      move(elsewhere, pair.counterparty.key, id, 'disputed'),
    ])
    if (paid.status === 200) assert.equal(moved.status, 409)
    else assert.equal(reasonOf(paid), 'approval_stale')
  })

  test('a revoked key uses no approval', async () => {
    const { pair, id, key, approver } = await aBill()
    const idempotencyKey = freshIdempotencyKey()
    const asked = askedIn(await pay(running, key, id, sent(idempotencyKey)))
    const { key_id } = await approvalIn(key, asked.id)
    await approve(approver.session, asked)
    const path = `/v1/keys/${key_id}/revoke`
    await callApi(running, 'POST', path, { key: pair.counterparty.session })
    assertRefused(await pay(running, key, id, sent(idempotencyKey)), 'unauthorized')
    assert.deepEqual(await paymentsOf(pair, id), [])
  })
})
