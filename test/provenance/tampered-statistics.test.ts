/** Provenance 8: sums of rows of which one was changed, made up or deleted are withheld. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { unsealedColumns } from '../../src/database/unsealed-columns.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { connectProcessors } from '../support/payments/payable-documents.ts'
import { otherValueOf } from '../support/provenance/other-values.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
await connectProcessors(running, pair)
const paid = await anApprovedInvoice(running, pair)
assert.equal((await pay(running, pair.counterparty.key, paid.id)).status, 200)
const open = await anInvoice(running, pair)
const keys = [pair.issuer.key, pair.counterparty.key]

const ofDocuments = ['ageing', 'documents', 'projection'] as const
const ofPayments = ['cash_flow'] as const
type Metric = (typeof ofDocuments | typeof ofPayments)[number]

const answers = (metrics: readonly Metric[], of = keys) =>
  Promise.all(
    metrics.flatMap((metric) =>
      of.map((key) => callApi(running, 'GET', `/v1/statistics?metric=${metric}`, { key })),
    ),
  )

const assertWithheld = async (
  table: string,
  statement: string,
  { metrics, of = keys }: { metrics: readonly Metric[]; of?: string[] },
): Promise<void> => {
  const before = await answers(metrics, of)
  for (const { status, body } of before) {
    assert.equal(status, 200)
    assert(body.points.length > 0)
  }
  await whileTampered(database, table, statement, async () => {
    for (const reply of await answers(metrics, of)) {
      assert.equal(reply.status, 500, `${statement}: ${reply.text}`)
      assert.equal(reply.body.error.code, 'integrity_failure', statement)
    }
  })
  for (const [i, { body }] of (await answers(metrics, of)).entries()) {
    assert.deepEqual(body, before[i]!.body)
  }
}

const columnsOf = async (table: string) => {
  const rows = await database.rows<{ name: string; type: string }>(sql`
    select column_name::text as name, data_type::text as type from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
    order by ordinal_position`)
  return rows
}

const summedColumns = {
  documents: [
    'type',
    'status',
    'currency',
    'document_date',
    'due_date',
    'total',
    'amount_paid',
    'amount_credited',
    'payment',
    'content',
    'issuer_position',
    'counterparty_position',
    'issued_at',
  ],
  payments: ['currency', 'amount', 'settled_at', 'scheduled_for', 'payer_position'],
}

describe('a changed column that statistics read', () => {
  for (const [table, metrics] of [
    ['documents', ofDocuments],
    ['payments', ofPayments],
  ] as const) {
    test(`of ${table}`, async () => {
      const id = table === 'documents' ? decodeId('doc', open.id)! : undefined
      const rows = id === undefined ? '' : `where id = '${id}'`
      for (const { name, type } of await columnsOf(table)) {
        if (!summedColumns[table].includes(name)) continue
        assert(!(name in (unsealedColumns.documents as object)))
        const value = chosen[name] ?? otherValueOf(table, name, type)
        await assertWithheld(table, `update ${table} set ${name} = ${value} ${rows}`, { metrics })
      }
    })
  }
})

const chosen: Readonly<Record<string, string>> = {
  type: `'credit_note'`,
  status: `'paid'`,
  currency: `'EUR'`,
  document_date: `document_date - 30`,
  due_date: `due_date - 90`,
  amount_paid: '1',
  amount_credited: '1',
  settled_at: `settled_at - interval '7 days'`,
}

test('a payment that was made to look failed, scheduled or under way is not left out', async () => {
  for (const status of [
    `'failed', failure_code = 'x'`,
    `'scheduled', scheduled_for = '2026-01-01'`,
    `'processing'`,
  ]) {
    const statement = `update payments set settled_at = null, status = ${status}`
    await assertWithheld('payments', statement, { metrics: ofPayments })
  }
})

test('a payment that was moved beyond all positions is no sum', () =>
  assertWithheld(
    'payments',
    `update payments set payer_position = 9223372036854775807,
      payee_position = 9223372036854775807`,
    { metrics: ofPayments },
  ))

test('a balance that was changed is the start of no projection', async () => {
  const statement = `update ledger_account set posted = posted + 100 where normal = 'credit'`
  await assertWithheld('ledger_account', statement, { metrics: ['projection'] })
})

test('a document or payment that was given to another party is not added up', async () => {
  const { uuid } = pair.issuer
  const id = decodeId('doc', open.id)!
  await assertWithheld(
    'documents',
    `update documents set issuer_id = counterparty_id, counterparty_id = issuer_id where id = '${id}'`,
    { metrics: ofDocuments },
  )
  await assertWithheld(
    'payments',
    `update payments set payee_id = payer_id, payer_id = '${uuid}'`,
    { metrics: ofPayments },
  )
})

test('a document that was made up, or is listed twice, is not added up', async () => {
  const copied = `insert into document_views select (jsonb_populate_record(v,
    jsonb_build_object('position', v.position + 1000, 'number', v.number || 'x'))).*
    from document_views v where document_id = '${decodeId('doc', open.id)!}'`
  await assertWithheld('document_views', copied, { metrics: ofDocuments })
})

test('a deleted document that is still listed is missed', async () => {
  const deleted = `delete from documents where id = '${decodeId('doc', open.id)!}'`
  await assertWithheld('documents', deleted, { metrics: ofDocuments })
})

test('a row of the list that was changed hides nothing from the sums', async () => {
  const id = decodeId('doc', open.id)!
  for (const change of [`document_date = '2020-01-01'`, `side = 'issuer'`, `type = 'quote'`]) {
    const before = await answers(ofDocuments)
    const statement = `update document_views set ${change} where document_id = '${id}'`
    await whileTampered(database, 'document_views', statement, async () => {
      for (const [i, reply] of (await answers(ofDocuments)).entries()) {
        assert.deepEqual(reply.body, before[i]!.body, statement)
      }
    })
  }
  await assertWithheld(
    'document_views',
    `update document_views set status = 'paid' where document_id = '${id}'`,
    { metrics: ofDocuments },
  )
})
