/** A sandbox that starts over shows both sides what a fresh one shows, and keeps what it must. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '../../../src/database/sql.ts'
import { auditProvenance } from '../../../src/tasks/audit-provenance.ts'
import { assertConsistent } from '../../support/database/consistency-auditor.ts'
import { assertLedger } from '../../support/payments/ledger-auditor.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { inDays, sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../../support/webhooks/receiver.ts'
import {
  exampleLine,
  anOrganization,
  callApi,
  connectPair,
  freshIdempotencyKey,
  move,
  startTestService,
  until,
} from '../../support/service.ts'

const running = await startTestService({ SANDBOX_STEP_MS: '1h', PROCESS_ROLE: 'api' })
const macKey = running.service.context.keyring.history!

const sound = async () => {
  await assertLedger(running.database)
  await assertConsistent(running.database, macKey)
}

const { aSandbox, bothShow, busy, get, rows, send } = sandboxClient(running)

describe('domain 6: a reset', () => {
  test('shows both sides what a fresh sandbox shows, whichever of them asks', async () => {
    const fresh = await bothShow(await aSandbox())
    for (const who of ['key', 'demo'] as const) {
      const sandbox = await aSandbox()
      assert(isDeepStrictEqual(await bothShow(sandbox), fresh))
      await busy(sandbox)
      assert(!isDeepStrictEqual(await bothShow(sandbox), fresh))
      const clock = await send(sandbox[who], '/v1/sandbox/reset')
      assert.equal(clock.offset_seconds, 0)
      assert.deepEqual(await bothShow(sandbox), fresh)
      await sound()
    }
  })

  test('nothing of before is found, moved, paid or referred to; files neither', async () => {
    const sandbox = await aSandbox()
    const { paths, writes, attachment, other, shared } = await busy(sandbox)
    const file = new URL(attachment.download_url).pathname
    assert.equal((await fetch(running.baseUrl + file)).status, 200)
    await send(sandbox.key, '/v1/sandbox/reset')
    for (const key of [sandbox.key, sandbox.demo, sandbox.session, sandbox.live.session]) {
      for (const path of paths) assert.equal((await get(key, path)).status, 404, path)
    }
    for (const key of [sandbox.key, sandbox.demo]) {
      for (const [path, body] of writes) {
        // Nobody plays for the demo side itself.
        if (key === sandbox.demo && path === '/v1/sandbox/demo/transitions') continue
        const { status, text } = await callApi(running, 'POST', path, { key, body })
        assert.equal(status, 404, `${path} ${text}`)
      }
    }
    assert.equal((await fetch(running.baseUrl + file)).status, 404)
    assert.deepEqual(await rows(sandbox.key, '/v1/documents?query=Consulting'), [])
    assert.deepEqual(await rows(sandbox.key, `/v1/treasury/balances?as_of=${inDays(-1)}`), [])
    // The other organization keeps what it was sent, and can no longer move it.
    assert.equal((await get(other.key, `/v1/documents/${shared}`)).status, 200)
    assert.equal((await get(other.key, `/v1/documents/${shared}/history`)).status, 200)
    const refused = await move(running, other.key, shared, 'paid')
    assert.equal(refused.body.error.details.reason, 'connection_not_active')
    // What was due of before does not happen, however far the clock moves.
    await send(sandbox.key, '/v1/sandbox/clock', { advance_by: 'P60D' })
    const moved = await rows(sandbox.key, '/v1/treasury/transactions?limit=100')
    assert.deepEqual(new Set(moved.map(({ type }) => type)), new Set(['topup']))
    await sound()
  })

  test('keeps keys with what they used of their limits, sessions and endpoints', async () => {
    const sandbox = await aSandbox()
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
    const [kept] = await rows(sandbox.session, '/v1/webhooks')
    assert.equal(kept!['id'], endpoint.id)
    assert.equal((await rows(sandbox.session, '/v1/keys')).length, 2)
    await sound()
  })

  test('what it keeps keeps its answers: a key is not minted twice; the rest runs fresh', async () => {
    const sandbox = await aSandbox()
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
    await sound()
  })

  test('may be repeated and rehearsed: a replay and a dry run reset nothing', async () => {
    const sandbox = await aSandbox()
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const reset = (more = {}) =>
      callApi(running, 'POST', '/v1/sandbox/reset', {
        key: sandbox.key,
        headers: { ...headers, ...more },
        body: {},
      })
    const first = await reset()
    assert.equal(first.status, 200, first.text)
    const { paid } = await busy(sandbox)
    const before = await bothShow(sandbox)
    assert.equal((await reset()).headers.get('idempotent-replay'), 'true')
    const dry = await reset({ 'idempotency-key': freshIdempotencyKey(), 'svc-dry-run': 'true' })
    assert.equal(dry.status, 200, dry.text)
    assert.deepEqual(await bothShow(sandbox), before)
    assert.equal((await get(sandbox.key, `/v1/documents/${paid}`)).status, 200)
  })

  test('holds among payments that are made at the same moment: the ledger is at zero', async () => {
    const sandbox = await aSandbox()
    for (let round = 0; round < 3; round += 1) {
      const bodies = Array.from({ length: 6 }, () => ({
        connection_id: sandbox.connection,
        document_type: 'invoice',
        line_items: [exampleLine],
        external_refs: { sandbox_scenario: 'manual' },
      }))
      const busy = bodies.map(async (body) => {
        const made = await callApi(running, 'POST', '/v1/documents', { key: sandbox.demo, body })
        if (made.status !== 201) return
        await callApi(running, 'POST', `/v1/documents/${made.body.id}/issue`, { key: sandbox.demo })
        await move(running, sandbox.key, made.body.id, 'approved')
        await pay(running, sandbox.key, made.body.id, {
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
      await Promise.all([...busy, ...resets])
      await sound()
    }
    await send(sandbox.key, '/v1/sandbox/reset')
    const balances = await rows(sandbox.key, '/v1/treasury/balances')
    for (const { posted, pending_out, pending_in } of balances) {
      assert([1_000_000, 250_000].includes(Number(posted)))
      assert.deepEqual([pending_out, pending_in], [0, 0])
    }
    await sound()
  })

  test('histories stay provable: the auditor finds nothing to complain of', async () => {
    const sandbox = await aSandbox()
    await busy(sandbox)
    await send(sandbox.key, '/v1/sandbox/reset')
    while (await auditProvenance.run(running.service.context));
    const [held] = await running.database.rows<{ n: bigint }>(
      sql`select count(*) as n from documents where integrity_hold`,
    )
    assert.equal(held!.n, 0n)
  })

  test('whoever follows the feed from before it is told that it was reset', async () => {
    const { key } = await aSandbox()
    const [event] = await rows(key, '/v1/events')
    await send(key, '/v1/sandbox/reset')
    const refused = await get(key, `/v1/events?after=${String(event!['id'])}`)
    assert.match(refused.body.error.details.errors[0].message, /since its sandbox was reset at 20/)
  })

  test('an organization outside of a pair begins anew alone', async () => {
    const me = await anOrganization(running)
    const pair = await connectPair(running, me, await anOrganization(running))
    const { id } = await anApprovedInvoice(running, pair)
    await send(me.key, '/v1/sandbox/reset')
    assert.deepEqual(await rows(me.key, '/v1/documents'), [])
    assert.deepEqual(await rows(me.key, '/v1/connections'), [])
    assert.equal((await get(pair.counterparty.key, `/v1/documents/${id}`)).status, 200)
    const [connection] = await rows(pair.counterparty.key, '/v1/connections')
    assert.equal(connection!['status'], 'ended')
    await sound()
  })

  test('an endpoint stays and hears nothing more of before; its deliveries begin anew', async () => {
    const worker = await running.startAnother({ ...localReceiverSettings, PROCESS_ROLE: 'all' })
    const { key, session, connection } = await aSandbox()
    const receiver = await startReceiver()
    const { id } = await subscribe(worker, { session }, receiver.url)
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const before = await send(key, '/v1/documents', body)
    await until('it heard of the draft', () => receiver.received.length === 1)
    await send(key, '/v1/sandbox/reset')
    const after = await send(key, '/v1/documents', body)
    const path = `/v1/webhooks/${id}/deliveries`
    // Three that were sent, one of them approved, and the draft.
    const isTold = async () => (await rows(session, path)).length === 8
    await until('it heard of the first documents and of the new draft', isTold)
    await until('and has them', () => receiver.received.length === 9)
    const heard = receiver.received.slice(1).map(({ event }) => event.data.document.id)
    assert(heard.includes(after.id) && !heard.includes(before.id))
    await sound()
  })
})
