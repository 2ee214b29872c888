/** Log keys are rotated: the new one signs beside the old one, which is retired after 90 days. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { keysDirOf } from '../support/database/postgres.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { callApi } from '../support/api-client.ts'
import { anInvoice } from '../support/fixtures.ts'
import { sharedBodies } from '../support/provenance/stored-history.ts'
import { until } from '../support/until.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { assertBundlesHold } from '../support/provenance/verifiers.ts'
import { parseCheckpoint } from '../../verifier/verify-bundle.mjs'

const { running, pair, issuer, counterparty } = await startTradingPair()

const read = (what: string, id: string, key: string, at = running) =>
  callApi(at, 'GET', `/v1/documents/${id}/${what}`, { key })

const assertProvable = (id: string, at = running) =>
  assertBundlesHold(at, id, [issuer.key, counterparty.key])

test('during a key rotation reads continue, and old and new bundles verify with the published keys', async () => {
  const invoice = await anInvoice(running, pair)
  const before = await read('export', invoice.id, issuer.key)
  const { exitCode, output } = await runAdminOnService(running, 'rotate-log-key', '--log', 'test')
  assert.equal(exitCode, 0, output)
  assert.equal((await read('history', invoice.id, issuer.key)).status, 200)
  const later = await anInvoice(running, pair)
  await assertProvable(later.id)
  await assertProvable(invoice.id)
  const again = await read('export', invoice.id, issuer.key)
  assert.equal(again.text, before.text, 'the same bytes')
  const { body } = await callApi(running, 'GET', '/v1/log/keys', { key: issuer.key })
  assert.equal(body.keys.length, 2)
})

const untilLogged = (id: string) =>
  until('every event is in the log', async () => {
    const { body } = await read('history', id, issuer.key)
    return body.verification?.logged_through_seq === body.verification?.events
  })

/** Makes the newest key look 91 days old. */
const ageNewestKey = (keysDir: string): void => {
  const file = join(keysDir, 'test', 'keys.json')
  const stored = JSON.parse(readFileSync(file, 'utf8')) as { keys: { added_at: string }[] }
  stored.keys.at(-1)!.added_at = new Date(Date.now() - 91 * 86_400_000).toISOString()
  writeFileSync(`${file}.aged`, JSON.stringify(stored))
  renameSync(`${file}.aged`, file)
}

const countKeyEvents = async (type: string, vkey: string): Promise<number> => {
  const bodies = await sharedBodies(running.database, sql`true`, type)
  return bodies.filter((body) => body.includes(vkey)).length
}

for (const [rule, isInterrupted] of [
  ['after 90 days the old key no longer signs, and its private key is deleted', false],
  ['the auditor completes a retirement that a crash interrupted before the database', true],
] as const) {
  test(`rotation: ${rule}`, async () => {
    const { context } = running.service
    const keysDir = keysDirOf(running.databaseUrl)
    const earlier = await anInvoice(running, pair)
    const before = await read('export', earlier.id, issuer.key)
    const neverExported = await anInvoice(running, pair)
    await untilLogged(neverExported.id)
    const { exitCode, output } = await runAdminOnService(running, 'rotate-log-key', '--log', 'test')
    assert.equal(exitCode, 0, output)
    await assertProvable((await anInvoice(running, pair)).id)
    const old = (await context.notary.log('test')).keys.filter((key) => key.until_size === null)[0]!
    if (isInterrupted) {
      const size = (await context.notary.latestCheckpoint('test'))!.size
      await context.notary.retireKey('test', old.vkey, size + 1)
      assert.equal((await read('history', earlier.id, issuer.key)).status, 500)
    } else ageNewestKey(keysDir)
    await auditProvenance.run(context)

    assert(!readdirSync(join(keysDir, 'test')).includes(`${old.vkey.split('+')[1]!}.pem`))
    const { body } = await callApi(running, 'GET', '/v1/log/keys', { key: issuer.key })
    assert.equal(typeof body.windows[old.vkey].until_size, 'number')
    assert.equal(await countKeyEvents('log.key_retired', old.vkey), 1)
    assert.equal((await read('export', earlier.id, issuer.key)).text, before.text, 'the same bytes')
    const later = await anInvoice(running, pair)
    // The head of the second is signed with the keys of a later size.
    for (const { id } of [earlier, neverExported, later]) await assertProvable(id)
    const note = parseCheckpoint((await context.notary.latestCheckpoint('test'))!.note)
    assert(!note.signatures.some(({ id }) => id === old.vkey.split('+')[1]))
  })
}

test('rotation: the auditor adds a key that a crash left out of the database', async () => {
  const { context } = running.service
  const invoice = await anInvoice(running, pair)
  await assertProvable(invoice.id)
  const { size } = (await context.notary.latestCheckpoint('test'))!
  const { vkey } = await context.notary.addKey('test', size + 1, new Date().toISOString())
  assert.equal((await read('history', invoice.id, issuer.key)).status, 500)
  await auditProvenance.run(context)
  assert.equal((await read('history', invoice.id, issuer.key)).status, 200)
  assert.equal(await countKeyEvents('log.key_added', vkey), 1)
  await assertProvable((await anInvoice(running, pair)).id)
})
