/**
 * A running service behaves as the OpenAPI document and the docs declare: the documented examples
 * are executed, and every response is validated against its declaration.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMembership, createUser } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import { type Example, exampleIds } from '../../src/docs/examples/ids.ts'
import { examples } from '../../src/docs/examples/index.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import type { Reply } from '../support/api-client.ts'
import { declaredCalls } from '../support/contract/declared-calls.ts'
import { aPair, anOrganization } from '../support/fixtures.ts'
import { loggedRequestPath } from '../support/http/logged-requests.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { issuer, counterparty, connection } = await aPair(running)

const call = declaredCalls(running)

const example = (id: string): Example => examples[id] ?? {}

/** Leaves out what differs between runs: ids, parties, dates and document numbers. */
const withoutVolatileFields = (document: unknown): Record<string, unknown> => {
  const volatile = /_at$|_date$|number$|^id$|^(issuer|counterparty|connection_id)$/
  const entries = Object.entries(document as object).filter(([name]) => !volatile.test(name))
  return Object.fromEntries(entries)
}

const assertMatchesExample = (id: string, reply: Reply) =>
  assert.deepEqual(
    withoutVolatileFields(reply.body),
    withoutVolatileFields(example(id).response),
    id,
  )

test('the examples of a document run as the docs show them', async () => {
  const body = { ...example('documents.create').body, connection_id: connection }
  const draft = await call('documents.create', { credential: issuer.key, body })
  assert.equal(draft.status, 201)
  assertMatchesExample('documents.create', draft)
  const params = { id: String(draft.body.id) }

  const dry = await call('documents.create', {
    credential: issuer.key,
    body,
    headers: { 'svc-dry-run': 'true' },
  })
  assert.deepEqual(
    [dry.status, dry.headers.get('svc-dry-run'), dry.body.number],
    [200, 'true', null],
  )

  const edited = await call('documents.update', {
    credential: issuer.key,
    params,
    body: example('documents.update').body,
  })
  assertMatchesExample('documents.update', edited)
  const { notes } = example('documents.create').body as { notes: string }
  await call('documents.update', { credential: issuer.key, params, body: { notes } })

  const issued = await call('documents.issue', { credential: issuer.key, params })
  const revision = { revision: issued.body.revision }
  assert.deepEqual(withoutVolatileFields(issued.body), {
    ...withoutVolatileFields(example('documents.issue').response),
    ...revision,
  })

  const bill = await call('documents.get', { credential: counterparty.key, params })
  assert.deepEqual(withoutVolatileFields(bill.body), {
    ...withoutVolatileFields(example('documents.get').response),
    ...revision,
  })

  const request = example('documents.transition').body
  const approved = await call('documents.transition', {
    credential: counterparty.key,
    params,
    body: request,
  })
  assert.equal(approved.body.status, 'approved')
  assert.deepEqual(approved.body.allowed_transitions, ['disputed', 'payment_scheduled', 'paid'])

  const list = await call('documents.list', {
    credential: counterparty.key,
    query: example('documents.list').query!,
  })
  assert.equal(list.body.data.length, 1)
})

test('keys are created, read, rotated and revoked as declared', async () => {
  const body = { ...example('keys.create').body, expires_at: null }
  const key = await call('keys.create', { credential: issuer.session, body })
  assert.equal(key.status, 201)
  const params = { id: String(key.body.id) }
  await call('keys.get', { credential: issuer.session, params })
  await call('keys.list', { credential: issuer.session })
  await call('keys.rotate', { credential: issuer.session, params })
  await call('keys.revoke', { credential: issuer.session, params })
  const refused = await call('keys.create', { credential: issuer.key, body })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
})

test('a replay repeats the response and names the original request', async () => {
  const body = { ...example('documents.create').body, connection_id: connection }
  const headers = { 'idempotency-key': exampleIds.request }
  const first = await call('documents.create', { credential: issuer.key, body, headers })
  const again = await call('documents.create', { credential: issuer.key, body, headers })
  assert.deepEqual([again.status, again.text], [201, first.text])
  assert.equal(again.headers.get('svc-original-request-id'), first.headers.get('request-id'))
  const state = await call('idempotency.get', {
    credential: issuer.key,
    params: { key: exampleIds.request },
  })
  assert.deepEqual([state.body.status, state.body.resource_id], ['succeeded', first.body.id])
})

test('the refusals 400, 401, 404, 409, 412 and 415 are declared', async () => {
  const other = await anOrganization(running)
  const body = { ...example('documents.create').body, connection_id: connection }
  const created = await call('documents.create', { credential: issuer.key, body })
  const params = { id: String(created.body.id) }
  const statuses = [
    await call('documents.create', { credential: issuer.key, body: { ...body, tax: 3 } }),
    await call('documents.get', { params }),
    await call('documents.get', { credential: other.key, params }),
    await call('documents.get', { credential: issuer.key, params: { id: 'doc_nonsense' } }),
    await call('documents.transition', {
      credential: issuer.key,
      params,
      body: { to: 'approved' },
    }),
    await call('documents.update', {
      credential: issuer.key,
      params,
      body: {},
      headers: { 'if-match': '"9"' },
    }),
    await call('documents.create', {
      credential: issuer.key,
      body,
      headers: { 'content-type': 'text/plain' },
    }),
    await call('documents.get', {
      credential: issuer.key,
      params,
      headers: { 'if-none-match': '"1"' },
    }),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [400, 401, 404, 404, 409, 412, 415, 304])
})

test('me and enablement answer as declared', async () => {
  await call('me.get', { credential: issuer.key })
  await call('me.get', { credential: issuer.session })
  await call('enablement.get')
})

test('payments, treasury and sandbox answer as declared and as the docs show', async () => {
  const body = { ...example('documents.create').body, connection_id: connection }
  const { body: draft } = await call('documents.create', { credential: issuer.key, body })
  const params = { id: String(draft.id) }
  await call('documents.issue', { credential: issuer.key, params })
  const paying = { credential: counterparty.key, params }
  await call('documents.transition', { ...paying, body: { to: 'approved' } })
  const stuck = { source_account_id: 'acct_test_stuck' }
  const { payment } = (await call('documents.pay', { ...paying, body: stuck })).body
  const simulated = await call('sandbox.payments.simulate', {
    credential: counterparty.key,
    params: { id: payment.id },
    body: example('sandbox.payments.simulate').body,
  })
  assertMatchesExample('sandbox.payments.simulate', {
    ...simulated,
    body: { ...simulated.body, ...volatileFieldsOf(example('sandbox.payments.simulate').response) },
  })
  const paid = await call('documents.pay', paying)
  const shown = withoutVolatileFields(example('documents.pay').response)
  assert.deepEqual(
    { ...withoutVolatileFields(paid.body), payment: null, revision: 5 },
    { ...shown, payment: null },
  )
  const reading = { credential: counterparty.key }
  for (const rows of ['payments', 'treasury.accounts', 'treasury.transactions']) {
    const { query = 'limit=1', response } = example(`${rows}.list`)
    const { data } = (await call(`${rows}.list`, { ...reading, query })).body
    const [shownRow] = (response as { data: object[] }).data
    assert.deepEqual(Object.keys(data[0]), Object.keys(shownRow!), rows)
    await call(`${rows}.get`, { ...reading, params: { id: data[0].id } })
  }
  await call('treasury.balances.list', reading)
  await call('sandbox.clock.get', reading)
  for (const id of ['sandbox.clock.advance', 'sandbox.topup', 'sandbox.reset']) {
    const { body: sent } = example(id)
    const { status } = await call(id, { ...reading, ...(sent === undefined ? {} : { body: sent }) })
    assert.equal(status, 200, id)
  }
})

/** The fields in which an example differs from a run: its document and its initiator. */
const volatileFieldsOf = (answer: unknown): object => {
  const { document_id, initiated_by } = answer as Record<string, unknown>
  return { document_id, initiated_by }
}

test('attachments, connections, practice pairs and the request log answer as declared', async () => {
  const body = { ...example('documents.create').body, connection_id: connection }
  const { body: draft } = await call('documents.create', { credential: issuer.key, body })
  const below = { credential: issuer.key, params: { id: String(draft.id) } }
  const created = await call('attachments.create', { ...below, body: aFileForm() })
  const attachment_id = String(created.body.id)
  await call('attachments.list', below)
  await call('attachments.get', { ...below, params: { ...below.params, attachment_id } })
  await call('attachments.create', { ...below, body: new FormData() })

  const admin = { credential: issuer.session }
  const partner = await anOrganization(running)
  await call('connections.create', { ...admin, body: { email: partner.email } })
  const invited = await call('connections.create', {
    ...admin,
    body: { organization_id: partner.id },
  })
  const params = { id: String(invited.body.id) }
  await call('connections.list', admin)
  await call('connections.accept', { ...admin, params })
  await call('connections.accept', { credential: partner.session, params })
  await call('connections.decline', { credential: partner.session, params })
  await call('connections.get', { credential: partner.key, params })
  await call('connections.end', { ...admin, params })

  await call('sandboxes.create', { ...admin, body: { name: 'Trial' } })
  await call('sandboxes.list', admin)
  const email = 'ada@corner-shop.example'
  const ada = await createUser(running.database, { email, name: 'Ada', passwordHash: null })
  await addMembership(running.database, { user: ada, organization: issuer.uuid, role: 'finance' })
  await call('members.list', { ...admin, query: example('members.list').query! })
  const member = { ...admin, params: { user_id: encodeId('usr', ada) } }
  const { body: invitation } = await call('invitations.create', admin)
  await call('invitations.list', admin)
  await call('invitations.revoke', { ...admin, params: { id: invitation.id } })
  await call('members.update', member)
  await call('members.remove', member)
  await call('requests.list', { ...admin, query: example('requests.list').query! })
  const request_id = invited.headers.get('request-id')!
  await loggedRequestPath(running, issuer, invited)
  await call('requests.get', { ...admin, params: { request_id } })
})
