/** Responses that show a secret are not cached, and a dry run neither shows nor creates one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSetupToken } from '../../src/changes/identity/first-owner.ts'
import { createSignInLink } from '../../src/changes/identity/sign-in-links.ts'
import { operations } from '../../src/operations/index.ts'
import { hashPassword } from '../../src/changes/identity/passwords.ts'
import { sql } from '../../src/database/sql.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import { type RequestOptions, callApi } from '../support/api-client.ts'
import { anOrganization } from '../support/fixtures.ts'
import { anApprovedDevice } from '../support/identity/device-codes.ts'
import { addPasskey, optionsFor } from '../support/identity/passkeys.ts'
import { codeOf } from '../support/identity/second-factor.ts'
import { startTestService } from '../support/test-service.ts'
import { anEndpoint } from '../support/webhooks/endpoints.ts'

const running = await startTestService()
const { database } = running
const owner = await anOrganization(running)
const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)
await runAndSeal(
  database,
  'users',
  sql`update users set password_hash = ${passwordHash} where id = ${owner.userId}`,
)

const invited = await callApi(running, 'POST', '/v1/invitations', {
  key: owner.session,
  body: { email: 'ada@example.com', role: 'viewer' },
})

const browser = await callApi(running, 'POST', '/auth/sessions', {
  body: { email: owner.email, password, client: 'browser' },
})
const cookie = browser.headers.get('set-cookie')!.split(';')[0]!

const [beginner, confirming] = [await anOrganization(running), await anOrganization(running)]
const started = await callApi(running, 'POST', '/auth/totp', { key: confirming.session, body: {} })

const { authenticator } = await addPasskey(running, (await anOrganization(running)).session)
const approved = await anApprovedDevice(running, owner.session)

/** Every operation that shows a secret, with the fields of its response that hold it. */
const secretResponses: Record<
  string,
  { path: string; fields: readonly string[]; options: RequestOptions }
> = {
  'keys.create': {
    path: '/v1/keys',
    fields: ['key'],
    options: { key: owner.session, body: { name: 'New', scopes: ['documents:read'] } },
  },
  'keys.rotate': {
    path: `/v1/keys/${owner.keyId}/rotate`,
    fields: ['key'],
    options: { key: owner.session },
  },
  'invitations.create': {
    path: '/v1/invitations',
    fields: ['token'],
    options: { key: owner.session, body: { email: 'grace@example.com', role: 'viewer' } },
  },
  'invitation.accept': {
    path: '/auth/invitations/accept',
    fields: ['token'],
    options: { body: { token: invited.body.token, password, name: 'Ada' } },
  },
  'sandboxes.create': {
    path: '/v1/sandboxes',
    fields: ['api_key', 'demo_api_key', 'admin_session_token', 'demo_admin_session_token'],
    options: { key: owner.session },
  },
  'webhooks.create': {
    path: '/v1/webhooks',
    fields: ['secret'],
    options: { key: owner.session, body: { url: 'https://public.example/hooks' } },
  },
  'webhooks.rotate_secret': {
    path: `/v1/webhooks/${(await anEndpoint(running, owner)).id}/rotate_secret`,
    fields: ['secret'],
    options: { key: owner.session },
  },
  'sessions.create': {
    path: '/auth/sessions',
    fields: ['token'],
    options: { body: { email: owner.email, password } },
  },
  'links.redeem': {
    path: '/auth/links/redeem',
    fields: ['token'],
    options: { body: { token: (await createSignInLink(database, owner.userId)).token } },
  },
  'sessions.refresh': {
    path: '/auth/sessions/refresh',
    fields: ['token'],
    options: { body: {}, headers: { cookie, origin: running.baseUrl } },
  },
  'auth.setup': {
    path: '/auth/setup',
    fields: ['token'],
    options: {
      body: {
        setup_token: await createSetupToken(database),
        organization_name: 'First',
        email: 'first@example.com',
        name: 'First',
        password,
      },
    },
  },
  'totp.start': {
    path: '/auth/totp',
    fields: ['secret', 'otpauth_url'],
    options: { key: beginner.session, body: {} },
  },
  'totp.confirm': {
    path: '/auth/totp/confirm',
    fields: ['recovery_codes'],
    options: {
      key: confirming.session,
      body: { code: await codeOf(database, started.body.secret) },
    },
  },
  'device.start': {
    path: '/auth/device',
    fields: ['device_code', 'user_code', 'verification_uri_complete'],
    options: { body: {} },
  },
  'device.token': {
    path: '/auth/device/token',
    fields: ['token'],
    options: { body: { device_code: approved.device_code } },
  },
  'passkeys.sign_in': {
    path: '/auth/passkeys/sign-in/verify',
    fields: ['token'],
    options: { body: { passkey: authenticator.get(await optionsFor(running)) } },
  },
  'session.switch': {
    path: '/auth/session/switch',
    fields: ['token'],
    options: { key: owner.session, body: { organization_id: owner.id } },
  },
}

/** Everything that could store a secret. */
const counts = async (): Promise<unknown> =>
  database.rows(sql`
    select (select count(*) from keys) as keys, (select count(*) from sessions) as sessions,
      (select count(*) from sessions where revoked_at is null) as open,
      (select count(*) from organizations) as organizations,
      (select count(*) from member_invitations where ended_at is null) as invitations,
      (select string_agg(d::text, ' ') from device_codes d) as devices,
      (select string_agg(p::text, ' ') from passkeys p) as passkeys,
      (select string_agg(f::text, ' ') from second_factors f) as factors,
      (select string_agg(e::text, ' ') from webhook_endpoints e) as endpoints`)

test('every operation that shows a secret is covered here', () => {
  const ids = operations.filter(({ showsSecret }) => showsSecret === true).map(({ id }) => id)
  for (const id of ids) assert(id in secretResponses, `add ${id}`)
})

describe('a dry run', () => {
  for (const [id, { path, fields, options }] of Object.entries(secretResponses)) {
    test(`a dry run of ${id} answers 200 without a secret and creates nothing`, async () => {
      const before = await counts()
      const headers = { ...options.headers, 'svc-dry-run': 'true' }
      const reply = await callApi(running, 'POST', path, { ...options, headers })
      assert.deepEqual([reply.status, reply.headers.get('svc-dry-run')], [200, 'true'], reply.text)
      for (const field of fields) assert.equal(reply.body[field], null, field)
      assert.deepEqual(await counts(), before)
    })
  }

  test('a dry run of sign-in leaves a link unused and refuses a wrong password', async () => {
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
  for (const [id, { path, options }] of Object.entries(secretResponses)) {
    test(`${id} answers no-store`, async () => {
      const reply = await callApi(running, 'POST', path, options)
      assert(reply.status < 300, reply.text)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }

  test('any other response may be cached privately and revalidated', async () => {
    const reply = await callApi(running, 'GET', '/v1/enablement')
    assert.equal(reply.headers.get('cache-control'), 'private, no-cache')
  })
})
