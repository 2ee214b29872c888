/** Endpoints are locked by id, and before approvals: no two changes wait for each other. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { type SqlQuery, sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { lockEndpoints } from '../../src/store/webhooks/attempt-results.ts'
import { releaseAllLeases, renewLeases } from '../../src/store/webhooks/delivery-queue.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks } from '../support/approvals/keys-that-ask.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { type TestOrganization, aPair, anOrganization } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { waitsForEndpoint } from '../support/webhooks/endpoint-waits.ts'
import { subscribe } from '../support/webhooks/receiver.ts'

const running = await startTestService({ WEBHOOK_ALLOW_PRIVATE: '1', PROCESS_ROLE: 'api' })
const { database, service } = running
const holder = await openTestConnection(running.databaseUrl, 'who has a lock')
const { seals } = database
const worker = await openTestConnection(running.databaseUrl, 'a worker', { seals })
after(() => {
  holder.destroy()
  worker.destroy()
})

const anEndpoint = async (organization: TestOrganization) => {
  const { id } = await subscribe(running, organization, 'http://127.0.0.1:1/')
  return { id, uuid: decodeId('whk', id)! }
}

/**
 * Locks this endpoint until the change waits for it. The change must not have locked these rows
 * then, which whoever has the endpoint may lock next.
 */
const assertNotLocked = async (
  endpoint: string,
  rows: SqlQuery,
  change: () => Promise<unknown>,
): Promise<void> => {
  const { changing } = await inTransaction(holder, async (tx) => {
    await lockEndpoints(tx, [endpoint])
    let isOver = false
    const promise = change().finally(() => (isOver = true))
    promise.catch(() => undefined)
    await until('it waits or is over', async () => isOver || (await waitsForEndpoint(database)))
    assert.equal(isOver, false)
    assert.equal((await tx.rows(sql`${rows} for no key update skip locked`)).length, 1)
    return { changing: promise }
  })
  await changing
}

const rowOf = (endpoint: string) => sql`select 1 from webhook_endpoints where id = ${endpoint}`

test('a change of an endpoint waits for an earlier one of its organization before it locks it', async () => {
  const organization = await anOrganization(running)
  const [first, second] = [await anEndpoint(organization), await anEndpoint(organization)]
  const request = { key: organization.session, body: { description: 'Changed' } }
  const edit = async () => {
    const reply = await callApi(running, 'PATCH', `/v1/webhooks/${second.id}`, request)
    assert.equal(reply.status, 200, reply.text)
  }
  await assertNotLocked(first.uuid, rowOf(second.uuid), edit)
})

for (const [what, change] of [
  ['renews', renewLeases],
  ['gives back', releaseAllLeases],
] as const) {
  test(`a worker that ${what} its leases locks the endpoints by id`, async () => {
    const organization = await anOrganization(running)
    const { uuid: first } = await anEndpoint(organization)
    const { uuid: second } = await anEndpoint(organization)
    const owner = newId()
    // The first one is found last: PostgreSQL stores a changed row behind the others.
    for (const id of [second, first]) {
      await database.run(sql`
        update webhook_endpoints set lease_owner = ${owner}, lease_until = now() where id = ${id}`)
    }
    const inTurn = () => inTransaction(worker, (tx): Promise<unknown> => change(tx, owner))
    await assertNotLocked(first, rowOf(second), inTurn)
  })
}

test('an erasure locks endpoints before approvals, as a reset of the sandbox does', async () => {
  const pair = await aPair(running)
  const endpoint = await anEndpoint(pair.issuer)
  const { id } = await anApprovedInvoice(running, pair)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const asked = await callApi(running, 'POST', `/v1/documents/${id}/transition`, {
    key,
    body: { to: 'payment_scheduled' },
    headers: { 'idempotency-key': freshIdempotencyKey() },
  })
  const approval = decodeId('apr', assertRefused(asked, 'conflict').approval.id)!
  const erase = () =>
    service.context.database.transaction((tx) =>
      eraseContent(tx, decodeId('doc', id)!, service.context),
    )
  await assertNotLocked(endpoint.uuid, sql`select 1 from approvals where id = ${approval}`, erase)
})
