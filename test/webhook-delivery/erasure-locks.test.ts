/** An erasure and the workers of deliveries: what is erased is kept of no response. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { sql } from '../../src/database/sql.ts'
import { fanOut } from '../../src/store/webhooks/delivery-queue.ts'
import { lockEndpoints } from '../../src/store/webhooks/attempt-results.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { localReceiverSettings, subscribe } from '../support/webhooks/receiver.ts'
import { waitsForEndpoint } from '../support/webhooks/endpoint-waits.ts'

/** The test is the worker. */
const running = await startTestService({ ...localReceiverSettings, PROCESS_ROLE: 'api' })
const { database, service } = running
const worker = await openTestConnection(running.databaseUrl, 'a test')
after(() => worker.destroy())

test('an erasure waits for a worker that creates or records deliveries, and then marks them all', async () => {
  const pair = await aPair(running)
  const endpoints: string[] = []
  for (const port of [1, 2]) {
    const { id } = await subscribe(running, pair.issuer, `http://127.0.0.1:${port}/`)
    endpoints.push(decodeId('whk', id)!)
  }
  const { id } = await aDraft(running, pair)
  const document = decodeId('doc', id)!
  let isErased = false
  const erased = () =>
    service.context.database
      .transaction((tx) => eraseContent(tx, document, service.context))
      .then(() => (isErased = true))
  const marks = () =>
    database.rows<{ is_erased: boolean }>(sql`
      select is_erased from webhook_delivery where webhook_id = any(${endpoints}::uuid[])`)

  const erasing = await inTransaction(worker, async (tx) => {
    await lockEndpoints(tx, endpoints)
    await fanOut(tx, endpoints)
    const promise = erased()
    await until('it waits or is over', async () => isErased || (await waitsForEndpoint(database)))
    assert.equal(isErased, false, 'the deliveries are not committed yet')
    // As whoever records an attempt does, which would be a deadlock if the erasure had locked it.
    await tx.run(sql`
      select 1 from webhook_delivery where webhook_id = any(${endpoints}::uuid[])
      for no key update nowait`)
    return { promise }
  })
  await erasing.promise
  assert.deepEqual(await marks(), [{ is_erased: true }, { is_erased: true }])
})

test('an erasure verifies the history before it locks what workers wait for', async () => {
  const pair = await aPair(running)
  const { id: endpoint } = await subscribe(running, pair.issuer, 'http://127.0.0.1:1/')
  const { id } = await aDraft(running, pair)
  const document = decodeId('doc', id)!
  await asSuperuser(
    database,
    `update prov_event set at = at + interval '1 day' where document_id = '${document}'`,
  )
  const { context } = service
  await inTransaction(worker, async (tx) => {
    await lockEndpoints(tx, [decodeId('whk', endpoint)!])
    const erasing = context.database.transaction((own) => eraseContent(own, document, context))
    await assert.rejects(erasing, (error: Error) => !/lock timeout/.test(error.message))
  })
})
