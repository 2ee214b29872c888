/** Specification 7, 8 and 9: the error envelope, limits and versions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice, exampleLine, move } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ FAMILIES: 'documents,payments,provenance,keys,webhooks' })
const pair = await aPair(running)

test('7 an error has code, message and docs_url, and an illegal transition lists allowed', async () => {
  const { id } = await anInvoice(running, pair)
  const refused = await move(running, pair.issuer.key, id, 'approved')
  const { error } = refused.body
  assert.deepEqual(error.details.allowed, ['cancelled'])
  assert.match(error.docs_url, /\/v1\/docs#errors-conflict$/)
  assert.equal(refused.status, 409)
})

test('7 the anchor that docs_url names exists on the page', async () => {
  const page = await callApi(running, 'GET', '/v1/docs')
  assert.match(page.text, /id="errors-conflict"/)
})

test('7 a family that is switched off answers not_enabled', async () => {
  const { key } = pair.issuer
  for (const path of ['/v1/treasury/balances', '/v1/finance/offers']) {
    assertRefused(await callApi(running, 'GET', path, { key }), 'not_enabled')
  }
  const { body } = await callApi(running, 'GET', '/v1/enablement')
  assert.deepEqual([body.families.documents.enabled, body.families.finance.enabled], [true, false])
})

test('8 the limits of lines, keys and pages are those of the table', async () => {
  const { body } = await callApi(running, 'GET', '/v1/openapi.json')
  const { DocumentCreate } = body.components.schemas
  const { minItems, maxItems } = DocumentCreate.properties.line_items
  assert.deepEqual([minItems, maxItems], [1, 200])
  const parameters = body.paths['/v1/documents'].get.parameters as { name: string }[]
  const limit = parameters.find(({ name }) => name === 'limit') as unknown as {
    schema: { minimum: number; maximum: number; default: number }
  }
  const { minimum, maximum, default: usual } = limit.schema
  assert.deepEqual([minimum, maximum, usual], [1, 100, 20])
})

test('9.1, 9.3 and 9.4 the header, the deliveries and me state one version, of three numbers', async () => {
  const { key } = pair.issuer
  const me = await callApi(running, 'GET', '/v1/me', { key })
  const version = me.headers.get('svc-api-version')
  assert.match(version ?? '', /^1\.\d+\.\d+$/)
  assert.equal(me.body.api_version, version)
  await callApi(running, 'POST', '/v1/documents', {
    key,
    body: { connection_id: pair.connection, document_type: 'quote', line_items: [exampleLine] },
  })
  const { body } = await callApi(running, 'GET', '/v1/events?limit=1', { key })
  assert.equal(body.data[0].api_version, version)
})
