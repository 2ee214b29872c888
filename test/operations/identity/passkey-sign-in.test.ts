/** Console 2.5, WebAuthn 7.2: signing in with a passkey, and what is refused. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identityLimits as limits } from '../../../src/contract/identity-limits.ts'
import { signatureOf } from '../../../src/changes/identity/signed-tokens.ts'
import { formatChallenge } from '../../../src/core/identity/passkey-challenges.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anAuthenticator } from '../../support/identity/authenticator.ts'
import {
  aPersonWithPasskey,
  optionsFor,
  post,
  signInWith,
  siteUrlOf,
} from '../../support/identity/passkeys.ts'
import { startTestService } from '../../support/test-service.ts'

/** Both processes are the same site. */
const settings = { TRUSTED_PROXIES: '127.0.0.1', BASE_URL: 'http://localhost:8080' }
const running = await startTestService(settings)
const { database } = running

type Person = Awaited<ReturnType<typeof aPersonWithPasskey>>
type Answer = ReturnType<Person['authenticator']['get']>

/** Failures are counted by network, so each attempt comes from one of its own. */
let networks = 0
const verify = (passkey: object, on = running): Promise<Reply> =>
  post(on, '/auth/passkeys/sign-in/verify', {
    body: { passkey },
    headers: { 'x-forwarded-for': `198.19.${(networks += 1) >> 8}.${networks & 255}` },
  })

const assertAlike = (replies: readonly Reply[]): void => {
  assertRefused(replies[0]!, 'unauthorized')
  const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
  assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
}

const challengeMadeAt = (madeAtMs: number): string => {
  const nonce = 'ab'.repeat(limits.passkeyChallengeBytes)
  const mac = signatureOf(database.seals, `passkey sign-in since ${madeAtMs} ${nonce}`)
  return formatChallenge({ madeAtMs, nonce, mac })
}

describe('signing in', () => {
  test('the options name nobody, and the answer opens a session of whose passkey it is', async () => {
    const { email, authenticator, organizations } = await aPersonWithPasskey(running)
    const { challenge, ...rest } = await optionsFor(running)
    assert.equal(typeof challenge, 'string')
    assert.deepEqual(rest, {
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [],
    })
    const opened = await signInWith(running, authenticator)
    assert.equal(opened.status, 201, opened.text)
    assert.deepEqual(
      [opened.body.user.email, opened.body.organization.id],
      [email, organizations[0]],
    )
    const { data } = (await callApi(running, 'GET', '/auth/passkeys', { key: opened.body.token }))
      .body
    assert(Date.parse(data[0].last_used_at) > Date.now() - 60_000)
  })

  test('a browser gets its cookie, and the organization can be chosen', async () => {
    const person = await aPersonWithPasskey(running, [{}, {}])
    const [, second] = person.organizations
    const more = { client: 'browser', organization_id: second }
    const opened = await signInWith(running, person.authenticator, more)
    assert.deepEqual([opened.status, opened.body.organization?.id], [201, second], opened.text)
    assert(opened.headers.get('set-cookie') !== null)
  })

  test('it is in the audit log as any sign-in', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const { id, token: key } = (await signInWith(running, authenticator)).body
    const { data } = (await callApi(running, 'GET', '/v1/audit', { key })).body
    assert(data.some((one: { resource_id: string }) => one.resource_id === id))
  })
})

describe('what is refused, always in the same words', () => {
  test('an answer that is sent again, also five times at once on two processes', async () => {
    const other = await running.startAnother()
    const { authenticator } = await aPersonWithPasskey(running)
    const passkey = authenticator.get(await optionsFor(running))
    const services = [running, other, running, other, running]
    const replies = await Promise.all(services.map((on) => verify(passkey, on)))
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [201, 401, 401, 401, 401])
    assertAlike([await verify(passkey), ...replies.filter(({ status }) => status === 401)])
  })

  test('an answer to an older challenge than the last one', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const older = authenticator.get(await optionsFor(running))
    const newer = authenticator.get({ challenge: challengeMadeAt(Date.now()) })
    assert.equal((await verify(newer)).status, 201)
    assertRefused(await verify(older), 'unauthorized')
  })

  test('challenges that are expired, of the future, of others, or for a new passkey', async () => {
    const { authenticator, key } = await aPersonWithPasskey(running)
    const open = challengeMadeAt(Date.now())
    const forged = Buffer.from(open, 'base64url').toString().replace(/.{4}$/, 'AAAA')
    const challenges = [
      challengeMadeAt(Date.now() - limits.passkeyChallengeLifetimeMs - 1_000),
      challengeMadeAt(Date.now() + 60_000),
      Buffer.from(forged).toString('base64url'),
      Buffer.from('a challenge of somebody else').toString('base64url'),
      (await optionsFor(running, key)).challenge,
    ]
    const answers = challenges.map((challenge) => authenticator.get({ challenge }))
    assertAlike(await Promise.all(answers.map((answer) => verify(answer))))
    assert.equal((await verify(authenticator.get({ challenge: open }))).status, 201)
  })

  test('another site, a frame of one, and a device that has not checked the person', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const changes = [
      { origin: 'https://phishing.example' },
      { origin: siteUrlOf(running).replace('localhost', '127.0.0.1') },
      { domain: 'phishing.example' },
      { isVerified: false },
      { crossOrigin: true },
    ]
    const answers: Answer[] = []
    for (const change of changes) {
      answers.push(authenticator.get(await optionsFor(running), change))
    }
    assertAlike(await Promise.all(answers.map((answer) => verify(answer))))
  })

  test('an unknown passkey, and one that says it is another, or of another person', async () => {
    const [one, other] = [await aPersonWithPasskey(running), await aPersonWithPasskey(running)]
    const stranger = anAuthenticator(siteUrlOf(running))
    const { credentialId, userHandle } = one.authenticator.own
    const options = await optionsFor(running)
    const answers = [
      stranger.get(options),
      stranger.get(options, { credentialId }),
      other.authenticator.get(options, { credentialId, userHandle }),
      other.authenticator.get(options, { userHandle }),
    ]
    assertAlike(await Promise.all(answers.map((answer) => verify(answer))))
  })

  test('a signature, or what it covers, that was changed', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const answer = authenticator.get(await optionsFor(running))
    const { response } = answer
    const other = authenticator.get(await optionsFor(running)).response
    const changed = [
      { ...answer, response: { ...response, signature: other.signature } },
      { ...answer, response: { ...response, clientDataJSON: other.clientDataJSON } },
      { ...answer, response: { ...response, authenticatorData: 'AAAA' } },
      { ...answer, response: { ...response, signature: 'AAAA' } },
      { ...answer, rawId: 'AAAA' },
    ]
    assertAlike(await Promise.all(changed.map((one) => verify(one))))
    assert.equal((await verify(answer)).status, 201)
  })

  test('WebAuthn 7.2.22: a counter that does not rise, as of a copy', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const counted = async (counter: number): Promise<number> => {
      const passkey = authenticator.get(await optionsFor(running), { counter })
      return (await verify(passkey)).status
    }
    const statuses = []
    for (const counter of [0, 7, 7, 6, 0, 8]) statuses.push(await counted(counter))
    assert.deepEqual(statuses, [201, 201, 401, 401, 401, 201])
  })

  test('after many failures of a network, it waits', async () => {
    const { authenticator } = await aPersonWithPasskey(running)
    const headers = { 'x-forwarded-for': '198.18.255.1' }
    const attempt = async (change: object = {}) => {
      const passkey = authenticator.get(await optionsFor(running), change)
      return post(running, '/auth/passkeys/sign-in/verify', { body: { passkey }, headers })
    }
    for (let failure = 0; failure < limits.signInFailuresPerNetworkFree; failure += 1) {
      assertRefused(await attempt({ isVerified: false }), 'unauthorized')
    }
    assertRefused(await attempt(), 'rate_limited')
  })
})
