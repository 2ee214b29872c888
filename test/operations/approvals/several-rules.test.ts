/** Contract 12: each rule, and each decision on what waits, stands beside the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aMember } from '../../support/approvals/keys-that-ask.ts'
import { type TestOrganization, aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const call = async (method: string, path: string, key: string, body?: object) => {
  const reply = await callApi(running, method, path, { key, body })
  assert(reply.status < 300, reply.text)
  return reply.body
}

const aRule = ({ session }: TestOrganization, body: object) =>
  call('POST', '/v1/approval_rules', session, { name: 'A rule', ...body })

const when = { operation: 'documents.pay', currency: 'USD' }

test('a change of a rule, and its deletion, leave the other rules as they are', async () => {
  const { counterparty: payer } = await aPair(running)
  const first = await aRule(payer, { when, approvers: 2 })
  const second = await aRule(payer, { when: { ...when, currency: 'EUR' } })
  const third = await aRule(payer, { when: { ...when, currency: 'GBP' } })
  const rules = async () => (await call('GET', '/v1/approval_rules', payer.session)).data
  const path = `/v1/approval_rules/${second.id}`
  const changed = await call('PATCH', path, payer.session, { name: 'Euros' })
  assert.deepEqual([changed.id, changed.name, changed.when], [second.id, 'Euros', second.when])
  assert.deepEqual(new Set(await rules()), new Set([first, changed, third]))
  assert.equal((await call('DELETE', path, payer.session)).id, second.id)
  assert.deepEqual(new Set(await rules()), new Set([first, third]))
})

test('a change that does not name the approvers of a rule leaves them as they are', async () => {
  const { counterparty: payer } = await aPair(running)
  const approver = await aMember(running, payer, 'approver')
  for (const named of [{ roles: ['owner', 'admin'] }, { user_ids: [approver.id] }]) {
    const rule = await aRule(payer, { when, ...named })
    const path = `/v1/approval_rules/${rule.id}`
    const changed = await call('PATCH', path, payer.session, { name: 'Renamed' })
    const { updated_at } = changed
    assert.deepEqual(changed, { ...rule, name: 'Renamed', updated_at })
  }
})

/** What a payment waits for that two people have to approve, of whom the first has done so. */
const halfApproved = async () => {
  const pair = await aPair(running)
  const { counterparty: payer } = pair
  await aRule(payer, { when, approvers: 2 })
  const { id } = await anApprovedInvoice(running, pair)
  const [first, second] = [
    await aMember(running, payer, 'approver'),
    await aMember(running, payer, 'admin'),
  ]
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const send = () => pay(running, payer.session, id, { headers })
  const { approval } = assertRefused(await send(), 'conflict')
  const path = `/v1/approvals/${approval.id}`
  const { digest } = approval
  const approved = await call('POST', `${path}/approve`, first.session, { digest })
  assert.equal(approved.status, 'pending')
  return { path, digest, first, second, send }
}

const decisionsIn = ({ decisions }: { decisions: { user_id: string; decision: string }[] }) =>
  decisions.map(({ user_id, decision }) => [user_id, decision])

test('what this person has approved waits for the others only', async () => {
  const { first, second } = await halfApproved()
  const waitingFor = async ({ session }: { session: string }) =>
    (await call('GET', '/v1/me', session)).approvals_waiting
  assert.deepEqual([await waitingFor(first), await waitingFor(second)], [0, 1])
})

test('who declines leaves on record what the others have decided, and declines once', async () => {
  const { path, first, second, send } = await halfApproved()
  const decline = () => call('POST', `${path}/decline`, second.session, { reason: 'Not ours' })
  const declined = await decline()
  assert.deepEqual(decisionsIn(declined), [
    [first.id, 'approve'],
    [second.id, 'decline'],
  ])
  assert.deepEqual(await decline(), declined, 'a repetition changes nothing')
  assert.equal(assertRefused(await send(), 'conflict').reason, 'approval_declined')
})

test('whoever takes their consent back is on record with that alone', async () => {
  const { path, first } = await halfApproved()
  const declined = await call('POST', `${path}/decline`, first.session, {})
  assert.deepEqual(decisionsIn(declined), [[first.id, 'decline']])
})

test('whoever approves again what is approved is answered the same', async () => {
  const { path, second, digest } = await halfApproved()
  const approve = () => call('POST', `${path}/approve`, second.session, { digest })
  const approved = await approve()
  assert.equal(approved.status, 'approved')
  assert.deepEqual(await approve(), approved)
})
