/** clients.md 1: a call that needs an approval is offered as `input_required`, and waits for it. */
import assert from 'node:assert/strict'
import { type TestContext, after, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { approvalLimits } from '../../src/contract/approval-limits.ts'
import { sealRequestState } from '../../src/core/approvals/waiting-calls.ts'
import { decodeId } from '../../src/core/ids.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../support/approvals/keys-that-ask.ts'
import { aPair } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { type TestService, startTestService } from '../support/test-service.ts'

const running = await startTestService()
const other = await running.startAnother()
const pair = await aPair(running)
const { counterparty } = pair
const approver = await aMember(running, counterparty, 'approver')

/** A bill, a key that has to ask for its payment, and the call that pays it. */
const aPayment = async () => {
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, counterparty)
  return { id, key, values: { id, idempotency_key: freshIdempotencyKey() } }
}

interface Turn {
  capabilities?: object
  state?: unknown
  responses?: object
  on?: TestService
  name?: string
}

const opensPages = { elicitation: { url: {} } }
const accepted = { approval: { action: 'accept' } }

/** The message of a client of the revision 2026-07-28, and what is answered. */
const send = async (key: string, values: object, turn: Turn = {}) => {
  const { capabilities = opensPages, state, responses, on = running, name = 'documents_pay' } = turn
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: values,
      ...(state === undefined ? {} : { requestState: state }),
      ...(responses === undefined ? {} : { inputResponses: responses }),
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    },
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-name': name,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
  }
  const { body, text } = await callApi(on, 'POST', '/mcp', { key, body: message, headers })
  const { result, error } = body
  const envelope = result?.content === undefined ? {} : JSON.parse(result.content[0].text)
  return { result, error, text, refusal: envelope.error?.details?.reason, body: envelope }
}

const sendBack = (key: string, values: object, state: unknown, turn: Turn = {}) =>
  send(key, values, { state, responses: accepted, ...turn })

const isRefusedState = ({ error, text }: Awaited<ReturnType<typeof send>>): void => {
  assert.deepEqual([error?.code, error?.data], [-32_602, { reason: 'invalid_request_state' }], text)
}

const paymentsOf = async (id: string): Promise<unknown[]> =>
  (await callApi(running, 'GET', `/v1/payments?document=${id}`, { key: counterparty.key })).body
    .data

/** The person reads it and decides, in a session of their own. */
const decide = async (asked: { url: string }, what: 'approve' | 'decline'): Promise<void> => {
  const id = new URL(asked.url).searchParams.get('approval')!
  const options = { key: approver.session }
  const { digest } = (await callApi(running, 'GET', `/v1/approvals/${id}`, options)).body
  const body = what === 'approve' ? { digest } : {}
  const path = `/v1/approvals/${id}/${what}`
  assert.equal((await callApi(running, 'POST', path, { ...options, body })).status, 200)
}

const askedPage = async (key: string, values: object) => {
  const { result, text } = await send(key, values)
  assert.equal(result?.resultType, 'input_required', text)
  return { state: result.requestState as string, page: result.inputRequests.approval.params }
}

test('a client that opens pages is asked to open that of the approval, and others get the refusal', async () => {
  const { id, key, values } = await aPayment()
  const { page, state } = await askedPage(key, values)
  assert.equal(page.mode, 'url')
  const base = running.service.context.config.baseUrl
  assert(page.url.startsWith(`${base}/app/o/${counterparty.id}/approvals?approval=apr_`), page.url)
  const approval = new URL(page.url).searchParams.get('approval')
  const options = { key: approver.session }
  const { digest, summary } = (await callApi(running, 'GET', `/v1/approvals/${approval}`, options))
    .body
  assert(page.message.includes(digest) && page.message.includes(summary), page.message)
  assert(state.length <= 200)
  for (const capabilities of [{}, { elicitation: {} }, { elicitation: { form: {} } }]) {
    const { result, refusal } = await send(key, values, { capabilities })
    assert.deepEqual([result.resultType, refusal], ['complete', 'approval_required'])
  }
  const dry = await send(key, { ...values, dry_run: true })
  assert.equal(dry.refusal, 'approval_required')
  assert.deepEqual(await paymentsOf(id), [])
})

test('a person approves, and the call that is sent back has its effect exactly once', async () => {
  const { id, key, values } = await aPayment()
  const { page, state } = await askedPage(key, values)
  await decide(page, 'approve')
  const paid = await sendBack(key, values, state)
  assert.equal(paid.result?.resultType, 'complete', paid.text)
  assert.equal(paid.body.id, id)
  isRefusedState(await sendBack(key, values, state))
  const { _meta: meta } = (await send(key, values)).result
  assert.equal(meta['idempotent-replay'], 'true')
  assert.equal((await paymentsOf(id)).length, 1)
})

test('a client that accepts by itself moves nothing, and gets the refusal in the end', async () => {
  const { id, key, values } = await aPayment()
  let { result } = await send(key, values)
  const states = new Set<string>()
  while (result.resultType === 'input_required') {
    states.add(result.requestState)
    result = (await sendBack(key, values, result.requestState)).result
  }
  assert.equal(states.size, approvalLimits.requestStateRoundsMax)
  assert.equal(JSON.parse(result.content[0].text).error.details.reason, 'approval_required')
  const { state } = await askedPage(key, values)
  const content = { approve: true, digest: 'sha256:0', approved: true }
  const responses = { approval: { action: 'accept', content }, confirm: { action: 'accept' } }
  const more = await sendBack(key, { ...values }, state, { responses })
  assert.equal(more.result.resultType, 'input_required')
  assert.deepEqual(await paymentsOf(id), [])
})

test('who dismisses the page gets the refusal, unless somebody has approved', async () => {
  for (const action of ['decline', 'cancel']) {
    const { id, key, values } = await aPayment()
    const responses = { approval: { action } }
    const first = await askedPage(key, values)
    const refused = await send(key, values, { state: first.state, responses })
    assert.equal(refused.refusal, 'approval_required', refused.text)
    const { page, state } = await askedPage(key, values)
    await decide(page, 'approve')
    assert.equal((await send(key, values, { state, responses })).body.id, id)
  }
})

test('a call without the answer is asked again, and a declined or stale one is refused', async () => {
  const { id, key, values } = await aPayment()
  const first = await askedPage(key, values)
  const { result } = await send(key, values, { state: first.state })
  assert.equal(result.resultType, 'input_required')
  await decide(first.page, 'decline')
  const declined = await sendBack(key, values, result.requestState)
  assert.equal(declined.refusal, 'approval_declined')
  assert.deepEqual(await paymentsOf(id), [])
})

test('a state works for its caller, its tool and its arguments, as it was sealed', async (t: TestContext) => {
  const { id, key, values } = await aPayment()
  const { state, page } = await askedPage(key, values)
  await decide(page, 'approve')
  const stranger = await aKeyThatAsks(running, pair.issuer)
  const colleague = await aKeyThatAsks(running, counterparty)
  const another = await anApprovedInvoice(running, pair)
  const flipped = Buffer.from(state, 'base64url')
  flipped[20]! ^= 1
  const wrong: readonly [string, () => ReturnType<typeof send>][] = [
    ['tampered', () => sendBack(key, values, flipped.toString('base64url'))],
    ['cut', () => sendBack(key, values, state.slice(0, -2))],
    ['made up', () => sendBack(key, values, 'state')],
    ['empty', () => sendBack(key, values, '')],
    ['of another organization', () => sendBack(stranger, values, state)],
    ['of another key', () => sendBack(colleague, values, state)],
    ['with another document', () => sendBack(key, { ...values, id: another.id }, state)],
    ['with another key', () => sendBack(key, { ...values, idempotency_key: 'another-key' }, state)],
    ['with more', () => sendBack(key, { ...values, payment_method: 'wire' }, state)],
    ['of another tool', () => sendBack(key, values, state, { name: 'documents_get' })],
  ]
  for (const [name, attempt] of wrong) {
    await t.test(name, async () => isRefusedState(await attempt()))
  }
  assert.equal((await sendBack(key, values, 1)).error.code, -32_602)
  assert.deepEqual([await paymentsOf(id), await paymentsOf(another.id)], [[], []])
  const { result } = await sendBack(key, { idempotency_key: values.idempotency_key, id }, state)
  assert.equal(result.resultType, 'complete')
})

test('a state works for ten minutes at most', async () => {
  const { id, key, values } = await aPayment()
  const { page } = await askedPage(key, values)
  await decide(page, 'approve')
  const approval = decodeId('apr', new URL(page.url).searchParams.get('approval')!)!
  const { id: credential } = (await callApi(running, 'GET', '/v1/me', { key })).body.key
  const aged = (ms: number) =>
    sealRequestState(
      running.service.context.keyring.requestStates,
      {
        organization: counterparty.uuid,
        credential: decodeId('key', credential)!,
        tool: 'documents_pay',
        arguments: values,
      },
      { approval, madeAt: new Date(Date.now() - ms).toISOString(), round: 1 },
    )
  isRefusedState(await sendBack(key, values, aged(601_000)))
  assert.deepEqual(await paymentsOf(id), [])
  assert.equal((await sendBack(key, values, aged(590_000))).result.resultType, 'complete')
})

test('of many that send one state back to two processes, one is let through', async () => {
  const { id, key, values } = await aPayment()
  const { state } = await askedPage(key, values)
  const turns = [running, other, running, other, running, other]
  const answers = await Promise.all(turns.map((on) => sendBack(key, values, state, { on })))
  const [through] = answers.filter(({ result }) => result?.resultType === 'input_required')
  answers.filter((one) => one !== through).forEach(isRefusedState)
  const next = through!.result.requestState
  await decide(through!.result.inputRequests.approval.params, 'approve')
  const done = await Promise.all(turns.map((on) => sendBack(key, values, next, { on })))
  const effects = done.filter(({ result }) => result !== undefined)
  assert.deepEqual([effects.length, effects[0]!.body.id], [1, id])
  assert.equal((await paymentsOf(id)).length, 1)
})

test('the official client waits, and the call of an older revision gets the refusal', async () => {
  const { id, key, values } = await aPayment()
  const pages: string[] = []
  const open = async (mode: 'legacy' | { pin: string }) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: opensPages, versionNegotiation: { mode } },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      assert(params.mode === 'url')
      pages.push(params.url)
      // The second time, a person has decided meanwhile.
      if (pages.length === 2) await decide(params, 'approve')
      return { action: 'accept' }
    })
    const url = new URL(`${running.baseUrl}/mcp`)
    const requestInit = { headers: { authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    after(() => client.close())
    return client
  }
  const older = await callTool(await open('legacy'), 'documents_pay', values)
  assert.equal(older.body.error.details.reason, 'approval_required')
  const paid = await callTool(await open({ pin: '2026-07-28' }), 'documents_pay', values)
  assert.deepEqual([paid.isError, paid.body.id, pages.length], [false, id, 2])
  const stdio = await connectMcp(running, key, { transport: 'stdio' })
  assert.equal((await callTool(stdio, 'documents_pay', values)).text, paid.text)
})
