/**
 * Decisions 0026 and 0062: what a rekey needs before it is finished, and an epoch that begins after
 * it. With one more leaf, it moves the end of what the old key has authenticated; a process that
 * has not heard of that yet refuses no event that it wrote, and puts no document on hold.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integrate } from '../../src/changes/provenance/sequencer.ts'
import { sql } from '../../src/database/sql.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { callApi } from '../support/api-client.ts'
import { keysDirOf } from '../support/database/postgres.ts'
import { aKey, aPair, anInvoice } from '../support/fixtures.ts'
import { runAdmin } from '../support/processes/program.ts'
import { serverKey, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const both = { SERVER_KEY: `${serverKey}, a new one`, SERVER_KEY_PREVIOUS: serverKey }
const before = await startTestService()
const { databaseUrl, database } = before
const pair = await aPair(before)
const invoice = await anInvoice(before, pair)
await aKey(before, pair.issuer, ['documents:read'])
await until('the last event of the old key is logged', async () => {
  const path = `/v1/documents/${invoice.id}/export`
  return (await callApi(before, 'GET', path, { key: pair.issuer.key })).status === 200
})
await before.service.stop()
// Nothing is logged or audited unless the test does it.
const running = await before.startAnother({ ...both, PROCESS_ROLE: 'api' })
const { context } = running.service

const run = (...args: string[]) => {
  const settings = { DATABASE_URL: databaseUrl, PROVENANCE_KEYS_DIR: keysDirOf(databaseUrl) }
  return runAdmin(args, { ...settings, ...both })
}
const admin = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await run(...args)
  assert.equal(exitCode, 0, stdout + stderr)
}

test('an unused key keeps a rekey from its end, unless its row is false: nobody can use it', async () => {
  await admin('rekey')
  const { issuer, counterparty } = pair
  for (const key of [issuer.key, issuer.session, counterparty.key, counterparty.session]) {
    assert.equal((await callApi(running, 'GET', '/v1/me', { key })).status, 200)
  }
  await database.run(sql`delete from idempotency where substring(seal from 2 for 1) = '\\x01'`)
  await database.run(sql`delete from sessions where get_byte(hash, 0) = 1`)
  assert.match((await run('rekey', '--finish')).stdout, /^API keys: \d+ \(/m)
  await database.run(sql`update keys set max_per_payment = 1 where get_byte(hash, 0) = 1`)
  await admin('rekey', '--finish')
})

test('after it, the process that logs first accepts every event of the old key', async () => {
  const config = { serverKey: both.SERVER_KEY, previousServerKey: serverKey, dataDir: '' }
  const [sequencing, auditing] = [await openKeyring(config), await openKeyring(config)]
  for (const keyring of [sequencing, auditing]) await keyring.renew(database)

  await admin('new-log-epoch', '--log', 'test')
  const parts = { database: context.database, notary: context.notary }
  const { rejected } = await integrate({ ...parts, keyring: sequencing }, 'test')
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    [],
  )
  await auditProvenance.run({ ...context, keyring: auditing })
  const held = await database.rows(sql`select id from documents where integrity_hold`)
  assert.deepEqual(held, [])
  const failures = running.logLines.filter((line) => line.includes('integrity_failure'))
  assert.deepEqual(failures, [])
})
