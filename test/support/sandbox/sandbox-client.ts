/** Practice pairs over HTTP, filled with everything that a reset must remove. */
import assert from 'node:assert/strict'
import { aFileForm } from '../documents/attachments-client.ts'
import { callApi } from '../api-client.ts'
import { inDays } from '../dates.ts'
import { exampleLine, anOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const sandboxClient = (running: TestService) => {
  const send = async (key: string, path: string, body: object = {}) => {
    const reply = await callApi(running, 'POST', path, { key, body })
    assert(reply.status < 300, reply.text)
    return reply.body
  }
  const get = (key: string, path: string) => callApi(running, 'GET', path, { key })
  const rows = async (key: string, path: string) => {
    const reply = await get(key, path)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data as Record<string, unknown>[]
  }

  /** Provisions a practice pair, with the keys and sessions of both sides. */
  const provisionSandbox = async () => {
    const live = await anOrganization(running, { mode: 'live' })
    const created = await send(live.session, '/v1/sandboxes')
    return {
      live,
      connection: created.connection_id as string,
      key: created.api_key as string,
      session: created.admin_session_token as string,
      demo: created.demo_api_key as string,
      demoSession: created.demo_admin_session_token as string,
    }
  }

  type Sandbox = Awaited<ReturnType<typeof provisionSandbox>>

  /** Everything that one side can list, without values that differ between sandboxes. */
  const snapshotOf = async (key: string, session: string): Promise<string> => {
    const paths = [
      '/v1/documents?limit=100',
      '/v1/payments',
      '/v1/treasury/accounts',
      '/v1/treasury/balances',
      '/v1/treasury/transactions?limit=100',
      '/v1/connections',
      '/v1/events?limit=100',
    ]
    const lists = await Promise.all(paths.map((path) => rows(key, path)))
    const deliveries = await Promise.all(
      (await rows(session, '/v1/webhooks')).map(({ id }) =>
        rows(session, `/v1/webhooks/${String(id)}/deliveries`),
      ),
    )
    const clock = (await get(key, '/v1/sandbox/clock')).body.offset_seconds
    // Ids made in the same millisecond have no order, nor have the accounts opened in it.
    const all = lists.map((list) =>
      list.map((row) => withoutIdsAndTimes(JSON.stringify(row))).toSorted(),
    )
    return JSON.stringify([all, deliveries.flat(), clock])
  }

  const bothSnapshots = async ({ key, session, demo, demoSession }: Sandbox) => [
    await snapshotOf(key, session),
    await snapshotOf(demo, demoSession),
  ]

  /** Creates data of every kind, and returns the calls that must fail after a reset. */
  const fillSandbox = async ({ key, session, demo, connection }: Sandbox) => {
    const create = async (author: string, more: object = {}) => {
      const body = {
        connection_id: connection,
        document_type: 'invoice',
        line_items: [exampleLine],
      }
      const { id } = await send(author, '/v1/documents', { ...body, ...more })
      return id as string
    }
    const issueDocument = async (author: string, recipient: string, more: object = {}) => {
      const id = await create(author, more)
      await send(author, `/v1/documents/${id}/issue`)
      if (more === paying)
        await send(recipient, `/v1/documents/${id}/transition`, { to: 'approved' })
      return id
    }
    const paying = { external_refs: { sandbox_scenario: 'manual' } }
    const paid = await issueDocument(demo, key, paying)
    const stuck = await issueDocument(demo, key, paying)
    const scheduled = await issueDocument(key, demo, paying)
    const returning = await issueDocument(demo, key, paying)
    const settled = await send(key, `/v1/documents/${paid}/pay`)
    await send(key, `/v1/documents/${stuck}/pay`, { source_account_id: 'acct_test_stuck' })
    await send(key, `/v1/documents/${returning}/pay`, { source_account_id: 'acct_test_return' })
    await send(demo, `/v1/documents/${scheduled}/transition`, {
      to: 'payment_scheduled',
      scheduled_for: inDays(20),
    })
    const file = await callApi(running, 'POST', `/v1/documents/${paid}/attachments`, {
      key,
      body: aFileForm(),
    })
    const attachment = (await get(key, `/v1/documents/${paid}/attachments/${file.body.id}`)).body
    const quote = await issueDocument(key, demo, { document_type: 'quote' })
    const draft = await create(key)
    await send(key, '/v1/sandbox/clock', { advance_by: 'P1D' })
    await send(key, '/v1/sandbox/topup', { currency: 'GBP', amount: 12.34 })
    const [transaction] = await rows(key, '/v1/treasury/transactions?type=payment_out')
    const [event] = await rows(key, '/v1/events')
    const other = await anOrganization(running)
    const offered = await send(session, '/v1/connections', { organization_id: other.id })
    await send(other.session, `/v1/connections/${offered.id}/accept`)
    const shared = await issueDocument(key, other.key, { ...paying, connection_id: offered.id })
    const payment = settled.payment.id as string
    return {
      other,
      shared,
      paid,
      attachment,
      paths: [
        ...[paid, stuck, scheduled, returning, quote, draft, shared].flatMap((id) => [
          `/v1/documents/${id}`,
          `/v1/documents/${id}/history`,
          `/v1/documents/${id}/lineage`,
          `/v1/documents/${id}/export`,
          `/v1/documents/${id}/attachments`,
          `/v1/documents/${id}/transitions`,
        ]),
        `/v1/documents/${paid}/attachments/${file.body.id}`,
        `/v1/payments/${payment}`,
        `/v1/treasury/transactions/${String(transaction!['id'])}`,
        `/v1/events/${String(event!['id'])}`,
        `/v1/connections/${offered.id}`,
      ],
      writes: [
        ...[paid, stuck, draft, shared].flatMap((id) => [
          [`/v1/documents/${id}/pay`, {}],
          [`/v1/documents/${id}/issue`, {}],
          [`/v1/documents/${id}/transition`, { to: 'disputed' }],
          [`/v1/documents/${id}/convert`, { document_type: 'credit_note' }],
        ]),
        [`/v1/sandbox/payments/${payment}/simulate`, { outcome: 'return' }],
        ['/v1/sandbox/demo/transitions', { document_id: stuck, to: 'disputed' }],
        [
          '/v1/documents',
          {
            connection_id: connection,
            document_type: 'invoice',
            line_items: [exampleLine],
            references: [{ rel: 'relates_to', document_id: paid }],
          },
        ],
        [
          '/v1/documents',
          { connection_id: offered.id, document_type: 'invoice', line_items: [exampleLine] },
        ],
      ] as [string, object][],
    }
  }
  return { provisionSandbox, bothSnapshots, fillSandbox, get, rows, send }
}

const withoutIdsAndTimes = (text: string): string =>
  text
    .replaceAll(/\b([a-z]{3,4})_[0-9a-hjkmnp-tv-z]{26}/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"last4":"\w+"/g, 'last4')
