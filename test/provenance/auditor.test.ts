/** Provenance 8: what the auditor and the sequencer notice that no read of a document can. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Context } from '../../src/context.ts'
import { decodeId } from '../../src/core/ids.ts'
import { MissingServerKey } from '../../src/core/server-keys.ts'
import { type LogId, logIds } from '../../src/core/provenance/signed-notes.ts'
import { sql } from '../../src/database/sql.ts'
import { auditProvenance } from '../../src/tasks/audit-provenance.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { callApi } from '../support/api-client.ts'
import { keysDirOf, testServer } from '../support/database/postgres.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice, move } from '../support/fixtures.ts'
import {
  type DocumentTable,
  documentTables,
  oldRowsOf,
} from '../support/provenance/document-rollback.ts'
import { until } from '../support/until.ts'

// Starts before the first test, so that it stops after the last.
await testServer()

/** Every test damages the log, so each has a service of its own. */
const aService = async () => {
  const { running, pair, issuer, counterparty } = await startTradingPair({ SANDBOX_QUOTAS: 'off' })
  const { database, service, logLines } = running
  const { notary } = service.context
  // It would save its position over one that a test saves.
  await until('the first round of the service has ended', () =>
    logIds.every((id) => existsSync(join(keysDirOf(running.databaseUrl), id, 'audit.json'))),
  )
  const read = (id: string, what = '') =>
    callApi(running, 'GET', `/v1/documents/${id}${what}`, { key: issuer.key })
  const untilLogged = (id: string): Promise<void> =>
    until('every event is in the log', async () => {
      const { status, text, body } = await read(id, '/history')
      assert.equal(status, 200, text)
      return body.verification.logged_through_seq === body.verification.events
    })
  const aLoggedInvoice = async (): Promise<{ id: string; uuid: string }> => {
    const { id } = await anInvoice(running, pair)
    await untilLogged(id)
    return { id, uuid: decodeId('doc', id)! }
  }
  return {
    running,
    database,
    notary,
    read,
    aLoggedInvoice,
    context: service.context,
    /** Another invoice follows, so that the event's leaf is not the last of the log. */
    approve: async (id: string): Promise<void> => {
      const { status, text } = await move(running, counterparty.key, id, 'approved')
      assert.equal(status, 200, text)
      await untilLogged(id)
      await aLoggedInvoice()
    },
    dispute: (id: string, by = running) =>
      move(by, counterparty.key, id, 'disputed', { note: 'No' }),
    asSuperuser: (statement: string) => asSuperuser(database, statement),
    /** Lines of the service's log with all of these texts. */
    logged: (...texts: string[]): number =>
      logLines.filter((line) => texts.every((text) => line.includes(text))).length,
    alarms: (): string[] => logLines.filter((line) => line.includes('integrity_failure')),
    /** The round is at its end, so that only what changed lately is looked at. */
    finishRound: async (): Promise<void> => {
      const position = await notary.auditPosition('test')
      const document = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
      await notary.saveAuditPosition('test', { ...position, document, tile: 1_000_000 })
    },
  }
}

const everyTable = Object.keys(documentTables) as DocumentTable[]

test('a second event in the place of a logged one is refused, even if the first is nowhere', async () => {
  const at = await aService()
  const { id, uuid } = await at.aLoggedInvoice()
  const old = await oldRowsOf(at.running, uuid)
  await at.approve(id)
  await old.putBack(everyTable)
  assert.equal((await at.read(id)).body.status, 'submitted', 'all rows agree with each other')

  // The process that has logged the event remembers it, and refuses the write; others do not.
  const other = await at.running.startAnother({ PROCESS_ROLE: 'api' })
  assert.equal((await at.dispute(id, other)).status, 200)
  await until('the sequencer has refused it', () =>
    Promise.resolve(at.logged('log_refused_events', '"reason":"logged_before"', id) > 0),
  )
  assert.equal((await at.read(id, '/export')).status, 500)
})

test('what changed lately is verified first, wherever the round over everything is', async () => {
  const at = await aService()
  const { id, uuid } = await at.aLoggedInvoice()
  await at.finishRound()
  await auditProvenance.run(at.context)
  assert.deepEqual(at.alarms(), [])

  await at.approve(id)
  await at.asSuperuser(`update documents set total = total + 1 where id = '${uuid}'`)
  await at.finishRound()
  await auditProvenance.run(at.context)
  assert.equal(at.logged('integrity_failure', id), 1)
})

test('a leaf that names an event beyond the end of its document is found', async () => {
  const at = await aService()
  const { id, uuid } = await at.aLoggedInvoice()
  const old = await oldRowsOf(at.running, uuid)
  await at.approve(id)
  // The last event and its leaf live on under another id, so that no leaf is missing.
  const other = '00000000-0000-7000-8000-000000000001'
  for (const table of ['log_leaf', 'prov_event']) {
    await at.asSuperuser(`update ${table} set document_id = '${other}' where document_id = '${uuid}'
      and seq = (select max(seq) from ${table} where document_id = '${uuid}')`)
  }
  await old.putBack(['documents', 'document_views', 'events', 'head_note'])
  assert.equal((await at.read(id)).status, 200, 'all rows agree with each other')
  await auditProvenance.run(at.context)
  assert.equal(at.logged('integrity_failure', 'a leaf has no matching event') > 0, true)
})

test('leaves that were changed together with their tile are found', async () => {
  const at = await aService()
  const { uuid } = await at.aLoggedInvoice()
  await auditProvenance.run(at.context)
  assert.deepEqual(at.alarms(), [])
  const [leaf] = await at.database.rows<{ idx: bigint }>(
    sql`select idx from log_leaf where document_id = ${uuid} and seq = 1`,
  )
  const otherByte = (bytes: string, i: number) =>
    `set_byte(${bytes}, ${i}, get_byte(${bytes}, ${i}) # 1)`
  await at.asSuperuser(`
    update log_tile set data = ${otherByte('data', Number(leaf!.idx) * 32)}
    where log_id = 'test' and level = 0 and n = 0;
    update log_leaf set hash = ${otherByte('hash', 0)} where document_id = '${uuid}' and seq = 1;
    update prov_event set hash = ${otherByte('hash', 0)} where document_id = '${uuid}' and seq = 1`)
  await auditProvenance.run(at.context)
  assert.equal(at.logged('integrity_failure', 'leaves and signed tree differ') > 0, true)
})

const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString()

const countOf = ({ metrics }: Context, name: string, log: LogId): number =>
  Number(new RegExp(`${name}\\{log="${log}"\\} (\\d+)`).exec(metrics.text())![1])

test('a round that has not come to its end for a day is an alarm', async () => {
  const { context, notary, logged } = await aService()
  const overdue = () => countOf(context, 'docex_audits_overdue_total', 'live')
  assert.equal(overdue(), 0)
  const position = await notary.auditPosition('live')
  await notary.saveAuditPosition('live', { ...position, began_at: yesterday })
  await auditProvenance.run(context)
  assert.equal(overdue(), 1)
  assert.equal(logged('audit_overdue'), 1)
  await auditProvenance.run(context)
  assert.equal(overdue(), 1, 'the next round has begun')
})

/** An organization's documents cannot be audited, and the round began more than a day ago. */
const aBlindAuditor = async () => {
  const at = await aService()
  await at.aLoggedInvoice()
  const { notary, context } = at
  const [row] = await context.database.background.rows<{ role: string }>(
    sql`select current_user::text as role`,
  )
  const position = await notary.auditPosition('test')
  await notary.saveAuditPosition('test', { ...position, began_at: yesterday, leaf: 0 })
  await at.asSuperuser(`revoke select on head_note from ${row!.role}`)
  return {
    ...at,
    mayReadAgain: () => at.asSuperuser(`grant select on head_note to ${row!.role}`),
    overdueInNextRound: async (): Promise<boolean> => {
      const before = countOf(context, 'docex_audits_overdue_total', 'test')
      await auditProvenance.run(context)
      return countOf(context, 'docex_audits_overdue_total', 'test') > before
    },
  }
}

test('what the auditor cannot read stays overdue until it has been audited', async () => {
  const at = await aBlindAuditor()
  for (let rounds = 0; rounds < 3; rounds += 1)
    assert.equal(await at.overdueInNextRound(), true, `round ${rounds}`)
  assert(countOf(at.context, 'docex_not_audited_total', 'test') > 0)
  const { began_at, leaf } = await at.notary.auditPosition('test')
  assert.deepEqual([began_at, leaf], [yesterday, 0])

  await at.mayReadAgain()
  assert.equal(await at.overdueInNextRound(), true, 'the round that began yesterday')
  assert.equal(await at.overdueInNextRound(), false)
})

test('a round over everything that has missed something counts only once it was repeated', async () => {
  const at = await aBlindAuditor()
  await auditProvenance.run(at.context)
  // As after a round that has missed something, but has not come to the end.
  const position = await at.notary.auditPosition('test')
  await at.notary.saveAuditPosition('test', { ...position, is_incomplete: true })
  await at.mayReadAgain()
  for (const expected of [true, true, false]) assert.equal(await at.overdueInNextRound(), expected)
})

test('a position that a power cut has left empty is the first one of a new round', async () => {
  const at = await aService()
  const { id, uuid } = await at.aLoggedInvoice()
  await at.finishRound()
  await auditProvenance.run(at.context)
  await writeFile(join(keysDirOf(at.running.databaseUrl), 'test', 'audit.json'), '')
  await at.asSuperuser(`update documents set total = total + 1 where id = '${uuid}'`)
  await auditProvenance.run(at.context)
  assert.deepEqual([at.logged('not_audited'), at.logged('integrity_failure', id)], [0, 1])
  assert((await at.notary.auditPosition('test')).leaf > 0)
})

test('a process that lacks the newest server key moves no position, and finds no fault', async () => {
  const { context, notary, database, aLoggedInvoice, logged } = await aService()
  await aLoggedInvoice()
  const before = await notary.auditPosition('test')
  await database.run(sql`insert into server_keys (generation, salt, mac, seals_since)
    values (2, ${randomBytes(16)}, ${randomBytes(32)}, clock_timestamp())`)
  await context.keyring.renew(context.database.background)
  await assert.rejects(auditProvenance.run(context), MissingServerKey)
  assert.deepEqual(await notary.auditPosition('test'), before)
  assert.equal(logged('not_audited') + logged('integrity_failure'), 0)
})
