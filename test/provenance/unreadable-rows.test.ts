/** Provenance 8: a row that cannot even be read is a failure of its document, and of no other. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { asSuperuser, whileTampered } from '../support/provenance/row-tampering.ts'
import { until } from '../support/until.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const { database } = running
const { context } = running.service

const aLoggedInvoice = async (): Promise<{ id: string; uuid: string }> => {
  const { id } = await anInvoice(running, pair)
  await until('every event is in the log', async () => {
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}/history`, {
      key: issuer.key,
    })
    return body.verification?.logged_through_seq === body.verification?.events
  })
  return { id, uuid: decodeId('doc', id)! }
}

const first = await aLoggedInvoice()
const second = await aLoggedInvoice()
const bundle = `/v1/documents/${first.id}/export`
const exported = await callApi(running, 'GET', bundle, { key: issuer.key })
assert.equal(exported.status, 200, exported.text)

const isHeld = async (uuid: string): Promise<boolean> => {
  const row = await database.row<{ held: boolean }>(
    sql`select integrity_hold as held from documents where id = ${uuid}`,
  )
  return row!.held
}

/** Whether each is, after an audit with another change of the second one. */
const heldByAuditor = async (): Promise<boolean[]> => {
  const changeTotal = (by: string) =>
    asSuperuser(database, `update documents set total = total ${by} where id = '${second.uuid}'`)
  await changeTotal('+ 1')
  await auditProvenance.run(context)
  await changeTotal('- 1')
  return [await isHeld(first.uuid), await isHeld(second.uuid)]
}

/** Documents are audited by their ids, so the second one comes after the first. */
const own = `where id = '${first.uuid}'`
const unreadable = ['content', 'metadata', 'party_profiles', 'dispute', 'finance'].flatMap(
  (column) =>
    ['{', '', 'null', '[]', '7'].map((value) => ({
      table: 'documents',
      change: `update documents set ${column} = '${value}' ${own}`,
    })),
)
const ofEvent = `where document_id = '${first.uuid}' and seq = 1`
const others = [
  [
    'document_views',
    `update document_views set document_date = 'infinity'
    where document_id = '${first.uuid}'`,
  ],
  ['documents', `update documents set head_hash = '' ${own}`],
  ['documents', `update documents set created_at = 'infinity' ${own}`],
  ...['hash', 'mac', 'salts', 'commitments', 'shared_body'].map((column) => [
    'prov_event',
    `update prov_event set ${column} = '' ${ofEvent}`,
  ]),
  ['prov_event', `update prov_event set at = 'infinity' ${ofEvent}`],
  ['log_leaf', `update log_leaf set hash = '' ${ofEvent}`],
  ['head_note', `update head_note set note = ''`],
].map(([table, change]) => ({ table: table!, change: change! }))

describe('reads refuse a row that cannot be read, and the auditor goes on behind it', () => {
  for (const { table, change } of [...unreadable, ...others]) {
    test(change.replaceAll(/\s+/g, ' ').replace(/ where .*/, ''), async () => {
      await whileTampered(database, table, change, async () => {
        for (const what of ['history', 'export', 'lineage']) {
          for (const { key } of [issuer, counterparty]) {
            const path = `/v1/documents/${first.id}/${what}`
            assertRefused(await callApi(running, 'GET', path, { key }), 'integrity_failure')
          }
        }
        await asSuperuser(database, 'update documents set integrity_hold = false')
        const held = await heldByAuditor()
        assert.deepEqual(held, [true, true])
      })
    })
  }
})

test('what cannot be read of the log keeps no document from being audited', async () => {
  for (const [table, change] of [
    ['log_tile', `update log_tile set data = ''`],
    ['log_tile', `update log_tile set data = '\\x00'`],
    ['log_leaf', `update log_leaf set hash = ''`],
    ['log_key', `update log_key set vkey = 'x'`],
    ['log_key', `update log_key set from_size = -1`],
    ['log_checkpoint', `update log_checkpoint set note = ''`],
    ['log_checkpoint', `update log_checkpoint set root = ''`],
  ] as const) {
    await whileTampered(database, table, change, async () => {
      assert.equal((await heldByAuditor())[1], true, change)
    })
  }
})
