/** `fields` of every list shows only the named fields of a row, and is no filter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypeNames } from '../../src/contract/events.ts'
import { eventSchemaOf } from '../../src/contract/shapes/events.ts'
import { operations } from '../../src/operations/index.ts'
import { rowOf } from '../../src/operations/field-selection.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const invoices = [await anInvoice(running, pair), await anInvoice(running, pair)]
const { key } = pair.issuer

const list = (query: string) => callApi(running, 'GET', `/v1/documents?${query}`, { key })

const namesOf = (query: unknown): readonly string[] =>
  (query as { properties: { fields: { items: { enum: string[] } } } }).properties.fields.items.enum

test('4.3 every list takes `fields`, and its own names for the summary of a tool', () => {
  // Those of /auth are no tools.
  const lists = operations.filter(
    ({ query, response, isUnversioned }) =>
      isUnversioned !== true && rowOf(query, response) !== undefined,
  )
  assert(lists.length >= 13)
  for (const { id, query, summaryFields = [] } of lists) {
    const names = namesOf(query)
    assert(summaryFields.length > 0, `${id} declares summaryFields`)
    for (const name of summaryFields) assert(names.includes(name), `${id} has no ${name}`)
  }
})

test('4.3 the feed takes the names of what only events of one type have', async () => {
  const names = namesOf(operations.find(({ id }) => id === 'events.list')!.query)
  for (const type of eventTypeNames) {
    for (const name of Object.keys(eventSchemaOf(type).properties.data.properties))
      assert(names.includes(`data.${name}`), `data.${name} of ${type}`)
  }
  const { status, body } = await callApi(
    running,
    'GET',
    '/v1/events?limit=1&fields=data.previous_status,data.payment.status,data.reason',
    { key },
  )
  assert.equal(status, 200)
  assert.deepEqual(body.data, [{ data: { previous_status: 'draft' } }])
})

test('4.3 a row has only the named fields, also inside of objects, in its own order', async () => {
  const { body, status } = await list('fields=total,counterparty.name,id')
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map((row: object) => JSON.stringify(row)),
    invoices.toReversed().map(({ id, counterparty, total }) =>
      // The total stands before the parties.
      JSON.stringify({ id, total, counterparty: { name: counterparty.name } }),
    ),
  )
  assert.deepEqual([body.next_cursor, body.has_more], [null, false])
})

test('4.3 a name and one inside of it show the whole; null stays null', async () => {
  const { body } = await list('fields=issuer,issuer.name,payment.status')
  assert.deepEqual(body.data[0], { issuer: invoices[1].issuer, payment: null })
})

test('4.3 a cursor goes on with other fields, since they are no filter', async () => {
  const first = await list('limit=1&fields=id')
  const second = await list(`limit=1&cursor=${first.body.next_cursor}`)
  assert.equal(second.status, 200, second.text)
  assert.equal(second.body.data[0].id, invoices[0].id)
  assert(second.body.data[0].line_items.length > 0, 'without `fields` a row has all of them')
})

test('4.3 an unknown name is refused with a suggestion, and a read of one takes no fields', async () => {
  const { status, body } = await list('fields=id,totl')
  assert.equal(status, 400)
  assert.match(JSON.stringify(body.error.details), /totl|total/)
  const one = await callApi(running, 'GET', `/v1/documents/${invoices[0].id}?fields=id`, { key })
  assert.equal(one.status, 400)
})
