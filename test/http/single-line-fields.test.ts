/** Contract 11: line breaks and tabs are accepted where lines are allowed, and nowhere else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { aDraft, aPair, exampleLine } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer } = pair
const draft = `/v1/documents/${(await aDraft(running, pair)).id}`
const invitation = { email: 'orders@example.com' }

const breaks = ['\n', '\r\n', '\t']

const [edit, invite, mint] = [
  (body: object) => callApi(running, 'PATCH', draft, { key: issuer.key, body }),
  (body: object) => callApi(running, 'POST', '/v1/connections', { key: issuer.session, body }),
  (body: object) => callApi(running, 'POST', '/v1/keys', { key: issuer.session, body }),
]

for (const [param, send] of Object.entries({
  '/payment_terms': (text: string) => edit({ payment_terms: text }),
  '/external_refs/order': (text: string) => edit({ external_refs: { order: text } }),
  '/line_items/0/sku': (text: string) => edit({ line_items: [{ ...exampleLine, sku: text }] }),
  '/default_payment_terms': (text: string) =>
    invite({ ...invitation, default_payment_terms: text }),
  '/name': (text: string) => mint({ name: text, scopes: ['documents:read'] }),
})) {
  test(`${param} is one line`, async () => {
    for (const lineBreak of breaks) {
      const refused = await send(`one${lineBreak}two`)
      assertRefused(refused, 'invalid_request')
      const { errors } = refused.body.error.details
      assert.deepEqual([errors.length, errors[0].param], [1, param])
      assert.match(errors[0].fix, /without line breaks and tabs/)
    }
    assert((await send('one two')).status < 300)
  })
}

for (const [name, body] of Object.entries({
  notes: (text: string) => ({ notes: text }),
  metadata: (text: string) => ({ metadata: { order: text } }),
  'the description of a line': (text: string) => ({
    line_items: [{ ...exampleLine, description: text }],
  }),
})) {
  test(`${name} may have several lines`, async () => {
    for (const lineBreak of breaks) {
      const { status, text } = await edit(body(`one${lineBreak}two`))
      assert.equal(status, 200, text)
    }
  })
}

for (const field of ['external_refs', 'metadata']) {
  test(`a key of ${field} is one line of at most 40 characters, escaped or not`, async () => {
    for (const lineBreak of breaks) {
      const key = `one${lineBreak}two`
      const refused = await edit({ [field]: { [key]: 'x' } })
      assertProblems(refused, `/${field}/${key} invalid_value`)
    }
    const longest = '😀'.repeat(40)
    const escaped = JSON.stringify({ [field]: { [longest]: 'x' } }).replaceAll(
      '😀',
      String.raw`\ud83d\ude00`,
    )
    const { status, body, text } = await callApi(running, 'PATCH', draft, {
      key: issuer.key,
      raw: escaped,
    })
    assert.equal(status, 200, text)
    assert.deepEqual(body[field], { [longest]: 'x' })
  })
}
