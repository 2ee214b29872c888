/** Provenance 8: a row that somebody has changed in the database decides and answers nothing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { unsealedColumns } from '../../src/database/unsealed-columns.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, exampleLine, move } from '../support/fixtures.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { otherValue } from '../support/provenance/other-values.ts'
import { asSuperuser, whileTampered } from '../support/provenance/row-tampering.ts'
import { assertWithheld } from '../support/provenance/withheld-answers.ts'

const { running, pair, issuer, counterparty } = await startTradingPair({ SANDBOX_QUOTAS: 'off' })
const { database } = running
const invoice = await anApprovedInvoice(running, pair)
const draft = await aDraft(running, pair)

const get = (path: string, key = issuer.key) => callApi(running, 'GET', path, { key })
const post = (path: string, key: string, body: object = {}) =>
  callApi(running, 'POST', path, { key, body })

const changeOf = (id: string, change: string): string =>
  `update documents set ${change} where id = '${decodeId('doc', id)!}'`

const tamper = (id: string, change: string) => asSuperuser(database, changeOf(id, change))

const rowOf = async (id: string): Promise<string> => {
  const row = await database.row<{ row: string }>(sql`
    select (to_jsonb(d) - 'integrity_hold')::text as row from documents d
    where id = ${decodeId('doc', id)!}`)
  return row!.row
}

const withTampering = (id: string, change: string, check: () => Promise<void>) =>
  whileTampered(database, 'documents', changeOf(id, change), check)

const chosenValue: Readonly<Record<string, string>> = {
  id: '',
  origin: `'app'`,
  terms_form: `'date'`,
}

/** A check of the table refuses them for a draft. */
const onlyWhenIssued = ['counterparty_number', 'issued_at']

const columns = await database.rows<{ name: string; type: string }>(sql`
  select column_name as name, data_type as type from information_schema.columns
  where table_schema = 'public' and table_name = 'documents' and is_generated = 'NEVER'
  order by ordinal_position`)

describe('a changed column of documents answers and decides nothing', () => {
  for (const { name, type } of columns) {
    const value = chosenValue[name] ?? otherValue[type]!(name)
    if (name in unsealedColumns.documents || value === '') continue
    test(name, async () => {
      const change = `${name} = ${value}`
      for (const { id } of onlyWhenIssued.includes(name) ? [invoice] : [invoice, draft]) {
        await withTampering(id, change, async () => {
          const before = await rowOf(id)
          assertWithheld(await get(`/v1/documents/${id}`), 'read')
          const writes = [
            () => post(`/v1/documents/${id}/issue`, issuer.key),
            () => move(running, counterparty.key, id, 'disputed', { note: 'No' }),
            () => post(`/v1/documents/${id}/pay`, counterparty.key),
            () => post(`/v1/documents/${id}/convert`, issuer.key, { document_type: 'credit_note' }),
            () =>
              callApi(running, 'PATCH', `/v1/documents/${id}`, {
                key: issuer.key,
                body: { notes: 'New' },
              }),
          ]
          for (const write of writes) {
            const reply = await write()
            assert(reply.status >= 400, `${change}: ${reply.status} ${reply.text.slice(0, 200)}`)
          }
          assert.equal(await rowOf(id), before, 'nothing was decided')
        })
      }
    })
  }
})

test('a list that contains a changed document is withheld', async () => {
  await withTampering(invoice.id, 'total = total + 1', async () => {
    assertWithheld(await get('/v1/documents'), 'list')
    assertWithheld(await get('/v1/documents', counterparty.key), 'list of the other side')
  })
  assert.equal((await get('/v1/documents')).status, 200)
})

test('laundering: a draft that was changed from 100 to 900 is not issued', async () => {
  const { id } = await aDraft(running, pair, {
    line_items: [{ ...exampleLine, quantity: 1, unit_price: 100, tax_rate: 0 }],
  })
  await tamper(id, `total = 90000, content = replace(content, '100', '900')`)
  const reply = await post(`/v1/documents/${id}/issue`, issuer.key)
  assertWithheld(reply, 'issue')
  assert.equal(reply.body.error.details.document_id, id)
  assert.equal((await get(`/v1/documents/${id}`, counterparty.key)).status, 404, 'still a draft')
})

test('laundering: an invoice of 100 that was changed to 9,000 is not paid', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  await tamper(id, 'total = 900000')
  assertWithheld(await post(`/v1/documents/${id}/pay`, counterparty.key), 'pay')
  const paid = await database.rows(sql`
    select 1 from payments where document_id = ${decodeId('doc', id)!}`)
  assert.equal(paid.length, 0)
})

test('laundering: a count that was changed gets no new seal with the next move', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  await tamper(id, 'derived_count = 1, derived_amount = 1')
  assertWithheld(await move(running, counterparty.key, id, 'disputed', { note: 'No' }), 'move')
  assertWithheld(await get(`/v1/documents/${id}/history`), 'history')
})

test('a changed document fails alone: writes of others in the same batch succeed', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  await tamper(id, 'amount_paid = 1')
  const others = await Promise.all(
    Array.from({ length: 8 }, () => anApprovedInvoice(running, pair)),
  )
  const replies = await Promise.all(
    [id, ...others.map((other) => other.id as string)].map((one) =>
      post(`/v1/documents/${one}/pay`, counterparty.key),
    ),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    [500, ...others.map(() => 200)],
  )
  const reads = await Promise.all(
    [id, ...others.map((other) => other.id as string)].map((one) => get(`/v1/documents/${one}`)),
  )
  assert.deepEqual(
    reads.map(({ status }) => status),
    [500, ...others.map(() => 200)],
  )
})

test('the alarm is raised, and the document is on hold until an operator has looked', async () => {
  const { id } = await aDraft(running, pair)
  await tamper(id, `metadata = '{"a":"b"}'`)
  assertWithheld(await get(`/v1/documents/${id}`), 'read')
  const [row] = await database.rows<{ integrity_hold: boolean }>(sql`
    select integrity_hold from documents where id = ${decodeId('doc', id)!}`)
  assert.equal(row!.integrity_hold, true)
  assert(running.logLines.some((line) => line.includes('integrity_failure') && line.includes(id)))
  assert.match(
    running.service.context.metrics.text(),
    /docex_integrity_failures_total\{check="GUARD"\} [1-9]/,
  )
})

describe('a key that this process has proven is proven again once a row of it is written', () => {
  const { uuid, key, keyId } = counterparty
  const me = async () => (await get('/v1/me', key)).status
  const keyRow = `keys set name = name || ' ' where id = '${decodeId('key', keyId)!}'`
  const organizationRow = `organizations set name = name || ' ' where id = '${uuid}'`

  for (const [table, change] of [
    ['keys', keyRow],
    ['organizations', organizationRow],
  ] as const) {
    test(`${table} (decision 0132)`, async () => {
      assert.equal(await me(), 200)
      await whileTampered(database, table, `update ${change}`, async () => {
        assertWithheld(await get('/v1/me', key), table)
      })
      assert.equal(await me(), 200)
      await asSuperuser(database, `update ${change.replace(/name \|\| ' '/, 'name')}`)
      assert.equal(await me(), 200, 'a version with the same content')
    })
  }
})
