/** clients.md 5: the errors that the docs show are those that a running service sends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '../../src/contract/errors.ts'
import { exampleError } from '../../src/docs/examples/errors.ts'
import { exampleIds } from '../../src/docs/examples/ids.ts'
import { type RequestOptions, callApi } from '../support/api-client.ts'
import { aDraft, aKey, aPair, anInvoice, anOrganization, move } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ QUOTA_DOCUMENTS_PER_DAY: '4' })
const pair = await aPair(running)
const { key } = pair.issuer
const unverified = await anOrganization(running, { verified: false })
const reader = await aKey(running, pair.issuer, ['documents:read'])
const elsewhere = await aKey(running, pair.issuer, ['documents:read'], {
  allowedCidrs: ['10.0.0.0/8'],
})
const draft = await aDraft(running, pair)
const contract = await aDraft(running, pair, { document_type: 'contract' })
const invoice = await anInvoice(running, pair)
const other = await anInvoice(running, pair)
await move(running, pair.counterparty.key, invoice.id, 'approved')

const line = { description: 'Oak shelf', quantity: 1, unit_price: 50 }
const body = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [{ ...line, tax_rate: 0 }],
}
const misspelt = { ...body, curency: 'EUR', line_items: [line] }
const oneKey = { 'idempotency-key': 'documented-errors' }
const documents = '/v1/documents'
const transition = `${documents}/${invoice.id}/transition`

type Call = [method: string, path: string, options: RequestOptions]

const calls: Partial<Record<ErrorCode, Call>> = {
  forbidden: ['GET', documents, { key: elsewhere.secret }],
  not_found: ['GET', `${documents}/${exampleIds.document}`, { key }],
  method_not_allowed: ['DELETE', documents, { key }],
  payload_too_large: ['POST', documents, { key, raw: ' '.repeat(1_048_577) }],
  insufficient_scope: ['POST', documents, { key: reader.secret, body: {} }],
  capability_unavailable: ['GET', '/v1/treasury/accounts', { key: unverified.key }],
  unsupported_media_type: [
    'POST',
    documents,
    { key, raw: 'x', headers: { 'content-type': 'text/plain' } },
  ],
  idempotency_conflict: ['POST', `${documents}/${other.id}/issue`, { key, headers: oneKey }],
  invalid_request: ['POST', documents, { key, body: misspelt }],
  not_acceptable: ['GET', `${documents}/${contract.id}/render?format=ubl`, { key }],
  precondition_failed: [
    'PATCH',
    `${documents}/${draft.id}`,
    { key, body: { notes: 'x' }, headers: { 'if-match': '"9"' } },
  ],
  conflict: ['POST', transition, { key, body: { to: 'acknowledged' } }],
  sandbox_quota: ['POST', documents, { key, body }],
}

/** Numbers, ids, addresses and times differ from call to call. */
const withoutVolatile = (value: object): string =>
  JSON.stringify(value)
    .replaceAll(/\b(doc|req)_[0-9a-z]{26}\b/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"docs_url":"[^"]*#/g, '"docs_url":"#')
    .replaceAll(/\b\d+(\.\d+)*\b/g, 'n')

await callApi(running, 'PATCH', `${documents}/${draft.id}`, {
  key,
  body: { notes: 'x' },
  headers: oneKey,
})

for (const [code, [method, path, options]] of Object.entries(calls)) {
  test(`${code} is answered as the docs show it`, async () => {
    const { body: answer } = await callApi(running, method, path, options)
    const shown = exampleError(code as ErrorCode, running.baseUrl)
    assert.equal(withoutVolatile(answer), withoutVolatile(shown))
  })
}
