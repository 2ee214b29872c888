/** Clients 4: an approval counts while whoever gave it may approve. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../src/contract/roles.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const reasonOf = (reply: Reply): string => assertRefused(reply, 'conflict').reason

/** A payment that waits for these approvers, of an organization with one more owner. */
const aWaitingPayment = async (rule?: object) => {
  const pair = await aPair(running)
  const payer = pair.counterparty
  const { session: owner } = await aMember(running, payer, 'owner')
  if (rule !== undefined) {
    const body = { name: 'A rule', when: { operation: 'documents.pay' }, ...rule }
    const made = await callApi(running, 'POST', '/v1/approval_rules', { key: owner, body })
    assert.equal(made.status, 201, made.text)
  }
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, payer)
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const send = () => pay(running, key, id, { headers })
  const { approval } = assertRefused(await send(), 'conflict')
  const path = `/v1/approvals/${approval.id}`
  return {
    send,
    status: async () => (await callApi(running, 'GET', path, { key: owner })).body.status,
    approver: async (role: Role) => {
      const { id: user, session } = await aMember(running, payer, role)
      const member = `/v1/members/${user}`
      return {
        approve: async () => {
          const body = { digest: approval.digest }
          const reply = await callApi(running, 'POST', `${path}/approve`, { key: session, body })
          assert.equal(reply.status, 200, reply.text)
          return reply.body.status
        },
        becomes: async (to: Role) =>
          assert.equal(
            (await callApi(running, 'PATCH', member, { key: owner, body: { role: to } })).status,
            200,
          ),
        leaves: async () =>
          assert.equal((await callApi(running, 'DELETE', member, { key: owner })).status, 200),
      }
    },
  }
}

test('nothing is paid on the word of somebody who has left, or approves no more', async () => {
  for (const withdraw of ['leaves', 'becomes'] as const) {
    const { send, status, approver } = await aWaitingPayment()
    const person = await approver('approver')
    assert.equal(await person.approve(), 'approved')
    await person[withdraw]('viewer')
    assert.equal(reasonOf(await send()), 'approval_stale', withdraw)
    assert.equal(await status(), 'stale')
    assert.equal(reasonOf(await send()), 'approval_stale', 'for good')
  }
})

test('another approver stands in for one who has left meanwhile', async () => {
  const { send, approver } = await aWaitingPayment({ approvers: 2 })
  const [first, second, third] = [
    await approver('approver'),
    await approver('admin'),
    await approver('approver'),
  ]
  assert.equal(await first.approve(), 'pending')
  await first.leaves()
  assert.equal(await second.approve(), 'pending')
  assert.equal(reasonOf(await send()), 'approval_required')
  assert.equal(await third.approve(), 'approved')
  assert.equal((await send()).status, 200)
})

test('whoever gets the right back approves again, and counts again', async () => {
  const { send, approver } = await aWaitingPayment({ approvers: 2 })
  const [first, second] = [await approver('approver'), await approver('admin')]
  assert.equal(await first.approve(), 'pending')
  assert.equal(await first.approve(), 'pending', 'one person is not two')
  await first.becomes('viewer')
  assert.equal(await second.approve(), 'pending')
  assert.equal(await second.approve(), 'pending')
  await first.becomes('approver')
  assert.equal(await first.approve(), 'approved')
  assert.equal((await send()).status, 200)
})

test('a rule that names a role means who has it when the payment is made', async () => {
  const lost = await aWaitingPayment({ roles: ['admin'] })
  const admin = await lost.approver('admin')
  assert.equal(await admin.approve(), 'approved')
  await admin.becomes('approver')
  assert.equal(reasonOf(await lost.send()), 'approval_stale')

  const kept = await aWaitingPayment()
  const person = await kept.approver('admin')
  assert.equal(await person.approve(), 'approved')
  await person.becomes('approver')
  assert.equal((await kept.send()).status, 200, 'who still approves')
})
