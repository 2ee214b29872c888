/** Quotas on rows (contract 11): keys, webhook endpoints, practice pairs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RowQuota, countRows } from '../../../src/store/quotas.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { type TestOrganization, anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type TestService, startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const few = { QUOTA_ACTIVE_KEYS: '5', QUOTA_WEBHOOK_ENDPOINTS: '3', QUOTA_SANDBOXES: '3' }
const limited = await running.startAnother(few)
const other = await running.startAnother(few)
const off = await running.startAnother({ SANDBOX_QUOTAS: 'off' })

type Create = (organization: TestOrganization, at?: TestService) => Promise<Reply>

const creating =
  (path: string, body: object): Create =>
  ({ session }, at = limited) =>
    callApi(at, 'POST', path, { key: session, body })

const addKey = creating('/v1/keys', { name: 'Export', scopes: ['documents:read'] })
const addEndpoint = creating('/v1/webhooks', { url: 'https://public.example/hooks' })
const addSandbox = creating('/v1/sandboxes', {})

const usedOf = async ({ session }: TestOrganization, quota: RowQuota): Promise<unknown> => {
  const { body } = await callApi(limited, 'GET', '/v1/me', { key: session })
  const row = body.limits.quotas.find((one: { quota: string }) => one.quota === quota)
  return [row.used, row.limit, row.resets_at]
}

describe('contract 11: quotas on rows', () => {
  for (const [quota, add, limit] of [
    ['active_keys', addKey, 5],
    ['webhook_endpoints', addEndpoint, 3],
    ['sandboxes', addSandbox, 3],
  ] as const) {
    test(`64 concurrent creations on two processes never pass ${quota}`, async () => {
      const organization = await anOrganization(running)
      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, i) => add(organization, i % 2 === 0 ? limited : other)),
      )
      assert.equal(await countRows(running.database, quota, organization.uuid), limit)
      const refused = replies.filter(({ status }) => status !== 201)
      assert(refused.length >= 64 - limit)
      for (const reply of refused) {
        if (reply.status === 503) continue
        const details = { quota, limit, used: limit, resets_at: null }
        assert.deepEqual(assertRefused(reply, 'sandbox_quota'), details)
        assert.equal(reply.headers.get('retry-after'), null, 'nothing resets by itself')
      }
      assert(refused.some(({ status }) => status === 429))
      assert.deepEqual(await usedOf(organization, quota), [limit, limit, null])
    })
  }

  test('in live mode, the endpoints are 409 too_many_endpoints, and the keys have no quota', async () => {
    const live = await anOrganization(running, { mode: 'live' })
    for (const _ of [1, 2, 3]) assert.equal((await addEndpoint(live)).status, 201)
    assertRefused(await addEndpoint(live), 'conflict', 'too_many_endpoints')
    for (const _ of [1, 2, 3, 4, 5, 6]) assert.equal((await addKey(live)).status, 201)
  })

  test('with SANDBOX_QUOTAS=off, 10 endpoints are the limit, and keys and sandboxes have none', async () => {
    const organization = await anOrganization(running)
    for (let i = 0; i < 10; i += 1) assert.equal((await addEndpoint(organization, off)).status, 201)
    assertRefused(await addEndpoint(organization, off), 'sandbox_quota')
    const unlimited = await running.startAnother({ ...few, SANDBOX_QUOTAS: 'off' })
    for (let i = 0; i < 6; i += 1) assert.equal((await addKey(organization, unlimited)).status, 201)
    for (let i = 0; i < 4; i += 1) {
      assert.equal((await addSandbox(organization, unlimited)).status, 201)
    }
  })

  test('a deleted endpoint makes room, and a rotated secret needs none', async () => {
    const organization = await anOrganization(running)
    const [first] = [await addEndpoint(organization), await addEndpoint(organization)]
    assert.equal((await addEndpoint(organization)).status, 201)
    assertRefused(await addEndpoint(organization), 'sandbox_quota')
    const path = `/v1/webhooks/${first!.body.id}`
    const rotated = await callApi(limited, 'POST', `${path}/rotate_secret`, {
      key: organization.session,
    })
    assert.equal(rotated.status, 200)
    await callApi(limited, 'DELETE', path, { key: organization.session })
    assert.equal((await addEndpoint(organization)).status, 201)
  })
})
