/** RFC 8628, console 2.5: who approves a program, for which organization, and for how long. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identityLimits as limits } from '../../../src/contract/identity-limits.ts'
import { sealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  aDevice,
  anAddress,
  anApprovedDevice,
  decide,
  deviceWorld,
  pollDevice,
} from '../../support/identity/device-codes.ts'
import { aPersonWithFactor } from '../../support/identity/second-factor.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running
const { aBrowser, passTime } = deviceWorld(running)

const reasonOf = (reply: Reply): string => assertRefused(reply, 'conflict').reason

describe('console 2.5: what the person sees and chooses', () => {
  test('the claim says from where the program asks and what it calls itself', async () => {
    const { key } = await aBrowser()
    const from = { ...anAddress(), 'user-agent': 'docex-cli/1.16.0 (build-7)' }
    const { user_code } = await aDevice(running, from)
    const typed = user_code.toLowerCase().replace('-', ' ')
    const { status, body } = await decide(running, key, 'claim', { user_code: typed })
    const { created_at, expires_at, ...rest } = body
    assert.deepEqual(
      [status, rest],
      [
        200,
        {
          user_code,
          status: 'claimed',
          address: from['x-forwarded-for'],
          user_agent: 'docex-cli/1.16.0 (build-7)',
          organization: null,
        },
      ],
    )
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), limits.deviceCodeLifetimeMs)
  })

  test('the session is of the person, for the organization chosen, and makes API keys', async () => {
    const person = await aBrowser([{}, {}])
    const [, second] = person.organizations
    const { device_code } = await anApprovedDevice(running, person.key, second!)
    const opened = await pollDevice(running, device_code)
    assert.equal(opened.status, 201, opened.text)
    const { token, token_type, user, organization } = opened.body
    assert.deepEqual([token_type, user.email, organization.id], ['Bearer', person.email, second])
    const body = { name: 'erp', scopes: ['documents:read'] }
    const made = await callApi(running, 'POST', '/v1/keys', { key: token, body })
    assert.equal(made.status, 201, made.text)
  })

  test('decision 0120: it enters no other organization, and opens no other way in', async () => {
    const { key, organizations } = await aBrowser([{}, { mode: 'live' }])
    const { device_code } = await anApprovedDevice(running, key)
    const { token } = (await pollDevice(running, device_code)).body
    const { user_code } = await aDevice(running, anAddress())
    await decide(running, token, 'claim', { user_code })
    const calls = [
      ['/auth/session/switch', { organization_id: organizations[1] }],
      ['/auth/device/approve', { user_code }],
      ['/auth/passkeys/register/options', {}],
      ['/auth/totp', {}],
    ] as const
    for (const [path, body] of calls) {
      const reply = await callApi(running, 'POST', path, { key: token, body })
      assertRefused(reply, 'forbidden', 'approved_program')
    }
    const own = await callApi(running, 'GET', '/auth/session', { key: token })
    assert.equal(own.body.organization.id, organizations[0])
  })

  test('decision 0120: a practice pair that it creates lets it into no other organization', async () => {
    const { key, organizations } = await aBrowser([{}, { mode: 'live' }])
    const { device_code } = await anApprovedDevice(running, key)
    const { token } = (await pollDevice(running, device_code)).body
    const made = await callApi(running, 'POST', '/v1/sandboxes', { key: token, body: {} })
    assert.equal(made.status, 201, made.text)
    const { admin_session_token: admin, demo_admin_session_token: demoAdmin } = made.body
    for (const minted of [admin, demoAdmin]) {
      assert.equal((await callApi(running, 'GET', '/v1/keys', { key: minted })).status, 200)
      const body = { organization_id: organizations[1]! }
      const reply = await callApi(running, 'POST', '/auth/session/switch', { key: minted, body })
      assertRefused(reply, 'forbidden', 'approved_program')
      const options = '/auth/passkeys/register/options'
      const added = await callApi(running, 'POST', options, { key: minted, body: {} })
      assertRefused(added, 'forbidden', 'approved_program')
    }
  })

  test('without a choice it is the organization of the one who approves; not one of others', async () => {
    const [person, stranger] = [await aBrowser(), await aBrowser()]
    const { device_code } = await anApprovedDevice(running, person.key)
    const opened = await pollDevice(running, device_code)
    assert.equal(opened.body.organization.id, person.organizations[0])
    const { user_code } = await aDevice(running, anAddress())
    await decide(running, person.key, 'claim', { user_code })
    const body = { user_code, organization_id: stranger.organizations[0]! }
    assertRefused(await decide(running, person.key, 'approve', body), 'not_found')
  })

  test('it ends twelve hours after the approver last showed who they are, not after the poll', async () => {
    const { key } = await aBrowser()
    await passTime(600_000)
    const session = await callApi(running, 'GET', '/auth/session', { key })
    const { device_code } = await anApprovedDevice(running, key)
    const { body } = await pollDevice(running, device_code)
    const since = Date.parse(session.body.authenticated_at)
    assert.equal(Date.parse(body.expires_at) - since, limits.sessionLifetimeMs)
    const own = await callApi(running, 'GET', '/auth/session', { key: body.token })
    assert.deepEqual(
      [own.body.client, own.body.authenticated_at],
      ['cli', session.body.authenticated_at],
    )
  })

  test('it is in the list of sessions with the address of the program, and is ended there', async () => {
    const { key } = await aBrowser()
    const from = { ...anAddress(), 'user-agent': 'docex-cli/1.16.0 (build-7)' }
    const { device_code, user_code } = await aDevice(running, from)
    await decide(running, key, 'claim', { user_code })
    await decide(running, key, 'approve', { user_code })
    const { id, token } = (await pollDevice(running, device_code)).body
    const { data } = (await callApi(running, 'GET', '/auth/sessions', { key })).body
    const listed = data.find((one: { id: string }) => one.id === id)
    assert.deepEqual(
      [listed.client, listed.address, listed.user_agent],
      ['cli', from['x-forwarded-for'], from['user-agent']],
    )
    assert.equal((await callApi(running, 'DELETE', `/auth/sessions/${id}`, { key })).status, 200)
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: token })).status, 401)
  })

  test('the sign-in and the approval are in the audit log', async () => {
    const { key } = await aBrowser()
    const { device_code } = await anApprovedDevice(running, key)
    const { id } = (await pollDevice(running, device_code)).body
    const { data } = (await callApi(running, 'GET', '/v1/audit', { key })).body
    const operations = data.map((one: { operation: string }) => one.operation)
    for (const name of ['device.claim', 'device.approve', 'sessions.create']) {
      assert(operations.includes(name), name)
    }
    assert(data.some((one: { resource_id: string }) => one.resource_id === id))
  })
})

describe('who may approve', () => {
  test('only after a recent sign-in: afterwards the password makes it recent again', async () => {
    const { key } = await aBrowser()
    await passTime(limits.recentSignInMs + 1_000)
    const { user_code } = await aDevice(running, anAddress())
    assert.equal((await decide(running, key, 'claim', { user_code })).status, 200)
    const refused = await decide(running, key, 'approve', { user_code })
    assertRefused(refused, 'forbidden', 'step_up_required')
    const body = { password: 'correct horse battery staple' }
    await callApi(running, 'POST', '/auth/session/step-up', { key, body })
    assert.equal((await decide(running, key, 'approve', { user_code })).status, 200)
  })

  test('decision 0117: for a live organization, only with a second factor', async () => {
    const live = [{}, { mode: 'live' }] as const
    const without = await aBrowser(live)
    const { user_code } = await aDevice(running, anAddress())
    await decide(running, without.key, 'claim', { user_code })
    const body = { user_code, organization_id: without.organizations[1]! }
    const refused = await decide(running, without.key, 'approve', body)
    assertRefused(refused, 'forbidden', 'second_factor_required')
    assert.equal((await decide(running, without.key, 'approve', { user_code })).status, 200)

    const { key, organizations } = await aPersonWithFactor(running, live)
    const { device_code } = await anApprovedDevice(running, key, organizations[1]!)
    const opened = await pollDevice(running, device_code)
    assert.deepEqual([opened.status, opened.body.organization?.mode], [201, 'live'])
  })

  test('an API key has no session to claim or approve with', async () => {
    const { key } = await aBrowser()
    const body = { name: 'erp', scopes: ['documents:read'] }
    const made = await callApi(running, 'POST', '/v1/keys', { key, body })
    const { user_code } = await aDevice(running, anAddress())
    for (const step of ['claim', 'approve', 'deny'] as const) {
      assertRefused(await decide(running, made.body.key, step, { user_code }), 'insufficient_scope')
    }
  })

  test('whoever signs out before the program has polled takes the approval back', async () => {
    const { key } = await aBrowser()
    const { device_code } = await anApprovedDevice(running, key)
    assert.equal((await callApi(running, 'DELETE', '/auth/session', { key })).status, 200)
    assert.equal(reasonOf(await pollDevice(running, device_code)), 'access_denied')
  })

  test('whoever is no member any more gets no session', async () => {
    const person = await aBrowser([{}, {}])
    const { device_code } = await anApprovedDevice(running, person.key)
    const [organization] = await sealedRows(
      database,
      'device_codes',
      sql`where t.user_id = ${person.userId}`,
    )
    await database.run(sql`
      delete from sessions where organization_id = ${organization!.organization_id}`)
    await database.run(sql`
      delete from memberships where organization_id = ${organization!.organization_id}`)
    const reply = await pollDevice(running, device_code)
    assert(reply.status >= 400 && reply.status < 500, reply.text)
  })
})
