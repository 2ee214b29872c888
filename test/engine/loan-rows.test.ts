/** Which rows a payment locks when it may settle a loan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { type BatchedRequest, lockIdempotencyKeys } from '../../src/engine/load-rows.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { service, database } = running
const { config, keyring } = service.context
const { idempotencyRetentionMs: idempotencyMs } = config
const idempotency = { idempotencyMs, serverKeys: keyring.idempotency }

const paymentOf = (id: string): BatchedRequest => ({
  organization: newId(),
  requestId: newId(),
  dryRun: false,
  inputBytes: 0,
  write: {
    kind: 'batched',
    rowsToLock: { documents: [id], paymentsOfDocuments: [id] },
    decide: () => ({ status: 200, body: '' }),
  },
})

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
  const idOf = (id: string) => decodeId('doc', id)!
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
