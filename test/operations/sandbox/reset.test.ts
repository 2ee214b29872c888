/** A reset shows both sides a fresh sandbox, but keeps keys, sessions and endpoints. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../../src/database/sql.ts'
import { auditProvenance } from '../../../src/tasks/audit-provenance.ts'
import { assertConsistent } from '../../support/database/consistency-auditor.ts'
import { assertLedger } from '../../support/payments/ledger-auditor.ts'
import { anApprovedInvoice, pay, payFrom } from '../../support/payments/approved-invoices.ts'
import { inDays } from '../../support/dates.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../../support/webhooks/receiver.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { exampleLine, anOrganization, connectPair, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService({ SANDBOX_STEP_MS: '1h', PROCESS_ROLE: 'api' })
const macKey = running.service.context.keyring.history!

const assertLedgerAndHistories = async () => {
  await assertLedger(running.database)
  await assertConsistent(running.database, macKey)
}

const { provisionSandbox, bothSnapshots, fillSandbox, get, rows, send } = sandboxClient(running)

describe('domain 6: a reset', () => {
  test('a reset by either side shows both sides what a fresh sandbox shows', async () => {
    const fresh = await bothSnapshots(await provisionSandbox())
    for (const side of ['key', 'demo'] as const) {
      const sandbox = await provisionSandbox()
      assert(isDeepStrictEqual(await bothSnapshots(sandbox), fresh))
      await fillSandbox(sandbox)
      assert(!isDeepStrictEqual(await bothSnapshots(sandbox), fresh))
      const clock = await send(sandbox[side], '/v1/sandbox/reset')
      assert.equal(clock.offset_seconds, 0)
      assert.deepEqual(await bothSnapshots(sandbox), fresh)
      await assertLedgerAndHistories()
    }
  })

  test('records and files from before a reset cannot be found, moved, paid or referred to', async () => {
    const sandbox = await provisionSandbox()
    const { paths, writes, attachment, other, shared } = await fillSandbox(sandbox)
    const file = new URL(attachment.download_url).pathname
    assert.equal((await fetch(running.baseUrl + file)).status, 200)
    await send(sandbox.key, '/v1/sandbox/reset')
    for (const key of [sandbox.key, sandbox.demo, sandbox.session, sandbox.live.session]) {
      for (const path of paths) assert.equal((await get(key, path)).status, 404, path)
    }
    for (const key of [sandbox.key, sandbox.demo]) {
      for (const [path, body] of writes) {
        // The demo side has no demo counterparty of its own.
        if (key === sandbox.demo && path === '/v1/sandbox/demo/transitions') continue
        const { status, text } = await callApi(running, 'POST', path, { key, body })
        assert.equal(status, 404, `${path} ${text}`)
      }
    }
    assert.equal((await fetch(running.baseUrl + file)).status, 404)
    assert.deepEqual(await rows(sandbox.key, '/v1/documents?query=Consulting'), [])
    assert.deepEqual(await rows(sandbox.key, `/v1/treasury/balances?as_of=${inDays(-1)}`), [])
    // The other organization keeps the document it received, but can no longer move it.
    assert.equal((await get(other.key, `/v1/documents/${shared}`)).status, 200)
    assert.equal((await get(other.key, `/v1/documents/${shared}/history`)).status, 200)
    const refused = await move(running, other.key, shared, 'paid')
    assert.equal(refused.body.error.details.reason, 'connection_not_active')
    // Steps that were due before the reset never run, however far the clock moves.
    await send(sandbox.key, '/v1/sandbox/clock', { advance_by: 'P60D' })
    const moved = await rows(sandbox.key, '/v1/treasury/transactions?limit=100')
    assert.deepEqual(new Set(moved.map(({ type }) => type)), new Set(['topup']))
    await assertLedgerAndHistories()
  })

  test('a reset keeps keys with the used part of their limits, sessions and endpoints', async () => {
    const sandbox = await provisionSandbox()
    const limited = await send(sandbox.session, '/v1/keys', {
      name: 'Limited',
      scopes: ['documents:read', 'documents:write', 'payments:write'],
      payment_limits: { daily_volume: 600 },
    })
    const endpoint = await send(sandbox.session, '/v1/webhooks', {
      url: 'https://public.example/hook',
    })
    const bill = async () => (await rows(sandbox.key, '/v1/documents?status=approved'))[0]!
    await send(limited.key, `/v1/documents/${String((await bill())['id'])}/pay`)
    await send(limited.key, '/v1/sandbox/reset')
    const refused = await pay(running, limited.key, String((await bill())['id']))
    assert.deepEqual(
      [refused.body.error.details.limit, refused.body.error.details.used],
      ['daily_volume', 518.4],
    )
    const [remaining] = await rows(sandbox.session, '/v1/webhooks')
    assert.equal(remaining!['id'], endpoint.id)
    assert.equal((await rows(sandbox.session, '/v1/keys')).length, 2)
    await assertLedgerAndHistories()
  })

  test('nothing is left to approve of what a reset has hidden', async () => {
    const sandbox = await provisionSandbox()
    const asking = await send(sandbox.session, '/v1/keys', {
      name: 'Asks',
      requires_approval: true,
      scopes: ['documents:read', 'documents:write', 'payments:write'],
    })
    const [bill] = await rows(sandbox.key, '/v1/documents?status=approved')
    const refused = await pay(running, asking.key, String(bill!['id']))
    const { approval } = refused.body.error.details
    assert.equal((await rows(sandbox.session, '/v1/approvals')).length, 1)
    await send(sandbox.session, '/v1/sandbox/reset')
    assert.deepEqual(await rows(sandbox.session, '/v1/approvals'), [])
    const path = `/v1/approvals/${approval.id}/approve`
    const body = { digest: approval.digest }
    assert.equal((await callApi(running, 'POST', path, { key: sandbox.session, body })).status, 404)
    await assertLedgerAndHistories()
  })

  test('after a reset, a retry replays the mint of a key but creates a new document', async () => {
    const sandbox = await provisionSandbox()
    const key = { 'idempotency-key': freshIdempotencyKey() }
    const minting = () =>
      callApi(running, 'POST', '/v1/keys', {
        key: sandbox.session,
        headers: key,
        body: { name: 'Kept', scopes: ['documents:read'] },
      })
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const creating = () =>
      callApi(running, 'POST', '/v1/documents', {
        key: sandbox.key,
        headers,
        body: {
          connection_id: sandbox.connection,
          document_type: 'invoice',
          line_items: [exampleLine],
        },
      })
    const minted = await minting()
    const created = await creating()
    await send(sandbox.key, '/v1/sandbox/reset')
    assert.equal((await minting()).text, minted.text)
    const again = await creating()
    assert.notEqual(again.body.id, created.body.id)
    assert.equal(again.body.number, 'INV-000001')
    await assertLedgerAndHistories()
  })

  test('a replay and a dry run of a reset change nothing', async () => {
    const sandbox = await provisionSandbox()
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const reset = (more = {}) =>
      callApi(running, 'POST', '/v1/sandbox/reset', {
        key: sandbox.key,
        headers: { ...headers, ...more },
        body: {},
      })
    const first = await reset()
    assert.equal(first.status, 200, first.text)
    const { paid } = await fillSandbox(sandbox)
    const before = await bothSnapshots(sandbox)
    assert.equal((await reset()).headers.get('idempotent-replay'), 'true')
    const dry = await reset({ 'idempotency-key': freshIdempotencyKey(), 'svc-dry-run': 'true' })
    assert.equal(dry.status, 200, dry.text)
    assert.deepEqual(await bothSnapshots(sandbox), before)
    assert.equal((await get(sandbox.key, `/v1/documents/${paid}`)).status, 200)
  })

  test('resets concurrent with payments leave a balanced ledger with nothing pending', async () => {
    const sandbox = await provisionSandbox()
    for (let round = 0; round < 3; round += 1) {
      const bodies = Array.from({ length: 6 }, () => ({
        connection_id: sandbox.connection,
        document_type: 'invoice',
        line_items: [exampleLine],
        external_refs: { sandbox_scenario: 'manual' },
      }))
      const payments = bodies.map(async (body) => {
        const created = await callApi(running, 'POST', '/v1/documents', { key: sandbox.demo, body })
        if (created.status !== 201) return
        await callApi(running, 'POST', `/v1/documents/${created.body.id}/issue`, {
          key: sandbox.demo,
        })
        await move(running, sandbox.key, created.body.id, 'approved')
        await pay(running, sandbox.key, created.body.id, {
          body: { source_account_id: 'acct_test_stuck' },
        })
      })
      const resets = [0, 1].map(async () => {
        for (;;) {
          const reply = await callApi(running, 'POST', '/v1/sandbox/reset', {
            key: sandbox.key,
            body: {},
          })
          if (reply.status === 200) return
          assert.equal(reply.body.error.details.reason, 'request_in_progress', reply.text)
        }
      })
      await Promise.all([...payments, ...resets])
      await assertLedgerAndHistories()
    }
    await send(sandbox.key, '/v1/sandbox/reset')
    const balances = await rows(sandbox.key, '/v1/treasury/balances')
    for (const { posted, pending_out, pending_in } of balances) {
      assert([1_000_000, 250_000].includes(Number(posted)))
      assert.deepEqual([pending_out, pending_in], [0, 0])
    }
    await assertLedgerAndHistories()
  })

  test('histories stay provable after a reset, and the auditor puts no document on hold', async () => {
    const sandbox = await provisionSandbox()
    await fillSandbox(sandbox)
    await send(sandbox.key, '/v1/sandbox/reset')
    while (await auditProvenance.run(running.service.context));
    const [held] = await running.database.rows<{ n: bigint }>(
      sql`select count(*) as n from documents where integrity_hold`,
    )
    assert.equal(held!.n, 0n)
  })

  test('following the feed from an event before the reset is refused and names the reset', async () => {
    const { key } = await provisionSandbox()
    const [event] = await rows(key, '/v1/events')
    await send(key, '/v1/sandbox/reset')
    const refused = await get(key, `/v1/events?after=${String(event!['id'])}`)
    assert.match(refused.body.error.details.errors[0].message, /came before its sandbox was reset/)
  })

  test('an organization outside of a practice pair resets only itself', async () => {
    const me = await anOrganization(running)
    const pair = await connectPair(running, me, await anOrganization(running))
    const { id } = await anApprovedInvoice(running, pair)
    await send(me.key, '/v1/sandbox/reset')
    assert.deepEqual(await rows(me.key, '/v1/documents'), [])
    assert.deepEqual(await rows(me.key, '/v1/connections'), [])
    assert.equal((await get(pair.counterparty.key, `/v1/documents/${id}`)).status, 200)
    const [connection] = await rows(pair.counterparty.key, '/v1/connections')
    assert.equal(connection!['status'], 'ended')
    await assertLedgerAndHistories()
  })

  test('after a reset, payments with newcomers and connections that end are found', async () => {
    const me = await anOrganization(running)
    const former = await connectPair(running, me, await anOrganization(running))
    for (let i = 0; i < 4; i += 1) await anApprovedInvoice(running, former)
    await send(me.key, '/v1/sandbox/reset')
    const newcomer = await anOrganization(running)
    const received = await connectPair(running, me, newcomer)
    const paid = { ...received, issuer: newcomer, counterparty: me }
    for (const pair of [received, paid]) {
      const payment = await payFrom(running, pair, 'acct_test_ok')
      for (const { key } of [me, newcomer]) {
        const found = await get(key, `/v1/payments/${payment}`)
        assert.equal(found.status, 200, found.text)
      }
    }
    await send(me.session, `/v1/connections/${received.connection}/end`)
    const connections = await rows(me.key, '/v1/connections')
    assert.deepEqual(
      connections.map(({ id, status }) => [id, status]),
      [[received.connection, 'ended']],
    )
  })

  test('an endpoint survives a reset, but gets no earlier event and lists no earlier delivery', async () => {
    const worker = await running.startAnother({ ...localReceiverSettings, PROCESS_ROLE: 'all' })
    const { key, session, connection } = await provisionSandbox()
    const receiver = await startReceiver()
    const { id } = await subscribe(worker, { session }, receiver.url)
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const before = await send(key, '/v1/documents', body)
    await until('the draft is delivered', () => receiver.received.length === 1)
    await send(key, '/v1/sandbox/reset')
    const after = await send(key, '/v1/documents', body)
    const path = `/v1/webhooks/${id}/deliveries`
    // The events of three first documents, one of them approved, and of the draft.
    const areListed = async () => (await rows(session, path)).length === 8
    await until('the events of the first documents and the new draft are listed', areListed)
    await until('they are delivered', () => receiver.received.length === 9)
    const delivered = receiver.received.slice(1).map(({ event }) => event.data.document.id)
    assert(delivered.includes(after.id) && !delivered.includes(before.id))
    await assertLedgerAndHistories()
  })
})
