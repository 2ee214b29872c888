/** The first owner of a deployment, over HTTP (contract 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSetupToken } from '../../../src/changes/identity/first-owner.ts'
import { limits } from '../../../src/contract/limits.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const owner = {
  email: 'Ada@Bright-Timber.example',
  name: 'Ada',
  password: 'correct horse battery',
  organization_name: 'Bright Timber',
}

type Running = Awaited<ReturnType<typeof startTestService>>

const setup = (running: Running, setup_token: string, more = {}): Promise<Reply> =>
  callApi(running, 'POST', '/auth/setup', { body: { ...owner, setup_token, ...more } })

const isRequired = async (running: Running): Promise<boolean> =>
  (await callApi(running, 'GET', '/auth/methods')).body.setup_required

const [used, unused] = [await startTestService(), await startTestService()]

describe('contract 3: the first owner', () => {
  test('a printed token makes one owner with a live organization and a practice pair, once', async () => {
    const running = used
    const token = (await createSetupToken(running.database))!
    assert.equal(await isRequired(running), true)
    const replies = await Promise.all([
      setup(running, token, { client: 'browser' }),
      setup(running, token, { client: 'browser', email: 'grace@example.com' }),
    ])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401])
    const first = replies.find(({ status }) => status === 201)!
    assert.match(first.headers.get('set-cookie')!, /^svc_refresh=rf_/)
    const { body } = await callApi(running, 'GET', '/auth/session', { key: first.body.token })
    const shown = body.organizations.map((one: { name: string; mode: string; role: string }) => [
      one.name,
      one.mode,
      one.role,
    ])
    assert.deepEqual(shown, [
      ['Bright Timber', 'live', 'owner'],
      ['Bright Timber Sandbox', 'sandbox', 'owner'],
      ['Demo Counterparty', 'sandbox', 'owner'],
    ])
    assert.deepEqual([body.organization.mode, body.role], ['live', 'owner'])
    const path = '/auth/session/switch'
    const sandbox = body.organizations[1].id
    const key = first.body.token
    const switched = await callApi(running, 'POST', path, {
      key,
      body: { organization_id: sandbox },
    })
    const documents = await callApi(running, 'GET', '/v1/documents', { key: switched.body.token })
    assert.equal(
      documents.body.data.length,
      3,
      'the demo counterparty has sent its first documents',
    )
    assert.equal(await isRequired(running), false)
    assert.equal(await createSetupToken(running.database), undefined)
    assert.equal((await setup(running, token, { email: 'b@example.com' })).status, 401)
  })

  test('the token is asked for by the name that it has here', async () => {
    const body = { ...owner, token: 'x' }
    const refused = await callApi(unused, 'POST', '/auth/setup', { body })
    assertProblems(refused, '/setup_token required', '/token unknown_field')
    const { errors } = refused.body.error.details
    assert.equal(errors[1].fix, 'send setup_token')
  })

  test('forged, changed and expired tokens are refused alike, and create nothing', async () => {
    const running = unused
    const token = (await createSetupToken(running.database))!
    const [, ends, mac] = token.split(/_(.*?)_/s) as [string, string, string]
    const later = (Number.parseInt(ends, 36) + 60_000).toString(36)
    const past = (Date.now() - 1_000).toString(36)
    const expired = `st_${past}_${running.database.seals.credentialMac(`setup until ${past}`).toString('base64url')}`
    const tokens = ['nonsense', `st_${later}_${mac}`, `${token.slice(0, -2)}AA`, expired]
    const replies = await Promise.all(tokens.map((one) => setup(running, one)))
    const texts = replies.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'REQ')}`)
    assert.match(texts[0]!, /^401 /)
    assert.deepEqual(texts, Array(texts.length).fill(texts[0]))
    assert.equal(await isRequired(running), true)
    const weak = await setup(running, token, { password: 'x'.repeat(limits.passwordMinLength - 1) })
    const [problem] = assertProblems(weak, '/password invalid_value')
    assert.equal(problem!.message, 'Must be at least 12 characters long.')
    assert.match(problem!.fix!, /^send a text of 12 to 200 characters\./)
    const dry = await callApi(running, 'POST', '/auth/setup', {
      body: { ...owner, setup_token: token },
      headers: { 'svc-dry-run': 'true' },
    })
    assert.deepEqual([dry.status, dry.body.token], [200, null], dry.text)
    assert.equal(await isRequired(running), true)
  })
})
