/** clients.md 1: a key that pays without a limit or an approval gets no tool that pays or binds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvableOperations } from '../../src/contract/approvals.ts'
import { exampleIds } from '../../src/docs/examples/ids.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import { toolName } from '../../src/docs/languages/names.ts'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks } from '../support/approvals/keys-that-ask.ts'
import { aKey, aPair, anInvoice } from '../support/fixtures.ts'
import { callTool, connectMcp, toolNames } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { counterparty } = pair

/** Every call pays or binds, whatever it says. */
const toolsThatPay: readonly [string, Record<string, unknown>][] = [
  ['documents_pay', { id: exampleIds.document }],
  ['finance_setup_update', { lender: { enabled: true } }],
  ['finance_offers_create', { id: 'lst_01m85p1tc3e0js1mm7rz559h84', kind: 'at_ask' }],
  [
    'finance_offers_accept',
    { id: 'ofr_01m85p1tjnej0saehc1mmpsw7h', authorization_digest: 'sha256:0' },
  ],
  ['finance_agreements_repay', { id: 'agr_01m85p1v1we1wbg391f3qnnfgf' }],
]
const namesThatPay = toolsThatPay.map(([name]) => name)

const paying: readonly Scope[] = ['documents:read', 'documents:write', 'payments:write']

test('clients.md 4: every write that may need an approval pays or binds', () => {
  for (const operation of approvableOperations) {
    const name = toolName(operation)
    assert(name === 'documents_transition' || namesThatPay.includes(name), name)
  }
})

test('clients.md 1: a key without a limit or an approval rule gets none of them', async () => {
  const client = await connectMcp(running, counterparty.key)
  const names = await toolNames(client)
  for (const [name, values] of toolsThatPay) {
    assert(!names.includes(name), name)
    const { body } = await callTool(client, 'tools_explain', { name })
    assert.deepEqual([body.offered, body.reason], [false, 'payment_limit'], name)
    const page = `/app/o/${counterparty.id}/keys`
    for (const part of [page, 'docex keys create', 'sandbox_demo_transition']) {
      assert(body.remedy.includes(part), body.remedy)
    }
    const call = { ...values, idempotency_key: freshIdempotencyKey() }
    const { error } = (await callTool(client, name, call)).body
    assert.deepEqual([error.code, error.details.reason], ['forbidden', 'payment_limit'], name)
  }
})

test('clients.md 1: nor does a move that pays, and any other move is made', async () => {
  const client = await connectMcp(running, counterparty.key)
  const { id } = await anInvoice(running, pair)
  const moveTo = (to: string) =>
    callTool(client, 'documents_transition', { id, to, idempotency_key: freshIdempotencyKey() })
  for (const to of ['paid', 'payment_scheduled']) {
    const { error } = (await moveTo(to)).body
    assert.deepEqual([error.code, error.details.reason], ['forbidden', 'payment_limit'], to)
  }
  const approved = await moveTo('approved')
  assert.equal(approved.isError, false, approved.text)
  const { body } = await callTool(client, 'tools_explain', { name: 'documents_transition' })
  assert.deepEqual([body.offered, body.reason], [true, 'payment_limit'])
})

test('clients.md 1: a limit or an approval rule brings all of them', async () => {
  const above = { requires_approval: false, requires_approval_above: '{"USD":"10.00"}' }
  const keys = [
    (await aKey(running, counterparty, paying, { dailyVolume: 1_000n })).secret,
    (await aKey(running, counterparty, paying, { maxPerPayment: 1_000n })).secret,
    await aKeyThatAsks(running, counterparty),
    await aKeyThatAsks(running, counterparty, above),
  ]
  for (const key of keys) {
    const names = await toolNames(await connectMcp(running, key))
    assert.deepEqual(
      namesThatPay.filter((name) => !names.includes(name)),
      [],
    )
  }
})

test('contract 3: a key that cannot pay may offer a loan, which another credential funds', async () => {
  const { secret } = await aKey(running, counterparty, ['documents:read', 'documents:write'])
  const names = await toolNames(await connectMcp(running, secret))
  assert.deepEqual(
    namesThatPay.filter((name) => names.includes(name)),
    ['finance_offers_create'],
  )
})
