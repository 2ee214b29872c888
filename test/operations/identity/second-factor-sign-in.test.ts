/** Signing in with a second factor, over HTTP (console 2.5, contract 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSignInLink } from '../../../src/changes/identity/sign-in-links.ts'
import { limits } from '../../../src/contract/limits.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { aPersonAtHome, aPersonWithFactor } from '../../support/identity/second-factor.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const { database } = running

/** The mfa_token of a refusal that asks for the second factor. */
const mfaTokenOf = (reply: Reply): string => {
  const { mfa_token } = assertRefused(reply, 'unauthorized', 'mfa_required')
  assert.match(mfa_token, /^mt_/)
  return mfa_token
}

const sorted = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted()

describe('console 2.5: the password and a code', () => {
  test('the right password alone gets 401 mfa_required with an mfa_token, and no session', async () => {
    const { signIn } = await aPersonWithFactor(running)
    const reply = await signIn()
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
    assert.equal(reply.headers.get('set-cookie'), null)
    mfaTokenOf(reply)
  })

  test('the same request with totp signs in, with spaces or without', async () => {
    const { signIn, code } = await aPersonWithFactor(running)
    const now = await code()
    const reply = await signIn({ totp: `${now.slice(0, 3)} ${now.slice(3)}`, client: 'browser' })
    assert.equal(reply.status, 201, reply.text)
    assert(reply.headers.get('set-cookie') !== null)
    const me = await callApi(running, 'GET', '/v1/me', { key: reply.body.token })
    assert.equal(me.status, 200)
  })

  test('RFC 6238 5.2: a step that was used is never accepted again, and neither is an earlier one', async () => {
    const { signIn, code } = await aPersonWithFactor(running)
    const [before, now] = [await code(-1), await code()]
    assert.equal((await signIn({ totp: now })).status, 201)
    for (const totp of [now, before]) mfaTokenOf(await signIn({ totp }))
    assert.equal((await signIn({ totp: await code(1) })).status, 201)
  })

  test('the same code that is sent five times at once signs in once', async () => {
    const other = await running.startAnother()
    const { signIn, code, email } = await aPersonWithFactor(running)
    const totp = await code()
    const elsewhere = () =>
      callApi(other, 'POST', '/auth/sessions', {
        body: { email, password: 'correct horse battery staple', totp },
        headers: { 'x-forwarded-for': '2001:db8:9::1' },
      })
    const replies = await Promise.all([
      signIn({ totp }),
      elsewhere(),
      signIn({ totp }),
      elsewhere(),
      signIn({ totp }),
    ])
    assert.deepEqual(sorted(replies), [201, 401, 401, 401, 401])
  })

  test('a recovery code works once in its place, also when it is sent twice at once', async () => {
    const { signIn, recoveryCodes, key } = await aPersonWithFactor(running)
    assert.equal(recoveryCodes.length, limits.recoveryCodes)
    const [first, second] = recoveryCodes
    const replies = await Promise.all([first, first].map((totp) => signIn({ totp })))
    assert.deepEqual(sorted(replies), [201, 401])
    assert.equal((await signIn({ totp: second!.toUpperCase() })).status, 201)
    const { body } = await callApi(running, 'GET', '/auth/recovery-codes', { key })
    assert.equal(body.recovery_codes_left, limits.recoveryCodes - 2)
  })

  test('a wrong password gets the same bytes, whatever the code and whoever has a second factor', async () => {
    const [withFactor, without] = [await aPersonWithFactor(running), await aPersonAtHome(running)]
    const totp = await withFactor.code()
    const wrong = { password: 'a wrong password' }
    const replies = [
      await without.signIn(wrong),
      await without.signIn({ ...wrong, totp }),
      await withFactor.signIn(wrong),
      await withFactor.signIn({ ...wrong, totp }),
      await withFactor.signIn({ ...wrong, totp: '000000' }),
      await withFactor.signIn({ ...wrong, totp, email: 'nobody@example.com' }),
    ]
    const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
    assert.match(texts[0]!, /^401 /)
    assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
    assert.equal((await withFactor.signIn({ totp })).status, 201, 'the code was not used up')
  })

  test('without a second factor, a code that is sent all the same is not looked at', async () => {
    const { signIn } = await aPersonAtHome(running)
    assert.equal((await signIn({ totp: '123456' })).status, 201)
  })
})

describe('console 2.5: the mfa_token', () => {
  test('with a code it signs in once, without the password', async () => {
    const { signIn, signInWith, code } = await aPersonWithFactor(running)
    const mfa_token = mfaTokenOf(await signIn())
    const opened = await signInWith({ mfa_token, totp: await code(), client: 'browser' })
    assert.equal(opened.status, 201, opened.text)
    const again = await signInWith({ mfa_token, totp: await code(1) })
    assertRefused(again, 'unauthorized')
    assert.match(again.body.error.message, /mfa_token/)
  })

  test('of two codes that are sent with one token at once, one signs in', async () => {
    const { signIn, signInWith, code } = await aPersonWithFactor(running)
    const mfa_token = mfaTokenOf(await signIn())
    const codes = [await code(), await code(1)]
    const replies = await Promise.all(codes.map((totp) => signInWith({ mfa_token, totp })))
    assert.deepEqual(sorted(replies), [201, 401])
  })

  test('a wrong code leaves it as it is', async () => {
    const { signIn, signInWith, code, wrongCode } = await aPersonWithFactor(running)
    const mfa_token = mfaTokenOf(await signIn())
    const refused = await signInWith({ mfa_token, totp: await wrongCode() })
    assert.equal(mfaTokenOf(refused), mfa_token)
    assert.equal((await signInWith({ mfa_token, totp: await code() })).status, 201)
  })

  test('expired, changed and foreign tokens are refused alike', async () => {
    const [one, other] = [await aPersonWithFactor(running), await aPersonWithFactor(running)]
    const token = mfaTokenOf(await one.signIn())
    const [, ends, id, mac] = /^mt_([^_]+)_([^_]+)_(.+)$/.exec(token)!
    const [, , otherId] = /^mt_([^_]+)_([^_]+)_/.exec(mfaTokenOf(await other.signIn()))!
    const later = (Number.parseInt(ends!, 36) + 60_000).toString(36)
    const past = (Date.now() - 1_000).toString(36)
    const [user] = await database.rows<{ version: bigint }>(
      sql`select version from users where id = ${one.userId}`,
    )
    const text = `second factor of ${one.userId} at ${user!.version} until ${past}`
    const signed = database.seals.credentialMac(text).toString('base64url')
    const tokens = [
      'nonsense',
      `mt_${later}_${id}_${mac}`,
      `mt_${ends}_${otherId}_${mac}`,
      `mt_${past}_${id}_${signed}`,
      `${token.slice(0, -2)}AA`,
    ]
    const totp = await one.code()
    const replies = await Promise.all(
      tokens.map((one) => other.signInWith({ mfa_token: one, totp })),
    )
    const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
    assert.match(texts[0]!, /^401 /)
    assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
  })

  test('contract 2: it takes totp, and nothing else stands beside it', async () => {
    const { signInWith, signIn } = await aPersonAtHome(running)
    assertProblems(await signInWith({ mfa_token: 'mt_1' }), '/totp required')
    assertProblems(await signInWith({ mfa_token: 'mt_1', link: 'sl_1' }), '/link invalid_value')
    assertProblems(await signIn({ mfa_token: 'mt_1', totp: '1' }), '/mfa_token invalid_value')
  })
})

describe('contract 10: one-time links ask for the second factor', () => {
  test('a link with a code signs in', async () => {
    const { userId, signInWith, code } = await aPersonWithFactor(running)
    const { token: link } = await createSignInLink(database, userId)
    assert.equal((await signInWith({ link, totp: await code() })).status, 201)
    assert.equal((await signInWith({ link, totp: await code(1) })).status, 401)
  })

  test('a link alone is used up, and its mfa_token goes on with a code', async () => {
    const { userId, signInWith, code } = await aPersonWithFactor(running)
    const { token: link } = await createSignInLink(database, userId)
    const mfa_token = mfaTokenOf(await signInWith({ link }))
    assert.equal((await signInWith({ link })).body.error.details, undefined)
    assert.equal((await signInWith({ mfa_token, totp: await code() })).status, 201)
  })
})

test('contract 12: an accepted invitation asks for the second factor, and is not used up before', async () => {
  const owner = await aPersonAtHome(running)
  const { token: key } = (await owner.signIn()).body
  const { email, code } = await aPersonWithFactor(running)
  const invited = await callApi(running, 'POST', '/v1/invitations', {
    key,
    body: { email, role: 'viewer' },
  })
  const accept = (more: object) =>
    callApi(running, 'POST', '/auth/invitations/accept', {
      body: { token: invited.body.token, password: 'correct horse battery staple', ...more },
    })
  assert.deepEqual(assertRefused(await accept({}), 'unauthorized', 'mfa_required'), {
    reason: 'mfa_required',
    methods: ['totp'],
  })
  assert.equal((await accept({ totp: await code() })).status, 201)
})

describe('specification 8: wrong codes', () => {
  test(`after ${limits.wrongCodesFree} in a row, even the right code waits, from every network and process`, async () => {
    const { signIn, signInWith, code, wrongCode, recoveryCodes } = await aPersonWithFactor(running)
    const mfa_token = mfaTokenOf(await signIn())
    const totp = await wrongCode()
    const guesses = Array.from({ length: 9 }, (_, i) =>
      signInWith({ mfa_token, totp }, { 'x-forwarded-for': `198.51.100.${i}` }),
    )
    const free = limits.wrongCodesFree
    const expected = [...Array(free).fill(401), ...Array(9 - free).fill(429)]
    assert.deepEqual(sorted(await Promise.all(guesses)), expected)
    const refused = await signIn({ totp: await code() })
    const { policy, retry_after_seconds } = assertRefused(refused, 'rate_limited')
    assert.equal(policy, 'second_factor')
    assert(retry_after_seconds <= limits.wrongCodeFirstWaitMs / 1000)
    assert.equal((await signIn({ totp: recoveryCodes[0]! })).status, 201, 'a recovery code')
    assert.equal((await signIn({ totp: await code() })).status, 201, 'a success forgets them')
  })

  test('the wait grows with each one and ends, and a day without one forgets them', async () => {
    const { signIn, code, wrongCode, userId } = await aPersonWithFactor(running)
    const set = (wrong_codes: number, msAgo: number) =>
      changeSealedRows(database, 'second_factors', sql`t.user_id = ${userId}`, () => ({
        wrong_codes,
        wrong_code_at: new Date(Date.now() - msAgo).toISOString(),
      }))
    await set(limits.wrongCodesFree + 2, limits.wrongCodeFirstWaitMs * 3)
    const wait = assertRefused(await signIn({ totp: await code() }), 'rate_limited')
    assert(wait.retry_after_seconds <= limits.wrongCodeFirstWaitMs / 1000)
    await set(limits.wrongCodesFree + 2, limits.wrongCodeFirstWaitMs * 4 + 1_000)
    mfaTokenOf(await signIn({ totp: await wrongCode() }))
    assertRefused(await signIn({ totp: await code() }), 'rate_limited')
    await set(1_000, limits.wrongCodesForgottenMs + 1_000)
    mfaTokenOf(await signIn({ totp: await wrongCode() }))
    assert.equal((await signIn({ totp: await code() })).status, 201)
  })

  test('they count as failures of the password do', async () => {
    const { signIn, forgetUsedCodes, wrongCode } = await aPersonWithFactor(running)
    for (let failures = 0; failures < limits.signInFailuresFree; failures += 1) {
      await forgetUsedCodes()
      assert.equal((await signIn({ totp: await wrongCode() })).status, 401)
    }
    await forgetUsedCodes()
    assert.equal(assertRefused(await signIn(), 'rate_limited').policy, 'sign_in')
  })

  test('a dry run shows no token, uses up no code, and counts wrong ones', async () => {
    const { signIn, code, wrongCode } = await aPersonWithFactor(running)
    const dry = { 'svc-dry-run': 'true' }
    const asked = assertRefused(await signIn({}, dry), 'unauthorized', 'mfa_required')
    assert.deepEqual(asked, { reason: 'mfa_required', methods: ['totp'], mfa_token: null })
    const totp = await code()
    assert.deepEqual([(await signIn({ totp }, dry)).body.token], [null])
    assert.equal((await signIn({ totp })).status, 201)
    const wrong = await wrongCode()
    const guesses = Array.from({ length: 8 }, () => signIn({ totp: wrong }, dry))
    const free = limits.wrongCodesFree
    const expected = [...Array(free).fill(401), ...Array(8 - free).fill(429)]
    assert.deepEqual(sorted(await Promise.all(guesses)), expected)
  })
})
