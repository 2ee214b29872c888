/** One example call of every operation: what the coverage test knows about each. */
import { openSession } from '../../../src/changes/identity/sessions.ts'
import { addMember, createUser } from '../../../src/changes/identity/users.ts'
import type { Operation } from '../../../src/operations/operation.ts'
import { sql } from '../../../src/database/sql.ts'
import { aForm } from '../documents/attachments.ts'
import { anApproved, pay } from '../payments/payments.ts'
import { aDeliveryPath, anEndpoint } from '../webhooks/endpoints.ts'
import {
  type Acting,
  type Pair,
  type Reply,
  type Running,
  aDraft,
  aKey,
  aLine,
  anOrganization,
  anInvoice,
  ask,
  connectedPair,
  freshKey,
  until,
} from '../service.ts'

export interface ExampleCall {
  path: string
  body?: unknown
  /**
   * What another organization gets. `missing`: 404, for the call names a record of its owner.
   * Otherwise its own view, in which none of these texts of the owner appears.
   */
  others: 'missing' | { hides: readonly string[] }
}

type Example = (running: Running, pair: Pair) => Promise<ExampleCall>

const named = async (path: Promise<string>, body?: unknown): Promise<ExampleCall> => ({
  path: await path,
  others: 'missing',
  ...(body === undefined ? {} : { body }),
})

const draftPath: (rest?: string) => (running: Running, pair: Pair) => Promise<string> =
  (rest = '') =>
  async (running, pair) =>
    `/v1/documents/${(await aDraft(running, pair)).id}${rest}`

const keyPath =
  (rest = '') =>
  async (running: Running, { issuer }: Pair): Promise<string> =>
    `/v1/keys/${(await aKey(running, issuer, ['documents:read'])).keyId}${rest}`

const attachmentPath = async (running: Running, pair: Pair): Promise<string> => {
  const path = await draftPath('/attachments')(running, pair)
  const { body } = await ask(running, 'POST', path, { key: pair.issuer.key, body: aForm() })
  return `${path}/${body.id}`
}

/** An invitation to the issuer of the pair, by somebody new of its mode. */
const invitationPath =
  (rest: string) =>
  async (running: Running, { issuer }: Pair): Promise<string> => {
    const { body } = await invite(running, issuer)
    return `/v1/connections/${body.id}${rest}`
  }

const invite = async (running: Running, { id, mode }: Acting): Promise<Reply> => {
  const inviter = await anOrganization(running, { mode })
  const asking = { key: inviter.session, body: { organization_id: id } }
  return ask(running, 'POST', '/v1/connections', asking)
}

/** An active connection of the issuer of the pair that no other test needs. */
const activePath = async (running: Running, { issuer }: Pair): Promise<string> => {
  const partner = await anOrganization(running, { mode: issuer.mode })
  return `/v1/connections/${(await connectedPair(running, issuer, partner)).connection}`
}

/** Both can pay and be paid: in live mode that takes a processor. */
const connectProcessors = async ({ database }: Running, pair: Pair): Promise<void> => {
  if (pair.issuer.mode === 'test') return
  const methods = '{"USD":"pm_example"}'
  for (const { uuid } of [pair.issuer, pair.counterparty]) {
    await database.run(sql`
      insert into processor_accounts values (${uuid}, 'live', 'stripe', 'cus_example',
        ${methods}, 'acct_example', now(), now()) on conflict do nothing`)
  }
}

/** A document that the pair's issuer may pay: the pair the other way round. */
const payablePath = async (running: Running, pair: Pair): Promise<string> => {
  await connectProcessors(running, pair)
  const reversed = { ...pair, issuer: pair.counterparty, counterparty: pair.issuer }
  return `/v1/documents/${(await anApproved(running, reversed)).id}/pay`
}

/** A payment to the pair's issuer. */
const aPayment = async (running: Running, pair: Pair): Promise<string> => {
  await connectProcessors(running, pair)
  const { id } = await anApproved(running, pair)
  return (await pay(running, pair.counterparty.key, id)).body.payment.id
}

const firstOf = async (running: Running, { issuer }: Pair, path: string): Promise<string> =>
  (await ask(running, 'GET', path, { key: issuer.key })).body.data[0].id

const own = (path: string, hides: readonly string[], body?: unknown): ExampleCall => ({
  path,
  others: { hides },
  ...(body === undefined ? {} : { body }),
})

const webhookPath =
  (rest = '') =>
  async (running: Running, { issuer }: Pair): Promise<string> =>
    `/v1/webhooks/${(await anEndpoint(running, issuer)).id}${rest}`

const eventId = async (running: Running, pair: Pair): Promise<string> => {
  await aDraft(running, pair)
  const { body } = await ask(running, 'GET', '/v1/events?limit=1', { key: pair.issuer.key })
  return body.data[0].id
}

export const exampleCalls: Readonly<Record<string, Example>> = {
  'documents.list': async (running, pair) =>
    own('/v1/documents', [(await anInvoice(running, pair)).id]),
  'documents.get': (running, pair) => named(draftPath()(running, pair)),
  'documents.create': (_, { connection }) => {
    const body = { connection_id: connection, document_type: 'invoice', line_items: [aLine] }
    return named(Promise.resolve('/v1/documents'), body)
  },
  'documents.update': (running, pair) => named(draftPath()(running, pair), { notes: 'Edited' }),
  'documents.issue': (running, pair) => named(draftPath('/issue')(running, pair), {}),
  'documents.transition': (running, pair) =>
    named(draftPath('/transition')(running, pair), { to: 'cancelled' }),
  'documents.transitions': (running, pair) => named(draftPath('/transitions')(running, pair)),
  'documents.convert': async (running, pair) => {
    const { id } = await anInvoice(running, pair)
    const body = { document_type: 'credit_note' }
    return named(Promise.resolve(`/v1/documents/${id}/convert`), body)
  },
  'attachments.list': (running, pair) => named(draftPath('/attachments')(running, pair)),
  'attachments.create': (running, pair) => named(draftPath('/attachments')(running, pair), aForm()),
  'attachments.get': (running, pair) => named(attachmentPath(running, pair)),
  'connections.list': async (_, { connection }) => own('/v1/connections', [connection]),
  'connections.get': (running, pair) => named(activePath(running, pair)),
  'connections.create': async (_, { connection }) =>
    own('/v1/connections', [connection], { email: `${freshKey()}@example.com` }),
  'connections.accept': (running, pair) => named(invitationPath('/accept')(running, pair), {}),
  'connections.decline': (running, pair) => named(invitationPath('/decline')(running, pair), {}),
  'connections.end': async (running, pair) =>
    named(Promise.resolve(`${await activePath(running, pair)}/end`), {}),
  'documents.pay': (running, pair) => named(payablePath(running, pair), {}),
  'payments.list': async (running, pair) => own('/v1/payments', [await aPayment(running, pair)]),
  'payments.get': (running, pair) =>
    named(aPayment(running, pair).then((id) => `/v1/payments/${id}`)),
  'treasury.accounts.list': async (running, pair) =>
    own('/v1/treasury/accounts', [await firstOf(running, pair, '/v1/treasury/accounts')]),
  'treasury.accounts.get': (running, pair) =>
    named(
      firstOf(running, pair, '/v1/treasury/accounts').then((id) => `/v1/treasury/accounts/${id}`),
    ),
  'treasury.balances.list': async (running, pair) =>
    own('/v1/treasury/balances', [await firstOf(running, pair, '/v1/treasury/accounts')]),
  'treasury.transactions.list': async (running, pair) =>
    own('/v1/treasury/transactions', [await aPayment(running, pair)]),
  'treasury.transactions.get': async (running, pair) => {
    const payment = await aPayment(running, pair)
    const path = '/v1/treasury/transactions'
    return named(firstOf(running, pair, `${path}?payment=${payment}`).then((id) => `${path}/${id}`))
  },
  'sandbox.clock.get': async () => own('/v1/sandbox/clock', []),
  'sandbox.clock.advance': async () => own('/v1/sandbox/clock', [], { advance_by: 'PT1S' }),
  'sandbox.topup': async () => own('/v1/sandbox/topup', [], { currency: 'EUR', amount: 12.5 }),
  'sandbox.reset': async () => own('/v1/sandbox/reset', [], {}),
  'sandbox.payments.simulate': async (running, pair) => {
    const { id } = await anApproved(running, pair)
    const body = { source_account_id: 'acct_test_stuck' }
    const { payment } = (await pay(running, pair.counterparty.key, id, { body })).body
    return named(Promise.resolve(`/v1/sandbox/payments/${payment.id}/simulate`), {
      outcome: 'settle',
    })
  },
  'sandbox.demo.create_document': async () =>
    own('/v1/sandbox/demo/documents', [], { document_type: 'invoice' }),
  'sandbox.demo.transition': async (running, { issuer }) => {
    const made = await ask(running, 'POST', '/v1/sandbox/demo/documents', {
      key: issuer.key,
      body: { document_type: 'invoice' },
    })
    return named(Promise.resolve('/v1/sandbox/demo/transitions'), {
      document_id: made.body.id,
      to: 'cancelled',
    })
  },
  'events.list': async (running, pair) => own('/v1/events', [await eventId(running, pair)]),
  'events.get': async (running, pair) =>
    named(eventId(running, pair).then((id) => `/v1/events/${id}`)),
  'webhooks.list': async (running, { issuer }) =>
    own('/v1/webhooks', [(await anEndpoint(running, issuer)).id]),
  'webhooks.get': (running, pair) => named(webhookPath()(running, pair)),
  'webhooks.create': async (running, { issuer }) =>
    own('/v1/webhooks', [(await anEndpoint(running, issuer)).id], {
      url: 'https://public.example/hooks',
    }),
  'webhooks.update': (running, pair) =>
    named(webhookPath()(running, pair), { description: 'For the accounting system.' }),
  'webhooks.delete': (running, pair) => named(webhookPath()(running, pair)),
  'webhooks.rotate_secret': (running, pair) =>
    named(webhookPath('/rotate_secret')(running, pair), {}),
  'webhooks.ping': (running, pair) => named(webhookPath('/ping')(running, pair), {}),
  'deliveries.list': (running, pair) => named(webhookPath('/deliveries')(running, pair)),
  'deliveries.get': (running, { issuer }) => named(aDeliveryPath(running, issuer)),
  'deliveries.redeliver': (running, { issuer }) =>
    named(
      aDeliveryPath(running, issuer).then((path) => `${path}/redeliver`),
      {},
    ),
  'deliveries.recover': (running, pair) =>
    named(webhookPath('/redeliver')(running, pair), { since: '2026-01-01T00:00:00Z' }),
  'documents.history': (running, pair) => named(draftPath('/history')(running, pair)),
  'documents.lineage': (running, pair) => named(draftPath('/lineage')(running, pair)),
  'documents.export': (running, pair) => named(draftPath('/export')(running, pair)),
  'log.keys': async (running, pair) => own('/v1/log/keys', [(await aDraft(running, pair)).id]),
  'log.checkpoint': async (running, { issuer }) => {
    await until('the log has a checkpoint', async () => {
      const { status } = await ask(running, 'GET', '/v1/log/checkpoint', { key: issuer.key })
      return status === 200
    })
    return own('/v1/log/checkpoint', [issuer.id])
  },
  'log.consistency': async (_, { issuer }) => own('/v1/log/consistency?from=0&to=0', [issuer.id]),
  'keys.list': async (_, { issuer }) => own('/v1/keys', [issuer.keyId]),
  'keys.get': (running, pair) => named(keyPath()(running, pair)),
  'keys.create': async (_, { issuer }) =>
    own('/v1/keys', [issuer.keyId], { name: 'New', scopes: ['documents:read'] }),
  'keys.rotate': (running, pair) => named(keyPath('/rotate')(running, pair), {}),
  'keys.revoke': (running, pair) => named(keyPath('/revoke')(running, pair), {}),
  'requests.list': async (_, { issuer }) => own('/v1/requests', [issuer.keyId]),
  // One list for all of an owner's organizations: whose it is has tests of its own.
  'sandboxes.list': async (_, { connection }) => own('/v1/sandboxes', [connection]),
  'sandboxes.create': async (_, { issuer }) => own('/v1/sandboxes', [issuer.id], {}),
  'me.get': async (_, { issuer }) => own('/v1/me', [issuer.id, issuer.name, issuer.keyId]),
  'idempotency.get': async (running, pair) => {
    const key = freshKey()
    const body = { connection_id: pair.connection, document_type: 'invoice', line_items: [aLine] }
    const headers = { 'idempotency-key': key }
    const { headers: answered, body: document } = await ask(running, 'POST', '/v1/documents', {
      key: pair.issuer.key,
      body,
      headers,
    })
    return own(`/v1/idempotency/${key}`, [document.id, answered.get('request-id')!])
  },
  'enablement.get': async () => own('/v1/enablement', []),
  'specification.get': async () => own('/v1/openapi.json', []),
}

/** The credential that may make the call: a key where a key may. */
export const credentialFor = ({ allowed }: Operation, acting: Acting): string =>
  allowed === 'admin' || allowed === 'admin or scoped' ? acting.session : acting.key

/** A session of somebody who is only a member of the organization. */
export const aMemberSession = async (
  { database }: Pick<Running, 'database'>,
  { uuid, mode }: Pick<Acting, 'uuid' | 'mode'>,
): Promise<string> => {
  const email = `${freshKey()}@example.com`
  const user = await createUser(database, { email, name: 'Member', passwordHash: null })
  await addMember(database, { user, organization: uuid, role: 'member' })
  return (await openSession(database, { user, organization: uuid, mode })).token
}
