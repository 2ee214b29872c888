/**
 * Provenance 8: an old row with its old seal decides nothing in a write that was authenticated
 * before it came back (docs/decisions/0061).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeKey } from '../../src/changes/identity/keys.ts'
import { decodeId } from '../../src/core/ids.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { changeOrganization } from '../../src/store/identity/organizations.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import { aPair, exampleLine } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const { database } = running

/** Runs `change` in one transaction, while the call waits for the counters of the organization. */
const behindAuthentication = async (
  organization: string,
  call: () => Promise<Reply>,
  change: (tx: Connection) => Promise<unknown>,
): Promise<Reply> => {
  const { seals } = database
  const holder = await Connection.open(running.databaseUrl, 'docex test', { seals })
  await holder.script('begin')
  await holder.run(sql`
    select 1 from organization_counters where organization_id = ${organization} for update`)
  const reply = call()
  await until('the write waits for the counters', async () => {
    const waiting = await database.rows(sql`
      select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%organization_counters h%'`)
    return waiting.length > 0
  })
  await change(holder)
  await holder.script('commit')
  await holder.close()
  return reply
}

test('a key pays nothing once it was revoked', async () => {
  const pair = await aPair(running)
  const { uuid, key, keyId } = pair.counterparty
  const invoice = await anApprovedInvoice(running, pair)
  const writeBack = await copyRows(database, 'keys', idIs(decodeId('key', keyId)!))
  const paying = await behindAuthentication(
    uuid,
    () => pay(running, key, invoice.id),
    async (tx) => {
      await revokeKey(tx, uuid, decodeId('key', keyId)!)
      await writeBack(tx)
    },
  )
  assertNoticed(running, paying, 'keys')
  const { body } = await callApi(running, 'GET', '/v1/payments', { key: pair.issuer.key })
  assert.deepEqual(body.data, [])
})

test('an organization decides nothing once it was suspended', async () => {
  const { issuer, connection } = await aPair(running)
  const writeBack = await copyRows(database, 'organizations', idIs(issuer.uuid))
  const draft = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const reply = await behindAuthentication(
    issuer.uuid,
    () => callApi(running, 'POST', '/v1/documents', { key: issuer.key, body: draft }),
    async (tx) => {
      await changeOrganization(tx, issuer.uuid, { suspended_at: '2026-11-23T00:00:00.000Z' })
      await writeBack(tx)
    },
  )
  assertNoticed(running, reply, 'organizations')
})
