/**
 * Provenance 8: a change in a transaction of its own, such as the revocation of a key, is
 * acknowledged only if its rows are written. While a trigger keeps them as they were, or swallows
 * them, nothing is changed, and the same request works once the trigger is gone.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aPair, anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const { database } = running

await database.script(`
  create function keep() returns trigger language plpgsql as 'begin return old; end';
  create function swallow() returns trigger language plpgsql as 'begin return null; end'`)

type Obstacle = readonly [on: 'insert' | 'update' | 'delete', how: 'keep' | 'swallow']

const whileHindered = async (
  tables: readonly string[],
  [on, how]: Obstacle,
  use: () => Promise<void>,
): Promise<void> => {
  for (const table of tables)
    await database.script(
      `create trigger hindered before ${on} on ${table} for each row execute function ${how}()`,
    )
  try {
    await use()
  } finally {
    for (const table of tables) await database.script(`drop trigger hindered on ${table}`)
  }
}

/** Every table of access, so that no version of another row tells of the change. */
const accessTables = ['keys', 'organizations', 'organization_counters', 'memberships']

const refused = '500 integrity_failure'
const codeOf = ({ status, body }: Reply) => `${status} ${body.error?.code}`

/** Sends the same request while rows are not written, and again afterwards. */
const isTriedTwice = async (
  send: (idempotencyKey: string) => Promise<Reply>,
  tables: readonly string[],
  obstacle: Obstacle,
): Promise<Reply> => {
  const key = freshIdempotencyKey()
  await whileHindered(tables, obstacle, async () => {
    assert.equal(codeOf(await send(key)), refused)
    assert.equal(codeOf(await send(key)), refused)
  })
  return send(key)
}

describe('a change whose rows are not written is not acknowledged', () => {
  for (const how of ['keep', 'swallow'] as const)
    test(`the revocation of a key (${how})`, async () => {
      const owner = await anOrganization(running)
      const me = () => callApi(running, 'GET', '/v1/me', { key: owner.key })
      const revoke = (key: string) =>
        callApi(running, 'POST', `/v1/keys/${owner.keyId}/revoke`, {
          key: owner.session,
          headers: { 'idempotency-key': key },
        })
      const revoked = await isTriedTwice(
        async (key) => {
          const reply = await revoke(key)
          assert.equal((await me()).status, reply.status === 200 ? 401 : 200)
          return reply
        },
        accessTables,
        ['update', how],
      )
      assert.equal(revoked.status, 200, revoked.text)
    })

  test('the deletion of a webhook endpoint', async () => {
    const owner = await anOrganization(running)
    const created = await callApi(running, 'POST', '/v1/webhooks', {
      key: owner.session,
      body: { url: 'https://public.example/hook', events: ['document.created'] },
    })
    assert.equal(created.status, 201, created.text)
    const deleted = await isTriedTwice(
      (key) =>
        callApi(running, 'DELETE', `/v1/webhooks/${created.body.id}`, {
          key: owner.session,
          headers: { 'idempotency-key': key },
        }),
      ['webhook_endpoints'],
      ['delete', 'swallow'],
    )
    assert.equal(deleted.status, 200, deleted.text)
  })

  test('the end of a connection', async () => {
    const { issuer, connection } = await aPair(running)
    const ended = await isTriedTwice(
      (key) =>
        callApi(running, 'POST', `/v1/connections/${connection}/end`, {
          key: issuer.session,
          headers: { 'idempotency-key': key },
        }),
      ['connections', 'organizations', 'organization_counters'],
      ['update', 'keep'],
    )
    assert.equal(ended.status, 200, ended.text)
  })

  test('a new key, which is shown once', async () => {
    const owner = await anOrganization(running)
    const created = await isTriedTwice(
      (key) =>
        callApi(running, 'POST', '/v1/keys', {
          key: owner.session,
          headers: { 'idempotency-key': key },
          body: { name: 'Reader', scopes: ['documents:read'] },
        }),
      ['keys'],
      ['insert', 'swallow'],
    )
    assert.equal(created.status, 201, created.text)
  })
})
