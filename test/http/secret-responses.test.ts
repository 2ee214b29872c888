/** Answers that show a secret: nobody on the way keeps them, and a dry run shows and makes none. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSignInLink } from '../../src/changes/identity/sessions.ts'
import { operations } from '../../src/operations/index.ts'
import { hashPassword } from '../../src/changes/identity/passwords.ts'
import { sql } from '../../src/database/sql.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import {
  type RequestOptions,
  anOrganization,
  callApi,
  startTestService,
} from '../support/service.ts'
import { anEndpoint } from '../support/webhooks/endpoints.ts'

const running = await startTestService()
const { database } = running
const owner = await anOrganization(running)
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)
await database.run(sql`update users set password_hash = ${passwordHash} where id = ${owner.userId}`)

/** Every operation that shows a secret, and where in its answer. */
const secretResponses: Record<
  string,
  { path: string; fields: readonly string[]; asking: RequestOptions }
> = {
  'keys.create': {
    path: '/v1/keys',
    fields: ['key'],
    asking: { key: owner.session, body: { name: 'New', scopes: ['documents:read'] } },
  },
  'keys.rotate': {
    path: `/v1/keys/${owner.keyId}/rotate`,
    fields: ['key'],
    asking: { key: owner.session },
  },
  'sandboxes.create': {
    path: '/v1/sandboxes',
    fields: ['api_key', 'demo_api_key', 'admin_session_token', 'demo_admin_session_token'],
    asking: { key: owner.session },
  },
  'webhooks.create': {
    path: '/v1/webhooks',
    fields: ['secret'],
    asking: { key: owner.session, body: { url: 'https://public.example/hooks' } },
  },
  'webhooks.rotate_secret': {
    path: `/v1/webhooks/${(await anEndpoint(running, owner)).id}/rotate_secret`,
    fields: ['secret'],
    asking: { key: owner.session },
  },
  'sessions.create': {
    path: '/auth/sessions',
    fields: ['token'],
    asking: { body: { email: owner.email, password } },
  },
  'session.switch': {
    path: '/auth/session/switch',
    fields: ['token'],
    asking: { key: owner.session, body: { organization_id: owner.id } },
  },
}

/** Everything that a secret could be kept in. */
const counts = async (): Promise<unknown> =>
  database.rows(sql`
    select (select count(*) from keys) as keys, (select count(*) from sessions) as sessions,
      (select count(*) from sessions where revoked_at is null) as open,
      (select count(*) from organizations) as organizations,
      (select string_agg(e::text, ' ') from webhook_endpoints e) as endpoints`)

test('each of them is tried here', () => {
  const ids = operations.filter(({ showsSecret }) => showsSecret === true).map(({ id }) => id)
  for (const id of ids) assert(id in secretResponses, `add ${id}`)
})

describe('a dry run', () => {
  for (const [id, { path, fields, asking }] of Object.entries(secretResponses)) {
    test(`${id}: 200, no secret, nothing made`, async () => {
      const before = await counts()
      const headers = { 'svc-dry-run': 'true' }
      const reply = await callApi(running, 'POST', path, { ...asking, headers })
      assert.deepEqual([reply.status, reply.headers.get('svc-dry-run')], [200, 'true'], reply.text)
      for (const field of fields) assert.equal(reply.body[field], null, field)
      assert.deepEqual(await counts(), before)
    })
  }

  test('sign-in by link leaves the link unused, and a wrong password is as wrong as ever', async () => {
    const { token } = await createSignInLink(database, owner.userId)
    const headers = { 'svc-dry-run': 'true' }
    const tried = await callApi(running, 'POST', '/auth/sessions', {
      body: { link: token },
      headers,
    })
    assert.deepEqual([tried.status, tried.body.token], [200, null])
    const used = await callApi(running, 'POST', '/auth/sessions', { body: { link: token } })
    assert.equal(used.status, 201)
    const body = { email: owner.email, password: 'wrong' }
    assert.equal((await callApi(running, 'POST', '/auth/sessions', { body, headers })).status, 401)
    const odd = { 'svc-dry-run': 'yes' }
    const unclear = await callApi(running, 'POST', '/auth/sessions', { body, headers: odd })
    assertProblems(unclear, 'Svc-Dry-Run invalid_value')
  })
})

describe('Cache-Control: no-store', () => {
  for (const [id, { path, asking }] of Object.entries(secretResponses)) {
    test(id, async () => {
      const reply = await callApi(running, 'POST', path, asking)
      assert(reply.status < 300, reply.text)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }

  test('elsewhere an answer may be kept by its reader, and asked for again', async () => {
    const reply = await callApi(running, 'GET', '/v1/enablement')
    assert.equal(reply.headers.get('cache-control'), 'private, no-cache')
  })
})
