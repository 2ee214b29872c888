/** Registering, changing and rotating endpoints (specification 2.4 and 6.3, contract 4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { openSecrets } from '../../../src/changes/webhooks/endpoints.ts'
import { sealedRow } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { webhooksClient } from '../../support/webhooks/webhooks-client.ts'
import { localReceiverSettings, startReceiver, subscribe } from '../../support/webhooks/receiver.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aDraft, aPair, anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { tablesContaining } from '../../support/database/plaintext-search.ts'

const running = await startTestService(localReceiverSettings)
const strict = await running.startAnother({ WEBHOOK_ALLOW_PRIVATE: '0', PROCESS_ROLE: 'api' })
const { webhooks: stripe } = new Stripe('sk_test_none')

const { send } = webhooksClient(running)

describe('registering', () => {
  test('contract 4: only the response of the registration shows the secret', async () => {
    const organization = await anOrganization(running)
    const reply = await send(organization, 'POST', '', {
      url: 'https://public.example/hooks?a=1',
      events: ['document.created', 'document.created'],
      description: 'Accounting',
    })
    assert.equal(reply.status, 201, reply.text)
    const { id, secret, created_at, ...rest } = reply.body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
    assert.deepEqual(rest, {
      url: 'https://public.example/hooks?a=1',
      events: ['document.created'],
      description: 'Accounting',
      status: 'ACTIVE',
      disabled_reason: null,
      consecutive_failures: 0,
      last_success_at: null,
      last_failure_at: null,
      previous_secret_valid_until: null,
    })
    assert.equal(reply.headers.get('location'), `/v1/webhooks/${id}`)
    const { last_day: _, ...read } = (await send(organization, 'GET', `/${id}`)).body
    assert.deepEqual(read, { id, created_at, ...rest })
    const { body: page } = await send(organization, 'GET', '')
    assert.deepEqual(page, { data: [read], next_cursor: null, has_more: false })
  })

  test('contract 5.6: the secret is neither in the database nor in the log, and a replay shows it', async () => {
    const organization = await anOrganization(running)
    const key = { 'idempotency-key': freshIdempotencyKey() }
    const body = { url: 'https://public.example/hooks' }
    const first = await send(organization, 'POST', '', body, key)
    const again = await send(organization, 'POST', '', body, key)
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    assert.equal(again.text, first.text)
    const { secret } = first.body
    for (const text of [secret, secret.slice(6)]) {
      assert.deepEqual(await tablesContaining(running.database, text), [])
      assert(!running.logLines.some((line) => line.includes(text)))
    }
  })

  test('reliability 4.5: a stored secret opens for its own endpoint alone', async () => {
    const organization = await anOrganization(running)
    await send(organization, 'POST', '', { url: 'https://public.example/hooks' })
    const { uuid } = organization
    const own = sql`where organization_id = ${uuid}`
    const endpoint = (await sealedRow(running.database, 'webhook_endpoints', own))!
    const { webhookSecrets: keys } = running.service.context.keyring
    assert.notEqual(openSecrets(keys, endpoint), undefined)
    for (const other of [{ id: uuid }, { organization_id: endpoint.id }, { mode: 'live' }])
      assert.equal(openSecrets(keys, { ...endpoint, ...other }), undefined)
  })

  test('unknown events, wrong types and read-only fields are refused together', async () => {
    const organization = await anOrganization(running)
    const reply = await send(organization, 'POST', '', {
      url: 5,
      events: ['document.craeted'],
      secret: 'mine',
      status: 'ACTIVE',
    })
    const problems = assertProblems(
      reply,
      '/url wrong_type',
      '/events/0 invalid_value',
      '/secret read_only',
      '/status read_only',
    )
    const unknownEvent = problems.find(({ param }) => param === '/events/0')
    assert.match(unknownEvent!.fix!, /did you mean document.created/)
  })

  test('a dry run resolves the name, shows no secret and stores nothing', async () => {
    const organization = await anOrganization(running)
    const dry = { 'svc-dry-run': 'true' }
    const good = await send(organization, 'POST', '', { url: 'https://public.example/' }, dry)
    assert.equal(good.status, 200, good.text)
    assert.equal(good.body.secret, null)
    const bad = await send(organization, 'POST', '', { url: 'https://gone.example/' }, dry)
    assertProblems(bad, '/url invalid_value')
    assert.deepEqual((await send(organization, 'GET', '')).body.data, [])
  })
})

describe('contract 4: private addresses', () => {
  const loopback = 'http://127.0.0.1:9/hooks'

  test('a private address is refused by default with a problem of the url', async () => {
    const { session } = await anOrganization(running)
    for (const url of [loopback, 'https://127.0.0.1/', 'https://gone.example/']) {
      const reply = await callApi(strict, 'POST', '/v1/webhooks', { key: session, body: { url } })
      assertProblems(reply, '/url invalid_value')
    }
  })

  test('WEBHOOK_ALLOW_PRIVATE=1 allows private addresses in sandboxes, never in live mode', async () => {
    const [sandbox, live] = [
      await anOrganization(running),
      await anOrganization(running, { mode: 'live' }),
    ]
    assert.equal((await send(sandbox, 'POST', '', { url: loopback })).status, 201)
    assertProblems(await send(live, 'POST', '', { url: loopback }), '/url invalid_value')
  })

  test('WEBHOOK_ALLOW_PRIVATE=1 is logged at startup', () => {
    assert(running.logLines.some((line) => line.includes('webhooks_may_be_private')))
    assert(!strict.logLines.some((line) => line.includes('webhooks_may_be_private')))
  })
})

describe('changing', () => {
  test('PATCH changes only the fields it names', async () => {
    const organization = await anOrganization(running)
    const { id } = await subscribe(running, organization, 'https://public.example/a')
    const one = await send(organization, 'PATCH', `/${id}`, { description: 'New' })
    assert.equal(one.body.description, 'New')
    assert.equal(one.body.url, 'https://public.example/a')
    const two = await send(organization, 'PATCH', `/${id}`, {
      url: 'https://public.example/b',
      events: ['document.edited'],
      description: null,
      status: 'DISABLED',
    })
    const { url, events, description, status, disabled_reason } = two.body
    assert.deepEqual(
      [url, events, description, status],
      ['https://public.example/b', ['document.edited'], null, 'DISABLED'],
    )
    assert.match(disabled_reason, /admin/)
    const three = await send(organization, 'PATCH', `/${id}`, { status: 'ACTIVE' })
    assert.deepEqual([three.body.status, three.body.disabled_reason], ['ACTIVE', null])
    assert.equal((await send(organization, 'PATCH', `/${id}`, {})).status, 200)
    const wrong = await send(organization, 'PATCH', `/${id}`, { url: 'https://10.0.0.1' })
    assert.equal(wrong.status, 200, 'a sandbox allows private addresses')
  })

  test('DELETE answers the last record, after which the endpoint does not exist', async () => {
    const organization = await anOrganization(running)
    const {
      id,
      secret: _,
      ...endpoint
    } = await subscribe(running, organization, 'https://public.example/a')
    const reply = await send(organization, 'DELETE', `/${id}`)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { id, ...endpoint })
    assertRefused(await send(organization, 'GET', `/${id}`), 'not_found')
    assertRefused(await send(organization, 'DELETE', `/${id}`), 'not_found')
  })
})

describe('6.3.8 rotation of the secret', () => {
  test('both secrets sign during the window, the new one first', async () => {
    const receiver = await startReceiver()
    const pair = await aPair(running)
    const old = await subscribe(running, pair.issuer, receiver.url)
    const before = Date.now()
    const { body: fresh } = await send(pair.issuer, 'POST', `/${old.id}/rotate_secret`)
    assert.notEqual(fresh.secret, old.secret)
    const windowMs = Date.parse(fresh.previous_secret_valid_until) - before
    assert(Math.abs(windowMs - 24 * 3_600_000) < 60_000)
    await aDraft(running, pair)
    await until('it is delivered', () => receiver.received.length === 1)
    const { headers, rawBody } = receiver.received[0]!
    const [, first, second] = headers['svc-signature']!.split(',')
    assert.equal(headers['svc-webhook-signature'], `${first},${second}`)
    for (const secret of [fresh.secret, old.secret]) {
      stripe.constructEvent(rawBody, headers['svc-signature']!, secret)
      new Webhook(secret).verify(rawBody, headers)
    }
    stripe.constructEvent(
      rawBody,
      `${headers['svc-signature']!.split(',')[0]},${first}`,
      fresh.secret,
    )
  })

  test('after the window only the new secret signs, and the record shows no window', async () => {
    const shortWindow = await running.startAnother({
      SECRET_ROTATION_WINDOW: '1ms',
      PROCESS_ROLE: 'api',
    })
    const receiver = await startReceiver()
    const { issuer } = await aPair(running)
    const { id, secret } = await subscribe(running, issuer, receiver.url)
    const rotated = await callApi(shortWindow, 'POST', `/v1/webhooks/${id}/rotate_secret`, {
      key: issuer.session,
    })
    await until('the window has ended', async () => {
      const { body } = await send(issuer, 'GET', `/${id}`)
      return body.previous_secret_valid_until === null
    })
    await send(issuer, 'POST', `/${id}/ping`)
    const { headers, rawBody } = receiver.received[0]!
    assert.equal(headers['svc-signature']!.split(',').length, 2)
    stripe.constructEvent(rawBody, headers['svc-signature']!, rotated.body.secret)
    assert.throws(() => stripe.constructEvent(rawBody, headers['svc-signature']!, secret))
  })
})
