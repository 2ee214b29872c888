/**
 * decisions/0058: one signed request makes one event, whoever deletes its kept reply. Otherwise the
 * bundle would have one signature twice, and no verifier would accept it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { aKey, aPair, anInvoice, exampleLine } from '../support/fixtures.ts'
import { aSigner, sendTo, signed, unsigned } from '../support/identity/request-signer.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { sandboxClient } from '../support/sandbox/sandbox-client.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty, connection } = pair
const signer = aSigner()
const scopes = ['documents:read', 'documents:write', 'provenance:read'] as const
const { secret } = await aKey(running, issuer, scopes, { signingKey: signer.raw })
const send = sendTo(running, secret)
const { provisionSandbox, send: sandboxSend } = sandboxClient(running)
const get = (path: string) => callApi(running, 'GET', path, { key: issuer.key })

const ask = (method: string, path: string, body: object) =>
  signed(signer, unsigned(method, path, JSON.stringify(body)))

const aDraft = async () => {
  const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
  const { status, text, body: draft } = await send(ask('POST', '/v1/documents', body))
  assert.equal(status, 201, text)
  return draft
}

const forgetReplies = () => asSuperuser(running.database, 'delete from idempotency')

test('an edit of which the kept reply was deleted is not executed again', async () => {
  const { id } = await aDraft()
  const path = `/v1/documents/${id}`
  const first = ask('PATCH', path, { notes: 'one' })
  assert.equal((await send(first)).status, 200)
  assert.equal((await send(first)).headers.get('idempotent-replay'), 'true')
  assert.equal((await send(ask('PATCH', path, { notes: 'two' }))).status, 200)
  await forgetReplies()
  assert.equal((await send(first)).body.error?.code, 'integrity_failure')
  assert.equal((await send(ask('PATCH', path, { notes: 'three' }))).status, 200)
  assert.equal((await get(`${path}/export`)).status, 200)
})

const draftCount = async (): Promise<number> =>
  (await get('/v1/documents?status=draft&limit=100')).body.data.length

test('a creation of which the kept reply was deleted makes no second draft', async () => {
  const quote = { connection_id: connection, document_type: 'quote', line_items: [exampleLine] }
  const create = ask('POST', '/v1/documents', quote)
  const { id } = (await send(create)).body
  assert.equal((await send(ask('POST', `/v1/documents/${id}/issue`, {}))).status, 200)
  const move = `/v1/documents/${id}/transition`
  const accepted = await callApi(running, 'POST', move, {
    key: counterparty.key,
    body: { to: 'accepted' },
  })
  assert.equal(accepted.status, 200, accepted.text)
  const convert = ask('POST', `/v1/documents/${id}/convert`, { document_type: 'invoice' })
  assert.equal((await send(convert)).status, 201)
  const before = await draftCount()
  await forgetReplies()
  for (const again of [create, convert]) {
    assert.equal((await send(again)).body.error?.code, 'integrity_failure')
  }
  assert.equal(await draftCount(), before)
  assert.equal((await send(ask('POST', '/v1/documents', quote))).status, 201)
})

test('both sides of a connection may sign the same creation with one key', async () => {
  const line_items = [exampleLine]
  const body = { connection_id: connection, document_type: 'invoice', line_items }
  const create = ask('POST', '/v1/documents', body)
  const other = await aKey(running, counterparty, scopes, { signingKey: signer.raw })
  const replies = [await send(create), await sendTo(running, other.secret)(create)]
  for (const { status, text } of replies) assert.equal(status, 201, text)
  assert.notEqual(replies[0]!.body.id, replies[1]!.body.id)
})

test('after a reset of the sandbox, which deletes replies as well, it is refused as any other', async () => {
  const sandbox = await provisionSandbox()
  const body = { name: 'signs', scopes: [...scopes], signing_key: signer.signingKey }
  const minted = await sandboxSend(sandbox.session, '/v1/keys', body)
  const sign = sendTo(running, minted.key)
  const line_items = [exampleLine]
  const draft = { connection_id: sandbox.connection, document_type: 'invoice', line_items }
  const creation = ask('POST', '/v1/documents', draft)
  const { id } = (await sign(creation)).body
  const edit = ask('PATCH', `/v1/documents/${id}`, { notes: 'one' })
  assert.equal((await sign(edit)).status, 200)
  await sandboxSend(sandbox.key, '/v1/sandbox/reset')
  assert.equal((await sign(edit)).status, 404)
  const again = await sign(creation)
  assert.equal(again.status, 201, again.text)
  assert.notEqual(again.body.id, id)
})

const aSignedFile = async (path: string) => {
  const form = new Request('http://x', { method: 'POST', body: aFileForm('a.txt', 'hello') })
  const text = Buffer.from(await form.arrayBuffer()).toString()
  const request = signed(signer, unsigned('POST', path, text))
  request.headers['content-type'] = form.headers.get('content-type')!
  return request
}

test('nor is a file attached again', async () => {
  const { id } = await aDraft()
  const path = `/v1/documents/${id}/attachments`
  const request = await aSignedFile(path)
  assert.equal((await send(request)).status, 201)
  await forgetReplies()
  assert.equal((await send(request)).body.error?.code, 'integrity_failure')
  assert.equal((await get(path)).body.data.length, 1)
})

test('what the other party has signed with the same key is refused, without an alarm', async () => {
  const { id } = await anInvoice(running, pair)
  const path = `/v1/documents/${id}/attachments`
  const request = await aSignedFile(path)
  const other = await aKey(running, counterparty, scopes, { signingKey: signer.raw })
  assert.equal((await send(request)).status, 201)
  const { body } = await sendTo(running, other.secret)(request)
  assert.equal(body.error?.code, 'unauthorized')
  assert.match(body.error.message, /The other party has sent this signed request/)
  assert.equal((await get(path)).body.data.length, 1)
})

test('if both parties send the same signed request at once, the history has it once', async () => {
  const again = await running.startAnother()
  const other = await aKey(running, counterparty, scopes, { signingKey: signer.raw })
  for (let round = 0; round < 5; round += 1) {
    const { id } = await anInvoice(running, pair)
    const path = `/v1/documents/${id}/attachments`
    const request = await aSignedFile(path)
    const replies = await Promise.all([send(request), sendTo(again, other.secret)(request)])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401])
    assert.equal((await get(`/v1/documents/${id}/history`)).status, 200)
  }
})
