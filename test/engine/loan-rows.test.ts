/** Which rows of loans a batch locks and reads, and with how many statements. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { loadRows, lockIdempotencyKeys } from '../../src/engine/load-rows.ts'
import type { BatchedRequest } from '../../src/engine/write-request.ts'
import type { RowsToLock } from '../../src/engine/rows-to-lock.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { loopbackUrl } from '../support/engine/engine-fixture.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { service, database } = running
const { config, keyring } = service.context
const { idempotencyRetentionMs: idempotencyMs } = config
const idOf = (id: string) => decodeId('doc', id)!
const idempotency = { idempotencyMs, serverKeys: keyring.idempotency }

const writeOf = (rowsToLock: RowsToLock): BatchedRequest => ({
  organization: newId(),
  requestId: newId(),
  dryRun: false,
  inputBytes: 0,
  write: { kind: 'batched', rowsToLock, decide: () => ({ status: 200, body: '' }) },
})

const paymentOf = (id: string): BatchedRequest =>
  writeOf({ documents: [id], paymentsOfDocuments: [id] })

/** The rows that each payment would lock. */
const rowsOf = async (ids: readonly string[]) => {
  const requests = ids.map(paymentOf)
  const { withLoans } = await lockIdempotencyKeys(database, requests, idempotency)
  await database.run(sql`rollback`)
  return requests.map((request) => withLoans(request).write.rowsToLock)
}

test('domain 5.4: a payment locks the rows of the loan that it may settle at once', async () => {
  const parties = await loanParties(running)
  const { agreement } = await loans.accepted(parties)
  const { agreement_id, disbursement_id, repayment_id } = agreement.documents
  const invoice = idOf(agreement.pledged_document_id)
  const [pledged, other] = await rowsOf([invoice, idOf((await loans.invoice(parties)).id)])
  const paid = [agreement.pledged_document_id, disbursement_id, repayment_id].map(idOf)
  assert.deepEqual(new Set(pledged!.documents), new Set([...paid, idOf(agreement_id)]))
  assert.deepEqual(new Set(pledged!.paymentsOfDocuments), new Set(paid))
  assert.deepEqual(pledged!.agreements, [decodeId('agr', agreement.id)])
  assert.equal(other!.agreements, undefined)
  for (const rows of await rowsOf(paid)) assert.deepEqual(rows.agreements, pledged!.agreements)

  // The column is believed by nobody before its seal is checked.
  for (const finance of ['no JSON', '{"loan":{"agreement":"--"}}']) {
    await database.run(sql`update documents set finance = ${finance} where id = ${invoice}`)
    assert.equal((await rowsOf([invoice]))[0]!.agreements, undefined)
  }
})

test('domain 5.6: a batch compares its invoices as one would, in as many statements', async () => {
  const parties = await loanParties(running)
  const [{ id: replaced }, { id: other }] = [
    await loans.invoice(parties, { external_refs: { issuer_ref: 'Forge 1' } }),
    await loans.invoice(parties, { external_refs: { issuer_ref: 'Forge 2' } }),
  ]
  const references = [{ rel: 'supersedes', document_id: replaced }]
  const { agreement } = await loans.accepted(parties, {}, { references })
  const { id: heir } = await loans.invoice(parties, { references })
  const body = { document_type: 'credit_note' }
  const { key } = parties.borrower
  const note = await loans.posted(key, `/v1/documents/${replaced}/convert`, body)
  await loans.posted(key, `/v1/documents/${note.id}/issue`)

  const proxy = await startDatabaseProxy(await loopbackUrl(running.databaseUrl))
  const { seals } = database
  const connection = await openTestConnection(proxy.url, 'docex test', { seals })
  const compared = async (ids: readonly string[]) => {
    const requests = ids.map((id) => writeOf({ documents: [id], receivables: [id] }))
    await connection.run(sql`begin`)
    proxy.statementCount = 0
    const loading = { now: new Date().toISOString(), waitForLocks: false }
    const { set } = await loadRows(connection, requests, loading)
    const { statementCount } = proxy
    await connection.run(sql`rollback`)
    return { receivables: ids.map((id) => set.receivables.get(id)!), statementCount }
  }
  const invoices = [heir, other, agreement.pledged_document_id].map(idOf)
  const together = await compared(invoices)
  const alone: (typeof together)[] = []
  for (const id of invoices) alone.push(await compared([id]))
  await connection.close()
  assert.deepEqual(
    together.receivables,
    alone.flatMap(({ receivables }) => receivables),
  )
  assert.deepEqual(
    together.receivables.map(({ heirs }) => heirs.map(({ invoice }) => invoice)),
    [[idOf(agreement.pledged_document_id)], [], [idOf(agreement.pledged_document_id)]],
  )
  const most = Math.max(...alone.map(({ statementCount }) => statementCount))
  assert.equal(together.statementCount, most)
})

test('a batch of payments and acceptances reads no table as a whole', async () => {
  const parties = await loanParties(running)
  const { documents, pledged_document_id } = await loans.funded(parties)
  const { id: other } = await loans.invoice(parties)
  const paid = [pledged_document_id, documents.repayment_id, other].map(idOf)
  const { seals } = database
  const connection = await openTestConnection(running.databaseUrl, 'docex test', { seals })
  // As the lanes of the engine have it; a small table would be read as a whole otherwise.
  await connection.run(sql`set enable_seqscan = off`)
  const { withLoans } = await lockIdempotencyKeys(connection, paid.map(paymentOf), idempotency)
  const requests = [
    ...paid.map((id) => withLoans(paymentOf(id))),
    writeOf({ documents: [idOf(other)], receivables: [idOf(other)] }),
  ]
  await loadRows(connection, requests, { now: new Date().toISOString(), waitForLocks: false })
  const scanned = await connection.rows(sql`
    select relname, seq_tup_read from pg_stat_xact_user_tables where seq_scan > 0`)
  await connection.run(sql`rollback`)
  await connection.close()
  assert.deepEqual(scanned, [])
})
