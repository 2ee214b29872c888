/** The forms of one media type and of one coding that RFC 9110 allows are the same (contract 1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { exampleLine } from '../support/fixtures.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { assertRefused } from '../support/http/error-responses.ts'

const { running, issuer, connection } = await startTradingPair()

const raw = JSON.stringify({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
})
const post = (headers: Record<string, string>) =>
  callApi(running, 'POST', '/v1/documents', { key: issuer.key, raw, headers })

for (const type of [
  'application/json;',
  'application/json ; ',
  'application/json; charset=utf-8;',
  'application/json;; charset="utf-8" ;',
]) {
  test(`${type} is accepted`, async () => {
    assert.equal((await post({ 'content-type': type })).status, 201)
  })
}

for (const type of ['application/json charset=utf-8', 'application/json; utf-8']) {
  test(`${type} is refused`, async () => {
    assertRefused(await post({ 'content-type': type }), 'unsupported_media_type')
  })
}

test('the name of a coding has no case', async () => {
  const type = { 'content-type': 'application/json' }
  assert.equal((await post({ ...type, 'content-encoding': 'Identity' })).status, 201)
  const encoded = await post({ ...type, 'content-encoding': 'GZIP' })
  assertRefused(encoded, 'unsupported_media_type')
})
