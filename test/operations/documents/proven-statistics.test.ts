/** What statistics prove anew, and what they remember (docs/decisions/0168). */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type Queryable, sql } from '../../../src/database/sql.ts'
import { inSnapshot } from '../../../src/database/transactions.ts'
import { forEachDocument, forEachPayment } from '../../../src/store/statistics.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { connectProcessors } from '../../support/payments/payable-documents.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const viewer = { id: issuer.uuid, resetPosition: 0n }

/** The seals of one process, which counts what it proves. */
const counted = { proofs: 0 }
const { seals } = database
const countingSeals = {
  ...seals,
  holds: (...row: Parameters<typeof seals.holds>) => {
    counted.proofs += 1
    return seals.holds(...row)
  },
  holdsPrinted: (...row: Parameters<typeof seals.holdsPrinted>) => {
    counted.proofs += 1
    return seals.holdsPrinted(...row)
  },
}
const db: Queryable = {
  seals: countingSeals,
  rows: (query) => database.rows(query),
  row: (query) => database.row(query),
  run: (query) => database.run(query),
}
beforeEach(() => (counted.proofs = 0))

const shown = async (): Promise<number> => {
  let documents = 0
  assert(await forEachDocument(db, { viewer, scanMaxRows: 100 }, () => (documents += 1)))
  return documents
}

/** Positions that follow are in another block. */
const beginBlock = () =>
  runAndSeal(
    database,
    'organization_counters',
    sql`update organization_counters set feed = feed + 200 where organization_id = ${issuer.uuid}`,
  )

test('a document is proven once, and again with its neighbours when one of them has changed', async () => {
  const first = await aDraft(running, pair)
  await aDraft(running, pair)
  await beginBlock()
  await aDraft(running, pair)
  assert.deepEqual([await shown(), counted.proofs], [3, 3])
  assert.deepEqual([await shown(), counted.proofs], [3, 3])
  const path = `/v1/documents/${first.id}/issue`
  assert.equal((await callApi(running, 'POST', path, { key: issuer.key })).status, 200)
  assert.deepEqual([await shown(), counted.proofs], [3, 5])
  await beginBlock()
  await aDraft(running, pair)
  assert.deepEqual([await shown(), counted.proofs], [4, 6])
})

test('what was proven under other keys, or for another viewer, is proven again', async () => {
  const documents = await shown()
  counted.proofs = 0
  countingSeals.acceptedCount += 1
  assert.deepEqual([await shown(), counted.proofs], [documents, documents])
  const other = { id: counterparty.uuid, resetPosition: 0n }
  await forEachDocument(db, { viewer: other, scanMaxRows: 100 }, ({ side }) =>
    assert.equal(side, 'counterparty'),
  )
  assert.equal(counted.proofs, documents + 1)
})

test('a payment is proven once, and again when it has changed', async () => {
  await connectProcessors(running, pair)
  const paid = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, counterparty.key, paid.id)).status, 200)
  counted.proofs = 0
  const request = { organization: issuer.uuid, direction: 'incoming', scanMaxRows: 100 } as const
  const amounts = async () => {
    const found: bigint[] = []
    await forEachPayment(db, request, ({ amount }) => found.push(amount))
    return found
  }
  const [amount] = await amounts()
  assert.equal(counted.proofs, 1)
  assert.deepEqual([await amounts(), counted.proofs], [[amount], 1])
  await runAndSeal(database, 'payments', sql`update payments set amount = amount + 1`)
  assert.deepEqual([await amounts(), counted.proofs], [[amount! + 1n], 2])
})

test('every sum is of one moment while documents are written', async () => {
  const reader = await openTestConnection(running.databaseUrl, 'docex test', { seals })
  const compareSums = () =>
    inSnapshot(reader, async (tx) => {
      let sum = 0n
      await forEachDocument(tx, { viewer, scanMaxRows: 100 }, ({ total }) => (sum += total))
      const stored = await tx.row<{ sum: bigint }>(sql`
        select sum(total)::bigint as sum from documents where issuer_id = ${issuer.uuid}`)
      assert.equal(sum, stored!.sum)
    })
  const write = async () => {
    for (let i = 0; i < 4; i += 1) await anInvoice(running, pair)
  }
  await compareSums()
  let isWriting = true
  const written = Promise.all([write(), write(), write()]).finally(() => (isWriting = false))
  while (isWriting) await compareSums()
  await written
  await compareSums()
  await reader.close()
})
