/** Contract 7: one call that redelivers a range takes a short turn among the writes of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, subscribe } from '../support/webhooks/receiver.ts'
import { webhooksClient } from '../support/webhooks/webhooks-client.ts'

const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const { send } = webhooksClient(running)

test('a call examines at most a thousand events, and names where the next one begins', async () => {
  const pair = await aPair(running)
  const { issuer } = pair
  const { created_at: at } = await anInvoice(running, pair)
  // One in each of the milliseconds before.
  await running.database.run(sql`
    insert into events
    select organization_id, -before, gen_random_uuid(), document_id, sequence, type,
      created_at - make_interval(secs => before / 1000.0), revision, payload, seal
    from generate_series(1, 1500) before, events
    where organization_id = ${issuer.uuid} and type = 'document.created'`)
  const endpoint = await subscribe(running, issuer, 'http://127.0.0.1:9/')
  const recover = (since: string) =>
    send(issuer, 'POST', `/${endpoint.id}/redeliver`, { since, types: ['document.created'] })
  const before = new Date(Date.parse(at) - 60_000).toISOString()
  const { scheduled, next_since } = (await recover(before)).body
  assert.equal(scheduled, 1_000)
  assert.deepEqual((await recover(next_since)).body, { scheduled: 501, next_since: null })
})
