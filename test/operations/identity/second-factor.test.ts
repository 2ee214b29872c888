/** Turning a second factor on and off, and what it is needed for (console 2.3, 2.5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reencryptedFactor } from '../../../src/changes/identity/second-factors.ts'
import { limits } from '../../../src/contract/limits.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { changeSealedRows, sealedRow } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { tablesContaining } from '../../support/database/plaintext-search.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  aPersonAtHome,
  aPersonWithFactor,
  codeOf,
  password,
  wrongCodeOf,
} from '../../support/identity/second-factor.ts'
import type { MembershipOptions } from '../../support/identity/people.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

const dry = { 'svc-dry-run': 'true' }

const caller = (key: string) => {
  const send = (method: string, path: string, body?: object, headers = {}): Promise<Reply> =>
    callApi(running, method, path, { key, headers, ...(body === undefined ? {} : { body }) })
  return {
    start: (body = {}, headers = {}) => send('POST', '/auth/totp', body, headers),
    confirm: (code: string, headers = {}) => send('POST', '/auth/totp/confirm', { code }, headers),
    remove: (body: object, headers = {}) => send('DELETE', '/auth/totp', body, headers),
    left: () => send('GET', '/auth/recovery-codes'),
    stepUp: (body: object) => send('POST', '/auth/session/step-up', body),
    send,
  }
}

/** Signed in, without a second factor. */
const signedIn = async (options: { client?: string; memberships?: MembershipOptions[] } = {}) => {
  const { client = 'cli', memberships } = options
  const person = await aPersonAtHome(running, memberships)
  const { token } = (await person.signIn({ client })).body
  return { ...person, key: token as string, ...caller(token) }
}

/** As if the user had signed in that long ago. */
const age = async (userId: string): Promise<void> => {
  const authenticated_at = new Date(Date.now() - limits.recentSignInMs - 1_000).toISOString()
  const own = sql`t.user_id = ${userId}`
  await changeSealedRows(database, 'sessions', own, () => ({ authenticated_at }))
}

const reasonOf = (reply: Reply) => [reply.status, reply.body.error?.details?.reason]

describe('console 2.5: turning a second factor on', () => {
  test('a secret and its address are shown once, and nothing is asked for before the first code', async () => {
    const { start, left, signIn, email } = await signedIn()
    const { status, body, headers } = await start()
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
    assert.match(body.secret, /^[A-Z2-7]{32}$/)
    const url = new URL(body.otpauth_url)
    assert.equal(url.searchParams.get('secret'), body.secret)
    assert(decodeURIComponent(url.pathname).endsWith(email))
    const state = await left()
    assert.deepEqual(state.body, { enabled_at: null, recovery_codes_left: 0 })
    assert.equal((await signIn()).status, 201)
  })

  test('the first code of the app turns it on and returns ten recovery codes, once', async () => {
    const { start, confirm, left, signIn } = await signedIn()
    const { secret } = (await start()).body
    const code = await codeOf(database, secret)
    const confirmed = await confirm(code)
    assert.equal(confirmed.status, 200, confirmed.text)
    const { recovery_codes, enabled_at, recovery_codes_left } = confirmed.body
    assert.equal(new Set(recovery_codes).size, limits.recoveryCodes)
    for (const one of recovery_codes) assert.match(one, /^([0-9a-f]{5}-){3}[0-9a-f]{5}$/)
    assert.deepEqual((await left()).body, { enabled_at, recovery_codes_left })
    assert.deepEqual(reasonOf(await signIn()), [401, 'mfa_required'])
    assert.deepEqual(reasonOf(await signIn({ totp: code })), [401, 'mfa_required'], 'used before')
  })

  test('a wrong first code, a recovery code and one without a secret turn nothing on', async () => {
    const { start, confirm, signIn } = await signedIn()
    assert.deepEqual(reasonOf(await confirm('123456')), [409, 'second_factor_off'])
    const { secret } = (await start()).body
    for (const code of [await wrongCodeOf(database, secret), '9f04c-11ab2-77d0e-3b5c8', 'x']) {
      assertProblems(await confirm(code), '/code invalid_value')
    }
    assert.equal((await signIn()).status, 201)
  })

  test('a new secret replaces one that was not confirmed, and none that was', async () => {
    const { start, confirm } = await signedIn()
    const { secret: first } = (await start()).body
    const { secret } = (await start()).body
    assertProblems(await confirm(await codeOf(database, first)), '/code invalid_value')
    assert.equal((await confirm(await codeOf(database, secret))).status, 200)
    assert.deepEqual(reasonOf(await start()), [409, 'second_factor_on'])
    assert.deepEqual(reasonOf(await confirm('123456')), [409, 'second_factor_on'])
  })

  test('of two confirmations at once one gets recovery codes', async () => {
    const { start, confirm } = await signedIn()
    const { secret } = (await start()).body
    const code = await codeOf(database, secret)
    const replies = await Promise.all([confirm(code), confirm(code)])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409])
  })

  test('a sign-in of long ago needs the password', async () => {
    for (const client of ['browser', 'cli']) {
      const { start, userId } = await signedIn({ client })
      await age(userId)
      assert.deepEqual(reasonOf(await start()), [403, 'step_up_required'])
      assert.equal((await start({ password: 'wrong' })).status, 401)
      assert.equal((await start({ password })).status, 200)
    }
  })

  test('an API key has no second factor', async () => {
    const { start, confirm, remove, left } = caller((await anOrganization(running)).key)
    for (const reply of [await start(), await confirm('1'), await remove({}), await left()]) {
      assert.deepEqual(assertRefused(reply, 'insufficient_scope').required_scopes, ['session'])
    }
  })

  test('a dry run shows no secret and turns nothing on', async () => {
    const { start, confirm, left } = await signedIn()
    assert.deepEqual((await start({}, dry)).body, { secret: null, otpauth_url: null })
    assert.equal((await confirm('123456')).status, 409)
    const code = await codeOf(database, (await start()).body.secret)
    assert.equal((await confirm(code, dry)).body.recovery_codes, null)
    assert.equal((await left()).body.enabled_at, null)
    assert.equal((await confirm(code)).status, 200)
  })
})

describe('console 2.5: turning it off', () => {
  test('a code or the password turns it off, and the password signs in alone again', async () => {
    for (const by of ['totp', 'password', 'recovery'] as const) {
      const { key, signIn, code, recoveryCodes } = await aPersonWithFactor(running)
      const { remove, left } = caller(key)
      const proofs = { totp: await code(), password, recovery: recoveryCodes[3] }
      const removed = await remove(by === 'password' ? { password } : { totp: proofs[by] })
      assert.equal(removed.status, 200, removed.text)
      assert.equal(typeof removed.body.enabled_at, 'string')
      assert.deepEqual((await left()).body, { enabled_at: null, recovery_codes_left: 0 })
      assert.equal((await signIn()).status, 201)
      assert.deepEqual(reasonOf(await remove({ password })), [409, 'second_factor_off'])
    }
  })

  test('wrong proofs, two and none are refused, and a dry run keeps it', async () => {
    const { key, wrongCode, code } = await aPersonWithFactor(running)
    const { remove, left } = caller(key)
    assert.equal((await remove({ totp: await wrongCode() })).status, 401)
    assert.equal((await remove({ password: 'wrong' })).status, 401)
    assertProblems(await remove({}), '/password invalid_value')
    const both = { password, totp: await code() }
    assertProblems(await remove(both), '/password invalid_value')
    assert.equal((await remove({ password }, dry)).status, 200)
    assert.equal(typeof (await left()).body.enabled_at, 'string')
  })

  test('contract 12: turning it on and off is in the audit log', async () => {
    const { key } = await aPersonWithFactor(running)
    assert.equal((await caller(key).remove({ password })).status, 200)
    const { body } = await callApi(running, 'GET', '/v1/audit', { key })
    const operations = body.data.map(({ operation }: { operation: string }) => operation)
    const own = operations.filter((operation: string) => operation.startsWith('totp.'))
    assert.deepEqual(own, ['totp.remove', 'totp.confirm', 'totp.start'])
  })
})

describe('console 2.5: step-up', () => {
  const aKey = { name: 'erp', scopes: ['documents:read'] }

  const aged = async () => {
    const person = await aPersonWithFactor(running, [{ mode: 'live' }])
    const opened = await person.signIn({ totp: await person.code(), client: 'browser' })
    await person.forgetUsedCodes()
    await age(person.userId)
    return { ...person, ...caller(opened.body.token) }
  }

  test('who has a second factor steps up with it, not with the password', async () => {
    const { send, stepUp, code, wrongCode } = await aged()
    assert.deepEqual(reasonOf(await send('POST', '/v1/keys', aKey)), [403, 'step_up_required'])
    assert.deepEqual(reasonOf(await stepUp({ password })), [401, 'mfa_required'])
    assert.deepEqual(reasonOf(await stepUp({ totp: await wrongCode() })), [401, 'mfa_required'])
    assert.equal((await send('POST', '/v1/keys', aKey)).status, 403)
    const totp = await code()
    assert.equal((await stepUp({ totp })).status, 200)
    assert.equal((await stepUp({ totp })).status, 401, 'each code once')
    assert.equal((await send('POST', '/v1/keys', aKey)).status, 201)
  })

  test('a refused step-up hands out no mfa_token: the session has not shown the password', async () => {
    const { stepUp } = await aged()
    const details = assertRefused(await stepUp({ password }), 'unauthorized', 'mfa_required')
    assert.deepEqual(details, { reason: 'mfa_required', methods: ['totp'] })
  })

  test('who has none steps up with the password', async () => {
    const { stepUp } = await signedIn({ client: 'browser' })
    assert.deepEqual(reasonOf(await stepUp({ totp: '123456' })), [409, 'second_factor_off'])
    assertProblems(await stepUp({}), '/password invalid_value')
    assert.equal((await stepUp({ password })).status, 200)
  })
})

describe('console 2.3.7: live money needs a second factor of who is at a browser', () => {
  const payments = [
    ['POST', '/v1/documents/doc_01kbm9s346q3d25vt4f5v37e3s/pay', {}],
    ['POST', '/v1/documents/doc_01kbm9s346q3d25vt4f5v37e3s/transition', { to: 'paid' }],
    ['POST', '/v1/approvals/apr_01kbm9s346q3d25vt4f5v37e3s/decline', {}],
  ] as const

  const statusesOf = async (send: ReturnType<typeof caller>['send']) => {
    const replies = payments.map(([method, path, body]) => send(method, path, body))
    return (await Promise.all(replies)).map(reasonOf)
  }
  const allowed = payments.map(() => [404, undefined])

  test('without one they are refused; reads, keys and sandboxes are as before', async () => {
    const live = await signedIn({ client: 'browser', memberships: [{ mode: 'live' }] })
    const refused = payments.map(() => [403, 'second_factor_required'])
    assert.deepEqual(await statusesOf(live.send), refused)
    assert.equal((await live.send('GET', '/v1/payments')).status, 200)
    const key = { name: 'erp', scopes: ['documents:read'] }
    assert.equal((await live.send('POST', '/v1/keys', key)).status, 201)
    assert.deepEqual(await statusesOf((await signedIn({ client: 'browser' })).send), allowed)
  })

  test('with one, and at the command line, they are looked at', async () => {
    const person = await aPersonWithFactor(running, [{ mode: 'live' }])
    const opened = await person.signIn({ totp: await person.code(), client: 'browser' })
    assert.deepEqual(await statusesOf(caller(opened.body.token).send), allowed)
    const cli = await signedIn({ memberships: [{ mode: 'live' }] })
    assert.deepEqual(await statusesOf(cli.send), allowed)
  })
})

test('secrets, codes and recovery codes appear neither in the log nor in the database', async () => {
  const { secret, recoveryCodes, signIn, code, userId } = await aPersonWithFactor(running)
  const totp = await code()
  const mfaToken = (await signIn()).body.error.details.mfa_token
  assert.equal((await signIn({ totp })).status, 201)
  assert.equal((await signIn({ totp: recoveryCodes[0]! })).status, 201)
  const bare = recoveryCodes.map((one) => one.replaceAll('-', ''))
  for (const text of [secret, mfaToken, ...recoveryCodes.slice(0, 2), ...bare.slice(0, 2)]) {
    assert.deepEqual(await tablesContaining(database, text), [], text)
    assert(!running.logLines.join('').includes(text))
  }
  assert(!running.logLines.join('').includes(totp))
  const rows = await database.rows<{ row: string }>(
    sql`select f::text as row from second_factors f where user_id = ${userId}`,
  )
  assert(!rows[0]!.row.includes(totp))
})

test('reliability 4.5: a stored secret opens for its own user alone', async () => {
  const { userId } = await aPersonWithFactor(running)
  const own = sql`where user_id = ${userId}`
  const factor = (await sealedRow(database, 'second_factors', own))!
  const { secondFactors: keys } = running.service.context.keyring
  assert.notEqual(reencryptedFactor(keys, factor), undefined)
  assert.equal(reencryptedFactor(keys, { ...factor, user_id: newId() }), undefined)
})
