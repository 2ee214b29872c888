/** The audit log: what people did, stored with what they did (contract 12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { type Reply, callApi, postWhenFree, writeWhenFree } from '../../support/api-client.ts'
import { aDraft, aPair, anInvoice, anOrganization, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { aMemberSession } from '../../support/http/example-calls.ts'
import { aPersonWith } from '../../support/identity/people.ts'
import { asSuperuser } from '../../support/provenance/row-tampering.ts'
import { transition } from '../../../src/operations/documents/transition.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database } = running

const audit = (key: string, query = ''): Promise<Reply> =>
  callApi(running, 'GET', `/v1/audit${query}`, { key })

interface Entry {
  seq: number
  operation: string
  created_at: string
}

const operationsOf = async (key: string, query = ''): Promise<string[]> =>
  (await audit(key, query)).body.data.map(({ operation }: Entry) => operation)

test('contract 12: every write of a session is written down, and nothing of a key', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const { id } = await anInvoice(running, pair)
  const moved = await move(running, counterparty.session, id, 'approved')
  assert.equal(moved.status, 200, moved.text)
  await callApi(running, 'PATCH', '/v1/preferences', { key: counterparty.session, body: {} })
  const { data } = (await audit(counterparty.session)).body
  assert.deepEqual(
    data.map(({ seq, operation }: Entry) => [seq, operation]),
    [
      [2, 'preferences.update'],
      [1, 'documents.transition'],
    ],
  )
  const { id: entry, user, created_at, request_id, ...rest } = data[1]
  assert.match(entry, /^aud_/)
  assert.equal(request_id, moved.headers.get('request-id'))
  assert.equal(user.email, counterparty.email)
  assert.match(created_at, /Z$/)
  assert.deepEqual(rest, {
    seq: 1,
    operation: 'documents.transition',
    resource_id: id,
    summary: transition.summary,
    path: `/v1/documents/${id}/transition`,
    address: '127.0.0.1',
  })
  assert.deepEqual(await operationsOf(issuer.session), [], 'keys made the document')
})

test('a refusal, a replay and a dry run are no acts', async () => {
  const pair = await aPair(running)
  const { session } = pair.issuer
  const draft = await aDraft(running, pair)
  const patch = (body: object, headers: Record<string, string> = {}) =>
    callApi(running, 'PATCH', `/v1/documents/${draft.id}`, { key: session, body, headers })
  await patch({ currency: 'CHF' })
  await patch({ notes: 'Tried.' }, { 'svc-dry-run': 'true' })
  const headers = { 'idempotency-key': 'an-edit-of-a-person' }
  await patch({ notes: 'Done.' }, headers)
  await patch({ notes: 'Done.' }, headers)
  assert.deepEqual(await operationsOf(session), ['documents.update'])
})

test('a sign-in and a switch of the organization are written down', async () => {
  const password = 'correct horse battery staple'
  const memberships = [{}, {}]
  const passwordHash = await hashPassword(password)
  const { email, organizations } = await aPersonWith(database, { memberships, passwordHash })
  const [organization_id, other] = organizations
  const signIn = { email, password, organization_id }
  const opened = await callApi(running, 'POST', '/auth/sessions', { body: signIn })
  assert.equal(opened.status, 201, opened.text)
  const entry = (await audit(opened.body.token)).body.data[0]
  assert.deepEqual([entry.operation, entry.resource_id], ['sessions.create', opened.body.id])
  const body = { organization_id: other }
  await callApi(running, 'POST', '/auth/session/switch', { key: opened.body.token, body })
  const again = await callApi(running, 'POST', '/auth/sessions', { body: signIn })
  assert.deepEqual(await operationsOf(again.body.token), [
    'sessions.create',
    'session.switch',
    'sessions.create',
  ])
})

test('who became a member by which invitation is written down', async () => {
  const { session: key } = await anOrganization(running)
  const body = { email: 'grace@hopper.example', role: 'viewer' }
  const invited = await callApi(running, 'POST', '/v1/invitations', { key, body })
  const { id, token } = invited.body
  const accept = { token, name: 'Grace', password: 'a long enough passphrase' }
  const path = '/auth/invitations/accept'
  const accepted = await callApi(running, 'POST', path, { body: accept })
  assert.equal(accepted.status, 201, accepted.text)
  const { data } = (await audit(key, '?operation=invitation.accept')).body
  const [entry] = data
  assert.deepEqual(
    [data.length, entry?.user.id, entry?.path, entry?.resource_id],
    [1, accepted.body.user.id, path, id],
  )
  const all: Entry[] = (await audit(key)).body.data
  const times = all.map(({ created_at }) => created_at)
  assert.deepEqual(times, times.toSorted().toReversed(), 'later entries have later times')
})

test('concurrent writes of several people are numbered without a gap', async () => {
  const pair = await aPair(running)
  const { session } = pair.issuer
  const colleague = await aMemberSession(running, pair.issuer)
  const drafts = []
  for (let i = 0; i < 8; i += 1) drafts.push(await aDraft(running, pair))
  const comment = { text: 'Seen.' }
  await Promise.all(
    drafts.flatMap(({ id }) =>
      [session, colleague].flatMap((key) => [
        writeWhenFree(running, 'PATCH', `/v1/documents/${id}`, { key, body: { notes: key } }),
        postWhenFree(running, `/v1/documents/${id}/comments`, { key, body: comment }),
      ]),
    ),
  )
  const { data } = (await audit(session, '?limit=100')).body
  assert.deepEqual(
    data.map(({ seq }: Entry) => seq),
    Array.from({ length: 32 }, (_, i) => 32 - i),
  )
})

test('contract 1: an operation that does not exist is refused as a filter, and what was meant is named', async () => {
  const { session } = await anOrganization(running)
  const refused = await audit(session, '?operation=documents.pay,documents.transitoin,nothing')
  const { errors } = assertRefused(refused, 'invalid_request')
  assert.deepEqual(errors, [
    {
      param: 'operation',
      code: 'invalid_value',
      message: '"documents.transitoin" is not known.',
      fix: 'did you mean documents.transition?',
    },
    {
      param: 'operation',
      code: 'invalid_value',
      message: '"nothing" is not known.',
      fix: 'send ids of operations',
    },
  ])
  for (const known of ['sessions.create', 'session.switch', 'identities.connect']) {
    assert.equal((await audit(session, `?operation=${known}`)).status, 200, known)
  }
})

test('pages continue where they ended, and filters name people, operations and times', async () => {
  const pair = await aPair(running)
  const { session, email } = pair.issuer
  const colleague = await aMemberSession(running, pair.issuer)
  for (const key of [session, colleague, session, colleague, session]) {
    const { id } = await aDraft(running, pair)
    await callApi(running, 'PATCH', `/v1/documents/${id}`, { key, body: { notes: 'x' } })
    await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key })
  }
  const walk = async (query: string): Promise<Entry[]> => {
    const entries: Entry[] = []
    for (let cursor = ''; ;) {
      const { body } = await audit(session, `?limit=3${query}${cursor}`)
      entries.push(...body.data)
      if (body.next_cursor === null) return entries
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  const all = await walk('')
  assert.deepEqual(
    all.map(({ seq }) => seq),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  )
  const mine = (await audit(session, '?limit=1')).body.data[0].user
  assert.equal(mine.email, email)
  const issues = await walk(`&user=${mine.id}&operation=documents.issue`)
  assert.deepEqual(
    issues.map(({ seq }) => seq),
    [10, 6, 2],
  )
  const [since, until] = [all[6]!.created_at, all[3]!.created_at]
  const between = await walk(`&since=${since}&until=${until}`)
  assert.deepEqual(
    between.map(({ seq }) => seq),
    [7, 6, 5, 4],
  )
})

test('only owners and admins read it', async () => {
  const organization = await anOrganization(running)
  const member = await aMemberSession(running, organization)
  for (const key of [organization.key, member]) {
    assertRefused(await audit(key), 'insufficient_scope')
  }
})

test('an entry that was changed or deleted in the database is noticed', async () => {
  for (const tamper of [
    (org: string) => `delete from audit_entries where organization_id = '${org}' and seq = 2`,
    (org: string) => `delete from audit_entries where organization_id = '${org}' and seq = 3`,
    (org: string) => `delete from audit_entries where organization_id = '${org}'`,
    (org: string) => `
      update audit_entries set operation = 'documents.get'
      where organization_id = '${org}' and seq = 1`,
    (org: string) => `delete from audit_trails where organization_id = '${org}'`,
    (org: string) => `update audit_trails set entries = 1 where organization_id = '${org}'`,
  ]) {
    const pair = await aPair(running)
    const { session, uuid } = pair.issuer
    for (const notes of ['a', 'b', 'c']) {
      const { id } = await aDraft(running, pair)
      await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: session, body: { notes } })
    }
    assert.equal((await audit(session)).status, 200)
    await asSuperuser(database, tamper(uuid))
    assertRefused(await audit(session), 'integrity_failure')
  }
})
