/** Console 2.5, WebAuthn: adding and removing passkeys, and what they are good for. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identityLimits as limits } from '../../../src/contract/identity-limits.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { anAuthenticator } from '../../support/identity/authenticator.ts'
import {
  aPersonWithPasskey,
  addPasskey,
  optionsFor,
  post,
  signInWith,
  siteUrlOf,
} from '../../support/identity/passkeys.ts'
import {
  aPersonAtHome,
  aPersonWithFactor,
  password,
  turnOnFactor,
} from '../../support/identity/second-factor.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

const get = (path: string, key: string): Promise<Reply> => callApi(running, 'GET', path, { key })
const remove = (id: string, key: string, body: object): Promise<Reply> =>
  callApi(running, 'DELETE', `/auth/passkeys/${id}`, { key, body })

const ageSessions = async (userId: string): Promise<void> => {
  const authenticated_at = new Date(Date.now() - limits.recentSignInMs - 1_000).toISOString()
  const own = sql`t.user_id = ${userId}`
  await changeSealedRows(database, 'sessions', own, () => ({ authenticated_at }))
}

describe('adding a passkey', () => {
  test('the options are those of the standard, for this site and a person who is checked', async () => {
    const { email, signIn } = await aPersonAtHome(running)
    const { token: key } = (await signIn()).body
    const { challenge, user, ...rest } = await optionsFor(running, key)
    assert.match(challenge, /^[0-9A-Za-z_-]{60,}$/)
    assert.equal(user.name, email)
    assert.deepEqual(rest, {
      rp: { id: 'localhost', name: 'Document Exchange' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    })
  })

  test('it is in the list with its name, and cannot be added again', async () => {
    const { key, passkey, authenticator } = await aPersonWithPasskey(running)
    const { data } = (await get('/auth/passkeys', key)).body
    const { created_at, ...rest } = data[0]
    assert.equal(data.length, 1)
    assert(Date.parse(created_at) > Date.now() - 60_000)
    assert.deepEqual(rest, {
      id: passkey.id,
      name: 'My laptop',
      transports: ['internal'],
      last_used_at: null,
    })
    const options = await optionsFor(running, key)
    assert.equal(options.excludeCredentials[0].id, authenticator.own.credentialId)
    const body = { name: 'Again', passkey: authenticator.create(options) }
    const again = await post(running, '/auth/passkeys/register/verify', { key, body })
    assertRefused(again, 'conflict', 'passkey_known')
  })

  test('it needs a recent sign-in', async () => {
    const { userId, signIn } = await aPersonAtHome(running)
    const { token: key } = (await signIn()).body
    await ageSessions(userId)
    const refused = await post(running, '/auth/passkeys/register/options', { key })
    assertRefused(refused, 'forbidden', 'step_up_required')
  })

  test('options work once, for the person who asked, and until they expire', async () => {
    const [one, other] = [await aPersonAtHome(running), await aPersonAtHome(running)]
    const keys = [(await one.signIn()).body.token, (await other.signIn()).body.token]
    const options = await optionsFor(running, keys[0])
    const answerOf = () => anAuthenticator(siteUrlOf(running)).create(options)
    const add = (key: string) =>
      post(running, '/auth/passkeys/register/verify', {
        key,
        body: { name: 'x', passkey: answerOf() },
      })
    assertProblems(await add(keys[1]), '/passkey invalid_value')
    assert.equal((await add(keys[0])).status, 200)
    assertProblems(await add(keys[0]), '/passkey invalid_value')
  })

  test('an answer for another site, in a frame of one, or without a check of the person is refused', async () => {
    const { signIn } = await aPersonAtHome(running)
    const { token: key } = (await signIn()).body
    for (const change of [
      { origin: 'https://phishing.example' },
      { domain: 'phishing.example' },
      { isVerified: false },
      { crossOrigin: true },
    ]) {
      const answer = anAuthenticator(siteUrlOf(running)).create(
        await optionsFor(running, key),
        change,
      )
      const body = { name: 'x', passkey: answer }
      const refused = await post(running, '/auth/passkeys/register/verify', { key, body })
      assertProblems(refused, '/passkey invalid_value')
    }
    const body = { name: 'x', passkey: { id: 'x' } }
    const malformed = await post(running, '/auth/passkeys/register/verify', { key, body })
    assertRefused(malformed, 'invalid_request')
  })

  test('a person has at most twenty', async () => {
    const { key } = await aPersonWithPasskey(running)
    for (let more = 1; more < limits.passkeysMax; more += 1) await addPasskey(running, key)
    const refused = await post(running, '/auth/passkeys/register/options', { key })
    assertRefused(refused, 'conflict', 'too_many_passkeys')
  })

  test('GET /auth/methods says where browsers allow passkeys', async () => {
    assert.equal((await callApi(running, 'GET', '/auth/methods')).body.passkey, true)
    const unnamed = await running.startAnother({ BASE_URL: 'http://192.0.2.1:8080' })
    assert.equal((await callApi(unnamed, 'GET', '/auth/methods')).body.passkey, false)
    const refused = await post(unnamed, '/auth/passkeys/sign-in/options')
    assertRefused(refused, 'capability_unavailable', 'base_url_without_passkeys')
  })
})

describe('decision 0121: a passkey is a second factor', () => {
  test('the password alone signs in no more, and the refusal says what can be used', async () => {
    const { signIn, authenticator } = await aPersonWithPasskey(running)
    const details = assertRefused(await signIn(), 'unauthorized', 'mfa_required')
    assert.deepEqual(details.methods, ['passkey'])
    assertRefused(await signIn({ totp: '123456' }), 'unauthorized', 'mfa_required')
    assert.equal((await signInWith(running, authenticator)).status, 201)
  })

  test('with an app beside it, a code or the passkey signs in', async () => {
    const person = await aPersonWithFactor(running)
    const { authenticator } = await addPasskey(running, person.key)
    const details = assertRefused(await person.signIn(), 'unauthorized', 'mfa_required')
    assert.deepEqual(details.methods, ['totp', 'passkey'])
    assert.equal((await person.signIn({ totp: await person.code() })).status, 201)
    assert.equal((await signInWith(running, authenticator)).status, 201)
  })

  test('an app can be added to a passkey, and both can be removed, one after the other', async () => {
    const { key, userId, passkey, signIn } = await aPersonWithPasskey(running)
    assert.equal((await get('/auth/recovery-codes', key)).body.enabled_at, null)
    const { recoveryCodes } = await turnOnFactor(running, { key, userId })
    const state = (await get('/auth/recovery-codes', key)).body
    assert.deepEqual(state.recovery_codes_left, 10)
    const off = await callApi(running, 'DELETE', '/auth/totp', {
      key,
      body: { totp: recoveryCodes[0] },
    })
    assert.equal(off.status, 200, off.text)
    assertRefused(await signIn(), 'unauthorized', 'mfa_required')
    assert.equal((await remove(passkey.id, key, { password })).status, 200)
    assert.equal((await signIn()).status, 201)
  })

  test('a browser moves live money for a person with a passkey', async () => {
    const live = [{ mode: 'live' }] as const
    const path = '/v1/documents/doc_01kbm9s346q3d25vt4f5v37e3s/pay'
    const without = await aPersonAtHome(running, live)
    const { token } = (await without.signIn({ client: 'browser' })).body
    const refused = await callApi(running, 'POST', path, { key: token, body: {} })
    assertRefused(refused, 'forbidden', 'second_factor_required')
    const { authenticator } = await aPersonWithPasskey(running, live)
    const opened = await signInWith(running, authenticator, { client: 'browser' })
    const paid = await callApi(running, 'POST', path, { key: opened.body.token, body: {} })
    assertRefused(paid, 'not_found')
  })

  test('step-up takes the passkey of the person, and the password no more', async () => {
    const { key, userId, authenticator } = await aPersonWithPasskey(running)
    const stranger = await aPersonWithPasskey(running)
    await ageSessions(userId)
    const stepUp = (body: Record<string, unknown>) =>
      post(running, '/auth/session/step-up', { key, body })
    assertRefused(await stepUp({ password }), 'unauthorized', 'mfa_required')
    assertRefused(await stepUp({ totp: '123456' }), 'conflict', 'second_factor_off')
    const foreign = stranger.authenticator.get(await optionsFor(running))
    assertRefused(await stepUp({ passkey: foreign }), 'unauthorized')
    const passkey = authenticator.get(await optionsFor(running))
    assertProblems(await stepUp({ passkey, password }), '/password invalid_value')
    const stepped = await stepUp({ passkey })
    assert.equal(stepped.status, 200, stepped.text)
    assert(Date.parse(stepped.body.authenticated_at) > Date.now() - 60_000)
    assertRefused(await stepUp({ passkey }), 'unauthorized')
  })

  test('an invited person who is a user already accepts with the password and the passkey', async () => {
    const { email, authenticator } = await aPersonWithPasskey(running)
    const owner = await aPersonAtHome(running)
    const { token: key } = (await owner.signIn()).body
    const invitation = { email, role: 'viewer' }
    const { token } = (await post(running, '/v1/invitations', { key, body: invitation })).body
    const accept = (more: Record<string, unknown>) =>
      post(running, '/auth/invitations/accept', { body: { token, password, ...more } })
    assertRefused(await accept({}), 'unauthorized', 'mfa_required')
    const passkey = authenticator.get(await optionsFor(running))
    assert.equal((await accept({ passkey })).status, 201)
  })
})

describe('removing a passkey', () => {
  test('it takes a proof; the removed one signs in no more, and the password does again', async () => {
    const { key, passkey, authenticator, signIn } = await aPersonWithPasskey(running)
    assertProblems(await remove(passkey.id, key, {}), '/password invalid_value')
    assertRefused(await remove(passkey.id, key, { password: 'wrong' }), 'unauthorized')
    const proof = { passkey: authenticator.get(await optionsFor(running)) }
    const removed = await remove(passkey.id, key, proof)
    assert.deepEqual([removed.status, removed.body.name], [200, 'My laptop'])
    assertRefused(await signInWith(running, authenticator), 'unauthorized')
    assert.equal((await signIn()).status, 201)
    assert.deepEqual((await get('/auth/passkeys', key)).body.data, [])
  })

  test('as long as another one is left, the second factor is asked for', async () => {
    const { key, passkey, signIn } = await aPersonWithPasskey(running)
    const { passkey: second } = await addPasskey(running, key)
    assert.equal((await remove(passkey.id, key, { password })).status, 200)
    assertRefused(await signIn(), 'unauthorized', 'mfa_required')
    assert.equal((await remove(second.id, key, { password })).status, 200)
    assert.equal((await signIn()).status, 201)
  })

  test('that of another person does not exist', async () => {
    const [one, other] = [await aPersonWithPasskey(running), await aPersonWithPasskey(running)]
    const foreign = await remove(other.passkey.id, one.key, { password })
    assertRefused(foreign, 'not_found')
    assert.equal((await signInWith(running, other.authenticator)).status, 201)
  })
})
