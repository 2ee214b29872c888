/**
 * Provenance 8: an old row with its old seal decides nothing in a write that was authenticated
 * before it came back (docs/decisions/0061).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeKey } from '../../src/changes/identity/keys.ts'
import { endSession } from '../../src/changes/identity/sessions.ts'
import { decodeId } from '../../src/core/ids.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { changeOrganization } from '../../src/store/identity/organizations.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import { aPair, anOrganization, exampleLine } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const running = await startTestService()
const { database } = running

interface Interrupted {
  /** Where the call waits. */
  lock: { table: 'organization_counters' | 'memberships'; condition: string }
  call(): Promise<Reply>
  change(tx: Connection): Promise<unknown>
}

/** Runs `change` in one transaction, while the call waits for a lock behind its authentication. */
const behindAuthentication = async ({ lock, call, change }: Interrupted): Promise<Reply> => {
  const { seals } = database
  const holder = await openTestConnection(running.databaseUrl, 'docex test', { seals })
  await holder.script('begin')
  await holder.script(`select 1 from ${lock.table} where ${lock.condition} for update`)
  const reply = call()
  await until('the write waits for the lock', async () => {
    const waiting = await database.rows(sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database() and query like ${`%from ${lock.table} %`}`)
    return waiting.length > 0
  })
  await change(holder)
  await holder.script('commit')
  await holder.close()
  return reply
}

const countersOf = (organization: string): Interrupted['lock'] => ({
  table: 'organization_counters',
  condition: `organization_id = '${organization}'`,
})

test('a key pays nothing once it was revoked', async () => {
  const pair = await aPair(running)
  const { uuid, key, keyId } = pair.counterparty
  const invoice = await anApprovedInvoice(running, pair)
  const writeBack = await copyRows(database, 'keys', idIs(decodeId('key', keyId)!))
  const paying = await behindAuthentication({
    lock: countersOf(uuid),
    call: () => pay(running, key, invoice.id),
    change: async (tx) => {
      await revokeKey(tx, uuid, decodeId('key', keyId)!)
      await writeBack(tx)
    },
  })
  assertNoticed(running, paying, 'keys')
  const { body } = await callApi(running, 'GET', '/v1/payments', { key: pair.issuer.key })
  assert.deepEqual(body.data, [])
})

test('an organization decides nothing once it was suspended', async () => {
  const { issuer, connection } = await aPair(running)
  const writeBack = await copyRows(database, 'organizations', idIs(issuer.uuid))
  const draft = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const reply = await behindAuthentication({
    lock: countersOf(issuer.uuid),
    call: () => callApi(running, 'POST', '/v1/documents', { key: issuer.key, body: draft }),
    change: async (tx) => {
      await changeOrganization(tx, issuer.uuid, { suspended_at: '2026-11-23T00:00:00.000Z' })
      await writeBack(tx)
    },
  })
  assertNoticed(running, reply, 'organizations')
})

test('a session is not exchanged for another one once it was signed out', async () => {
  const { session: key, userId, id: organization_id } = await anOrganization(running)
  const { body } = await callApi(running, 'GET', '/auth/session', { key })
  const id = decodeId('ses', body.id)!
  const writeBack = await copyRows(database, 'sessions', idIs(id))
  const switching = await behindAuthentication({
    lock: { table: 'memberships', condition: `user_id = '${userId}'` },
    call: () =>
      callApi(running, 'POST', '/auth/session/switch', { key, body: { organization_id } }),
    change: async (tx) => {
      await endSession(tx, id)
      await writeBack(tx)
    },
  })
  assertNoticed(running, switching, 'sessions')
})
