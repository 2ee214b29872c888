/** One example call of every operation, for the coverage test. */
import { openSession } from '../../../src/changes/identity/new-session.ts'
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import type { Operation } from '../../../src/operations/operation.ts'
import { approvalExampleCalls } from '../approvals/example-approval-calls.ts'
import { interopExampleCalls } from '../interop/example-interop-calls.ts'
import { aFileForm } from '../documents/attachments-client.ts'
import { commentExampleCalls } from '../documents/example-comment-calls.ts'
import { searchExampleCalls } from '../documents/example-search-calls.ts'
import { financeExampleCalls } from '../finance/example-finance-calls.ts'
import { memberExampleCalls } from '../identity/example-member-calls.ts'
import { anApprovedInvoice, pay } from '../payments/approved-invoices.ts'
import { aPaymentId, payablePath } from '../payments/payable-documents.ts'
import { aDeliveryPath, anEndpoint } from '../webhooks/endpoints.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../api-client.ts'
import { loggedRequestPath } from './logged-requests.ts'
import {
  type TestOrganization,
  type Pair,
  aDraft,
  aKey,
  exampleLine,
  anOrganization,
  anInvoice,
  connectPair,
} from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'

export interface ExampleCall {
  path: string
  body?: unknown
  /**
   * What another organization gets. `missing`: 404, since the call names a record of the owner.
   * Otherwise its own view, which contains none of these texts of the owner.
   */
  forOthers: 'missing' | { hides: readonly string[] }
}

export type ExampleCallFactory = (running: TestService, pair: Pair) => Promise<ExampleCall>

const ownerOnlyCall = async (path: Promise<string>, body?: unknown): Promise<ExampleCall> => ({
  path: await path,
  forOthers: 'missing',
  ...(body === undefined ? {} : { body }),
})

const draftPath: (rest?: string) => (running: TestService, pair: Pair) => Promise<string> =
  (rest = '') =>
  async (running, pair) =>
    `/v1/documents/${(await aDraft(running, pair)).id}${rest}`

const keyPath =
  (rest = '') =>
  async (running: TestService, { issuer }: Pair): Promise<string> =>
    `/v1/keys/${(await aKey(running, issuer, ['documents:read'])).keyId}${rest}`

const attachmentPath = async (running: TestService, pair: Pair): Promise<string> => {
  const path = await draftPath('/attachments')(running, pair)
  const { body } = await callApi(running, 'POST', path, { key: pair.issuer.key, body: aFileForm() })
  return `${path}/${body.id}`
}

/** An invitation of the pair's issuer by a new organization of the same mode. */
const invitationPath =
  (rest: string) =>
  async (running: TestService, { issuer }: Pair): Promise<string> => {
    const { body } = await invite(running, issuer)
    return `/v1/connections/${body.id}${rest}`
  }

const invite = async (running: TestService, { id, mode }: TestOrganization): Promise<Reply> => {
  const inviter = await anOrganization(running, { mode })
  const options = { key: inviter.session, body: { organization_id: id } }
  return callApi(running, 'POST', '/v1/connections', options)
}

/** An active connection of the pair's issuer that no other test uses. */
const activeConnectionPath = async (running: TestService, { issuer }: Pair): Promise<string> => {
  const partner = await anOrganization(running, { mode: issuer.mode })
  return `/v1/connections/${(await connectPair(running, issuer, partner)).connection}`
}

const firstIdIn = async (running: TestService, { issuer }: Pair, path: string): Promise<string> =>
  (await callApi(running, 'GET', path, { key: issuer.key })).body.data[0].id

const scopedCall = (path: string, hides: readonly string[], body?: unknown): ExampleCall => ({
  path,
  forOthers: { hides },
  ...(body === undefined ? {} : { body }),
})

const webhookPath =
  (rest = '') =>
  async (running: TestService, { issuer }: Pair): Promise<string> =>
    `/v1/webhooks/${(await anEndpoint(running, issuer)).id}${rest}`

const anEventId = async (running: TestService, pair: Pair): Promise<string> => {
  await aDraft(running, pair)
  const { body } = await callApi(running, 'GET', '/v1/events?limit=1', { key: pair.issuer.key })
  return body.data[0].id
}

export const exampleCalls: Readonly<Record<string, ExampleCallFactory>> = {
  ...financeExampleCalls,
  ...interopExampleCalls,
  ...searchExampleCalls,
  ...memberExampleCalls,
  ...approvalExampleCalls,
  'documents.list': async (running, pair) =>
    scopedCall('/v1/documents', [(await anInvoice(running, pair)).id]),
  'statistics.get': async (_, { issuer }) =>
    scopedCall('/v1/statistics?metric=ageing', [issuer.id]),
  'documents.get': (running, pair) => ownerOnlyCall(draftPath()(running, pair)),
  'documents.create': (_, { connection }) => {
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    return ownerOnlyCall(Promise.resolve('/v1/documents'), body)
  },
  'documents.update': (running, pair) =>
    ownerOnlyCall(draftPath()(running, pair), { notes: 'Edited' }),
  'documents.issue': (running, pair) => ownerOnlyCall(draftPath('/issue')(running, pair), {}),
  'documents.transition': (running, pair) =>
    ownerOnlyCall(draftPath('/transition')(running, pair), { to: 'cancelled' }),
  'documents.transitions': (running, pair) =>
    ownerOnlyCall(draftPath('/transitions')(running, pair)),
  'documents.render': (running, pair) => ownerOnlyCall(draftPath('/render')(running, pair)),
  'documents.checks': (running, pair) =>
    ownerOnlyCall(draftPath('/checks?format=ubl')(running, pair)),
  'documents.convert': async (running, pair) => {
    const path = anInvoice(running, pair).then(({ id }) => `/v1/documents/${id}/convert`)
    return ownerOnlyCall(path, { document_type: 'credit_note' })
  },
  ...commentExampleCalls,
  'attachments.list': (running, pair) => ownerOnlyCall(draftPath('/attachments')(running, pair)),
  'attachments.create': (running, pair) =>
    ownerOnlyCall(draftPath('/attachments')(running, pair), aFileForm()),
  'attachments.get': (running, pair) => ownerOnlyCall(attachmentPath(running, pair)),
  'connections.list': async (_, { connection }) => scopedCall('/v1/connections', [connection]),
  'connections.get': (running, pair) => ownerOnlyCall(activeConnectionPath(running, pair)),
  'connections.create': async (_, { connection }) =>
    scopedCall('/v1/connections', [connection], { email: `${freshIdempotencyKey()}@example.com` }),
  'connections.accept': (running, pair) =>
    ownerOnlyCall(invitationPath('/accept')(running, pair), {}),
  'connections.decline': (running, pair) =>
    ownerOnlyCall(invitationPath('/decline')(running, pair), {}),
  'connections.end': async (running, pair) =>
    ownerOnlyCall(Promise.resolve(`${await activeConnectionPath(running, pair)}/end`), {}),
  'documents.pay': (running, pair) => ownerOnlyCall(payablePath(running, pair), {}),
  'payments.list': async (running, pair) =>
    scopedCall('/v1/payments', [await aPaymentId(running, pair)]),
  'payments.get': (running, pair) =>
    ownerOnlyCall(aPaymentId(running, pair).then((id) => `/v1/payments/${id}`)),
  'treasury.accounts.list': async (running, pair) =>
    scopedCall('/v1/treasury/accounts', [await firstIdIn(running, pair, '/v1/treasury/accounts')]),
  'treasury.accounts.get': (running, pair) =>
    ownerOnlyCall(
      firstIdIn(running, pair, '/v1/treasury/accounts').then((id) => `/v1/treasury/accounts/${id}`),
    ),
  'treasury.statement': (running, pair) =>
    ownerOnlyCall(
      firstIdIn(running, pair, '/v1/treasury/accounts').then(
        (id) => `/v1/treasury/accounts/${id}/statement?format=csv&from=2026-01-01&to=2026-01-31`,
      ),
    ),
  'treasury.balances.list': async (running, pair) =>
    scopedCall('/v1/treasury/balances', [await firstIdIn(running, pair, '/v1/treasury/accounts')]),
  'treasury.transactions.list': async (running, pair) =>
    scopedCall('/v1/treasury/transactions', [await aPaymentId(running, pair)]),
  'treasury.transactions.get': async (running, pair) => {
    const payment = await aPaymentId(running, pair)
    const path = '/v1/treasury/transactions'
    return ownerOnlyCall(
      firstIdIn(running, pair, `${path}?payment=${payment}`).then((id) => `${path}/${id}`),
    )
  },
  'sandbox.clock.get': async () => scopedCall('/v1/sandbox/clock', []),
  'sandbox.clock.advance': async () => scopedCall('/v1/sandbox/clock', [], { advance_by: 'PT1S' }),
  'sandbox.topup': async () =>
    scopedCall('/v1/sandbox/topup', [], { currency: 'EUR', amount: 12.5 }),
  'sandbox.reset': async () => scopedCall('/v1/sandbox/reset', [], {}),
  'sandbox.payments.simulate': async (running, pair) => {
    const { id } = await anApprovedInvoice(running, pair)
    const body = { source_account_id: 'acct_test_stuck' }
    const { payment } = (await pay(running, pair.counterparty.key, id, { body })).body
    return ownerOnlyCall(Promise.resolve(`/v1/sandbox/payments/${payment.id}/simulate`), {
      outcome: 'settle',
    })
  },
  'sandbox.demo.create_document': async () =>
    scopedCall('/v1/sandbox/demo/documents', [], { document_type: 'invoice' }),
  'sandbox.demo.transition': async (running, { issuer }) => {
    const created = await callApi(running, 'POST', '/v1/sandbox/demo/documents', {
      key: issuer.key,
      body: { document_type: 'invoice' },
    })
    return ownerOnlyCall(Promise.resolve('/v1/sandbox/demo/transitions'), {
      document_id: created.body.id,
      to: 'cancelled',
    })
  },
  'events.list': async (running, pair) =>
    scopedCall('/v1/events', [await anEventId(running, pair)]),
  'events.get': async (running, pair) =>
    ownerOnlyCall(anEventId(running, pair).then((id) => `/v1/events/${id}`)),
  'webhooks.list': async (running, { issuer }) =>
    scopedCall('/v1/webhooks', [(await anEndpoint(running, issuer)).id]),
  'webhooks.get': (running, pair) => ownerOnlyCall(webhookPath()(running, pair)),
  'webhooks.create': async (running, { issuer }) =>
    scopedCall('/v1/webhooks', [(await anEndpoint(running, issuer)).id], {
      url: 'https://public.example/hooks',
    }),
  'webhooks.update': (running, pair) =>
    ownerOnlyCall(webhookPath()(running, pair), { description: 'For the accounting system.' }),
  'webhooks.delete': (running, pair) => ownerOnlyCall(webhookPath()(running, pair)),
  'webhooks.rotate_secret': (running, pair) =>
    ownerOnlyCall(webhookPath('/rotate_secret')(running, pair), {}),
  'webhooks.ping': (running, pair) => ownerOnlyCall(webhookPath('/ping')(running, pair), {}),
  'deliveries.list': (running, pair) => ownerOnlyCall(webhookPath('/deliveries')(running, pair)),
  'deliveries.get': (running, { issuer }) => ownerOnlyCall(aDeliveryPath(running, issuer)),
  'deliveries.redeliver': (running, { issuer }) =>
    ownerOnlyCall(
      aDeliveryPath(running, issuer).then((path) => `${path}/redeliver`),
      {},
    ),
  'deliveries.recover': (running, pair) =>
    ownerOnlyCall(webhookPath('/redeliver')(running, pair), { since: '2026-01-01T00:00:00Z' }),
  'documents.history': (running, pair) => ownerOnlyCall(draftPath('/history')(running, pair)),
  'documents.lineage': (running, pair) => ownerOnlyCall(draftPath('/lineage')(running, pair)),
  'documents.export': (running, pair) => ownerOnlyCall(draftPath('/export')(running, pair)),
  'documents.receipt': (running, pair) => ownerOnlyCall(draftPath('/receipts/1')(running, pair)),
  'log.keys': async (running, pair) =>
    scopedCall('/v1/log/keys', [(await aDraft(running, pair)).id]),
  'log.checkpoint': async (running, { issuer }) => {
    await until('the log has a checkpoint', async () => {
      const { status } = await callApi(running, 'GET', '/v1/log/checkpoint', { key: issuer.key })
      return status === 200
    })
    return scopedCall('/v1/log/checkpoint', [issuer.id])
  },
  'log.epochs': async (running, { issuer }) => {
    await until('the log has a checkpoint', async () => {
      const { status } = await callApi(running, 'GET', '/v1/log/epochs', { key: issuer.key })
      return status === 200
    })
    return scopedCall('/v1/log/epochs', [issuer.id])
  },
  'log.consistency': async (_, { issuer }) =>
    scopedCall('/v1/log/consistency?from=0&to=0', [issuer.id]),
  'keys.list': async (_, { issuer }) => scopedCall('/v1/keys', [issuer.keyId]),
  'keys.get': (running, pair) => ownerOnlyCall(keyPath()(running, pair)),
  'keys.create': async (_, { issuer }) =>
    scopedCall('/v1/keys', [issuer.keyId], { name: 'New', scopes: ['documents:read'] }),
  'keys.rotate': (running, pair) => ownerOnlyCall(keyPath('/rotate')(running, pair), {}),
  'keys.revoke': (running, pair) => ownerOnlyCall(keyPath('/revoke')(running, pair), {}),
  'requests.get': async (running, { issuer }) => {
    const { headers } = await callApi(running, 'GET', '/v1/me', { key: issuer.session })
    return ownerOnlyCall(loggedRequestPath(running, issuer, { headers }))
  },
  'requests.list': async (_, { issuer }) => scopedCall('/v1/requests', [issuer.keyId]),
  // The list covers all organizations of an owner; its access rules have their own tests.
  'sandboxes.list': async (_, { connection }) => scopedCall('/v1/sandboxes', [connection]),
  'sandboxes.create': async (_, { issuer }) => scopedCall('/v1/sandboxes', [issuer.id], {}),
  'me.get': async (_, { issuer }) => scopedCall('/v1/me', [issuer.id, issuer.name, issuer.keyId]),
  'idempotency.get': async (running, pair) => {
    const key = freshIdempotencyKey()
    const { connection: connection_id } = pair
    const body = { connection_id, document_type: 'invoice', line_items: [exampleLine] }
    const headers = { 'idempotency-key': key }
    const { headers: sent, body: document } = await callApi(running, 'POST', '/v1/documents', {
      key: pair.issuer.key,
      body,
      headers,
    })
    return scopedCall(`/v1/idempotency/${key}`, [document.id, sent.get('request-id')!])
  },
  'enablement.get': async () => scopedCall('/v1/enablement', []),
  'specification.get': async () => scopedCall('/v1/openapi.json', []),
}

/** The credential that may make the call: a key where keys are allowed, otherwise a session. */
export const credentialFor = ({ id, allowed }: Operation, organization: TestOrganization): string =>
  ['session', 'admin', 'admin or scoped'].includes(allowed) || isApprovals(id)
    ? organization.session
    : organization.key

/** A key sees only the approvals that it has asked for itself. */
export const isApprovals = (id: string): boolean => id.startsWith('approvals.')

/** A session of a user who is only a member of the organization. */
export const aMemberSession = async (
  { database }: Pick<TestService, 'database'>,
  { uuid, mode }: Pick<TestOrganization, 'uuid' | 'mode'>,
): Promise<string> => {
  const email = `${freshIdempotencyKey()}@example.com`
  const user = await createUser(database, { email, name: 'Member', passwordHash: null })
  await addMembership(database, { user, organization: uuid, role: 'member' })
  return (await openSession(database, { user, organization: uuid, mode })).token
}
