/** Provenance 8: what the service has acknowledged, it cannot take back unnoticed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fraudOutcomeOf } from '../../verifier/fraud-proof.mjs'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { tryLogLock } from '../../src/store/provenance/transparency-log.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, move } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { fetchTrustFile, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'

// Nothing is logged but by the requests of the test.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const trust = await fetchTrustFile(running, issuer.key)

const get = (path: string, key = issuer.key) => callApi(running, 'GET', path, { key })
const receiptPath = (id: string, seq: number | string) => `/v1/documents/${id}/receipts/${seq}`
const eventOf = ({ headers }: Reply): string => headers.get('svc-event')!

/** A draft that is issued and approved, with the lines that its parties were answered. */
const approvedInvoice = async (): Promise<{ id: string; kept: string[] }> => {
  const draft = await aDraft(running, pair)
  const created = await get(receiptPath(draft.id, 1))
  const [first] = verifyWithBoth([[temporaryFile(created.text), '--receipt', '--trust', trust]])
  const { stream, seq, hash } = JSON.parse(first!.output).receipt
  const path = `/v1/documents/${draft.id}`
  const issued = await callApi(running, 'POST', `${path}/issue`, { key: issuer.key })
  const approved = await move(running, counterparty.key, draft.id, 'approved')
  return { id: draft.id, kept: [`${stream} ${seq} ${hash}`, eventOf(issued), eventOf(approved)] }
}

test('a signed receipt is the proof of what Svc-Event has said, the same for both sides and for ever', async () => {
  const { id, kept } = await approvedInvoice()
  const receipts: string[] = []
  for (const [i, line] of kept.entries()) {
    const [ours, theirs] = await Promise.all(
      [issuer, counterparty].map(({ key }) => get(receiptPath(id, i + 1), key)),
    )
    assert.equal(ours!.status, 200, ours!.text)
    assert.equal(theirs!.text, ours!.text)
    const [verdict] = verifyWithBoth([[temporaryFile(ours!.text), '--receipt', '--trust', trust]])
    assert.equal(verdict!.exitCode, 0, verdict!.output)
    const { stream, seq, hash } = JSON.parse(verdict!.output).receipt
    assert.equal(`${stream} ${seq} ${hash}`, line)
    receipts.push(ours!.text)
  }
  await move(running, counterparty.key, id, 'disputed', { reason_code: 'QUA' })
  await get(receiptPath((await anInvoice(running, pair)).id, 1))
  for (const [i, text] of receipts.entries()) {
    assert.equal((await get(receiptPath(id, i + 1))).text, text)
  }
})

test('there is a receipt of no other event, and none for others', async () => {
  const { id } = await aDraft(running, pair)
  for (const seq of [0, 2, -1, '01', '1.0', 'x', '1e0', '9007199254740993', '']) {
    const reply = await get(receiptPath(id, seq))
    assertRefused(reply, 'not_found')
  }
  assertRefused(await get(receiptPath(id, 1), counterparty.key), 'not_found')
  const stranger = await aPair(running)
  assertRefused(await get(receiptPath(id, 1), stranger.issuer.key), 'not_found')
})

test('while the event cannot be logged, its receipt is 503 provenance_pending', async () => {
  const { id } = await anInvoice(running, pair)
  const holder = await running.service.context.database.dedicated('docex test').get()
  await holder.run(sql`begin`)
  await tryLogLock(holder, 'test')
  const late = await get(receiptPath(id, 2))
  await holder.run(sql`rollback`)
  assert.equal(late.status, 503, late.text)
  assert.equal(late.body.error.details.reason, 'provenance_pending')
  assert.equal((await get(receiptPath(id, 2))).status, 200)
})

test('a record that does not verify has no receipts', async () => {
  const { id } = await approvedInvoice()
  assert.equal((await get(receiptPath(id, 1))).status, 200)
  await asSuperuser(
    database,
    `update prov_event set salts = set_byte(salts, 0, get_byte(salts, 0) # 1)
    where document_id = '${decodeId('doc', id)}' and seq = 3`,
  )
  assertRefused(await get(receiptPath(id, 1)), 'integrity_failure')
})

/** Keeps the rows of a document, and takes it back to them together with its history. */
const rollback = async (id: string) => {
  const uuid = decodeId('doc', id)!
  const rows = `where id = '${uuid}'`
  const views = `where document_id = '${uuid}'`
  await database.script(`create table kept_documents as select * from documents ${rows};
    create table kept_views as select * from document_views ${views}`)
  const { seq } = (await database.row<{ seq: number }>(
    sql`select head_seq as seq from documents where id = ${uuid}`,
  ))!
  return async () => {
    const later = `where document_id = '${uuid}' and seq > ${seq}`
    const names = async (table: string) =>
      (await database.row<{ names: string }>(sql`
        select string_agg(column_name, ', ') as names from information_schema.columns
        where table_name = ${table} and table_schema = 'public' and is_generated = 'NEVER'`))!.names
    const columns = await names('documents')
    const viewColumns = await names('document_views')
    await asSuperuser(
      database,
      `
      delete from documents ${rows}; delete from document_views ${views};
      insert into documents (${columns}) select ${columns} from kept_documents;
      insert into document_views (${viewColumns}) select ${viewColumns} from kept_views;
      delete from prov_event ${later}; delete from log_leaf ${later};
      delete from head_note ${later}; delete from events ${views} and revision > ${seq};
      drop table kept_documents; drop table kept_views`,
    )
  }
}

test('a document that was rolled back with all its tables is refused by kept receipts, and convicts the log', async () => {
  const { id } = await anInvoice(running, pair)
  const { key } = counterparty
  const takeBack = await rollback(id)
  const kept = temporaryFile(`${eventOf(await move(running, key, id, 'approved'))}\n`)
  const receipt = await get(receiptPath(id, 3))
  assert.equal(receipt.status, 200, receipt.text)
  // Later leaves of others, so that the place of the event is not free.
  assert.equal((await get(receiptPath((await anInvoice(running, pair)).id, 1))).status, 200)

  await takeBack()
  // The process that logged the event would remember it, and refuse another one in its place.
  const restarted = await running.startAnother()
  const verdictWith = async (...more: string[]) => {
    const bundle = await callApi(restarted, 'GET', `/v1/documents/${id}/export`, { key })
    assert.equal(bundle.status, 200, bundle.text)
    const file = temporaryFile(bundle.text)
    return { file, verdict: verifyWithBoth([[file, '--trust', trust, ...more]])[0]! }
  }
  assert.equal((await verdictWith()).verdict.exitCode, 0, 'the service itself notices nothing')
  const missing = (await verdictWith('--receipts', kept)).verdict
  assert.deepEqual([missing.check, JSON.parse(missing.output).seq], ['RECEIPT', 3])

  const disputed = await move(restarted, key, id, 'disputed', { reason_code: 'QUA' })
  assert.equal(disputed.status, 200, disputed.text)
  const { file, verdict } = await verdictWith('--receipts', kept)
  assert.equal(verdict.check, 'RECEIPT')
  const out = join(temporaryFolder(), 'proof.json')
  const files = [temporaryFile(receipt.text), file]
  const found = fraudOutcomeOf([...files, '--trust', trust, '--out', out])
  assert.match(found.text, /^FRAUD .* two answers to what is the event [0-9a-f]{64} 3$/)
  assert.equal(fraudOutcomeOf([out, '--trust', trust]).exit, 0)
})
