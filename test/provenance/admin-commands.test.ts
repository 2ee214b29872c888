/** Operator commands for provenance, and the alarms of the provenance auditor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import type { Rows } from '../../src/database/rows.ts'
import { insertRows, selectList } from '../../src/database/table-writes.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, anInvoice, move } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import {
  verifyWithBoth,
  temporaryFile,
  fetchTrustFile,
  assertBundlesHold,
} from '../support/provenance/verifiers.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const read = (what: string, id: string, key: string, at = running) =>
  callApi(at, 'GET', `/v1/documents/${id}/${what}`, { key })

const assertProvable = (id: string, at = running) =>
  assertBundlesHold(at, id, [issuer.key, counterparty.key])

test('erasure removes every trace of the texts, shows in both histories, and leaves valid proofs', async () => {
  const canary = 'CANARY-personal'
  const line = { description: `${canary} line`, quantity: 1, unit_price: 100, tax_rate: 0.08 }
  const invoice = await anInvoice(running, pair, {
    notes: `${canary} notes`,
    external_refs: { contact: `${canary} ref` },
    metadata: { about: `${canary} metadata` },
    line_items: [{ ...line, sku: `${canary} sku` }],
  })
  await move(running, counterparty.key, invoice.id, 'disputed', { note: `${canary} note` })
  await assertProvable(invoice.id)
  const before = await read('export', invoice.id, counterparty.key)

  // Imitates a search index that already covers the document.
  await asSuperuser(
    running.database,
    `insert into search_entries (organization_id, position, words)
     select organization_id, position, array_to_tsvector('{xcanary}') from document_views
     where document_id = '${decodeId('doc', invoice.id)!}' on conflict do nothing`,
  )
  const { exitCode, output } = await runAdminOnService(running, 'erase', invoice.id)
  assert.equal(exitCode, 0, output)
  // A delivery attempt that begins after the command cannot use what was read before it.
  const [erased] = await running.database.rows<{ ms: number }>(sql`
    select (extract(epoch from clock_timestamp() - at) * 1000)::float8 as ms
    from operator_actions where command = 'erase'`)
  assert(erased!.ms >= limits.endpointSettingsMaxAgeMs, `${erased!.ms} ms after the erasure`)
  assert.deepEqual(await tablesContaining(running.database, canary), [])
  const [indexed] = await running.database.rows<{ exists: boolean }>(
    sql`select exists (select from search_entries where words::text like '%canary%') as exists`,
  )
  assert.equal(indexed!.exists, false)
  await assertProvable(invoice.id)

  const { body } = await read('history', invoice.id, counterparty.key)
  const types = body.entries.map((entry: { type?: string }) => entry.type)
  assert.deepEqual(types, [
    undefined,
    'document.issued',
    'document.status_changed',
    'content.erased',
  ])
  assert.equal(body.entries[1].erased, true)
  assert.equal(body.entries[2].to_status, 'disputed')
  const shown = await callApi(running, 'GET', `/v1/documents/${invoice.id}`, { key: issuer.key })
  assert.equal(shown.body.total, 108)
  assert.equal(shown.body.notes, null)
  assert.equal(shown.body.line_items[0].description, '[erased]')
  // The earlier export contains the texts, and is still a prefix of the same history.
  const after = await read('export', invoice.id, counterparty.key)
  const trust = await fetchTrustFile(running, issuer.key)
  const [since] = verifyWithBoth([
    [temporaryFile(after.text), '--trust', trust, '--since', temporaryFile(before.text)],
  ])
  assert.equal(since!.exitCode, 0, since!.output)
  const moved = await move(running, counterparty.key, invoice.id, 'approved')
  assert.equal(moved.status, 200, moved.text)
  await assertProvable(invoice.id)
  // A second erasure keeps the values on which the proofs of the first rest.
  const again = await runAdminOnService(running, 'erase', invoice.id)
  assert.equal(again.exitCode, 0, again.output)
  await assertProvable(invoice.id)
  const unchanged = await read('history', invoice.id, issuer.key)
  const third = await runAdminOnService(running, 'erase', invoice.id)
  assert.equal(third.exitCode, 0, third.output)
  assert.match(third.output, /were already erased: nothing was left to do/)
  assert.equal((await read('history', invoice.id, issuer.key)).text, unchanged.text)
})

test('erasure works on a draft, and is refused for an unknown document or one that does not verify', async () => {
  const draft = await aDraft(running, pair, { notes: 'CANARY-draft' })
  const edited = await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
    key: issuer.key,
    body: { notes: 'CANARY-draft, edited' },
  })
  assert.equal(edited.status, 200, edited.text)
  assert.equal((await runAdminOnService(running, 'erase', draft.id)).exitCode, 0)
  assert.deepEqual(await tablesContaining(running.database, 'CANARY-draft'), [])
  const events = await callApi(running, 'GET', `/v1/events?document=${draft.id}`, {
    key: issuer.key,
  })
  for (const { data } of events.body.data) {
    assert.equal(data.document.notes, null)
    assert.equal(data.document.line_items[0].description, '[erased]')
  }
  assert.equal(events.body.data.length, 2)
  const history = await read('history', draft.id, issuer.key)
  assert.equal(history.status, 200, history.text)
  const issued = await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, {
    key: issuer.key,
  })
  assert.equal(issued.status, 200, issued.text)
  await assertProvable(draft.id)

  assert.match(
    (await runAdminOnService(running, 'erase', `doc_${'0'.repeat(26)}`)).output,
    /There is no document/,
  )
  await asSuperuser(
    running.database,
    `update documents set total = 1 where id = '${decodeId('doc', draft.id)!}'`,
  )
  assert.match(
    (await runAdminOnService(running, 'erase', draft.id)).output,
    /does not match its proofs/,
  )
})

test('a hold is lifted only when the record verifies again', async () => {
  const invoice = await anInvoice(running, pair)
  const id = decodeId('doc', invoice.id)!
  await asSuperuser(running.database, `update documents set total = total + 1 where id = '${id}'`)
  const failing = async () => {
    const { status, body } = await read('history', invoice.id, issuer.key)
    assert.equal(status, 500)
    return body.error.details.failures[0].check
  }
  assert.equal(await failing(), 'REPLAY')
  assert.equal(await failing(), 'REPLAY', 'while on hold, it names the failed check')
  assert.match(
    (await runAdminOnService(running, 'release', invoice.id)).output,
    /does not match its proofs/,
  )
  await asSuperuser(running.database, `update documents set total = total - 1 where id = '${id}'`)
  assert.equal(await failing(), 'HOLD', 'the repaired document is still on hold')
  const released = await runAdminOnService(running, 'release', invoice.id)
  assert.equal(released.exitCode, 0, released.output)
  assert.equal((await read('history', invoice.id, issuer.key)).status, 200)
})

test('the auditor raises an alarm for a history that was deleted together with its document', async () => {
  const invoice = await anInvoice(running, pair)
  await assertProvable(invoice.id)
  const id = decodeId('doc', invoice.id)!
  await asSuperuser(
    running.database,
    `delete from prov_event where document_id = '${id}'; delete from documents where id = '${id}';
     delete from document_views where document_id = '${id}'`,
  )
  assert.equal((await read('history', invoice.id, issuer.key)).status, 404)
  const alarms = () =>
    running.logLines.filter((line) => line.includes('integrity_failure') && line.includes('leaf'))
  await until('the auditor has come by', async () => {
    await auditProvenance.run(running.service.context)
    return alarms().length > 0
  })
  assert.match(
    running.service.context.metrics.text(),
    /docex_integrity_failures_total\{check="LOG"\} [1-9]/,
  )
})

test('when a document is rolled back in full, the auditor names the leaf, and an older bundle proves the rollback', async () => {
  const invoice = await anInvoice(running, pair)
  await assertProvable(invoice.id)
  const id = decodeId('doc', invoice.id)!
  const documents = await running.database.rows<Rows['documents']>(
    sql`select ${selectList('documents', 'd')} from documents d where id = ${id}`,
  )
  const views = await running.database.rows<Rows['document_views']>(
    sql`select ${selectList('document_views', 'v')} from document_views v where document_id = ${id}`,
  )
  await move(running, counterparty.key, invoice.id, 'approved')
  await assertProvable(invoice.id)
  const before = await read('export', invoice.id, counterparty.key)
  // Without the last leaf of the log, the whole database would count as rolled back.
  await assertProvable((await anInvoice(running, pair)).id)
  const { index } = JSON.parse(before.text).events.at(-1).log
  const { seq } = JSON.parse(before.text).events.at(-1).header
  await asSuperuser(
    running.database,
    `${['prov_event', 'log_leaf', 'head_note']
      .map((table) => `delete from ${table} where document_id = '${id}' and seq >= ${seq}`)
      .join(';')};
     delete from document_views where document_id = '${id}'; delete from documents where id = '${id}'`,
  )
  await running.database.script('set session_replication_role = replica')
  await insertRows(running.database, 'documents', documents)
  await insertRows(running.database, 'document_views', views)
  await running.database.script('set session_replication_role = default')
  const after = await read('export', invoice.id, counterparty.key)
  assert.equal(after.status, 200, after.text)
  const trust = await fetchTrustFile(running, issuer.key)
  const [since] = verifyWithBoth([
    [temporaryFile(after.text), '--trust', trust, '--since', temporaryFile(before.text)],
  ])
  assert.equal(since!.check, 'ROLLBACK', since!.output)
  await until('the auditor has come by', async () => {
    await auditProvenance.run(running.service.context)
    return running.logLines.some(
      (line) => line.includes('"check":"LOG"') && line.includes(`"leaf":${index}`),
    )
  })
})
