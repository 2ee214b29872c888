/** The headers of proofs, and sign-in, are answered as the OpenAPI documents declare them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples } from '../../src/docs/examples/index.ts'
import { openApiDocument } from '../../src/docs/openapi/openapi-document.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../support/api-client.ts'
import { declaredCalls } from '../support/contract/declared-calls.ts'
import { aPair, anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { issuer, connection } = await aPair(running)
const call = declaredCalls(running)

test('history, lineage, export and receipt answer as declared, with their headers', async () => {
  const body = { ...examples['documents.create']!.body, connection_id: connection }
  const { body: draft } = await call('documents.create', { credential: issuer.key, body })
  const reading = { credential: issuer.key, params: { id: String(draft.id), seq: '1' } }
  for (const name of ['history', 'lineage', 'receipt']) await call(`documents.${name}`, reading)
  const { status, headers, text } = await call('documents.export', reading)
  assert.equal(status, 200, text)
  const digest = headers.get('svc-bundle-digest')
  assert.equal(headers.get('etag'), `"${digest}"`)
  const known = { ...reading, headers: { 'if-none-match': headers.get('etag')! } }
  assert.equal((await call('documents.export', known)).status, 304)
  await call('log.keys', reading)
  await call('log.checkpoint', reading)
})

test('a new record that can be read has a Location, and a dry run has none, as is declared', async () => {
  const { headers } = openApiDocument(operations, running.baseUrl).components
  assert.match(headers['Location']!.description, /if it can be read by itself; none in a dry run/)
  const locationOf = async (path: string, body: object, dryRun?: string) => {
    const sent = dryRun === undefined ? {} : { 'svc-dry-run': dryRun }
    const reply = await callApi(running, 'POST', path, { key: issuer.key, body, headers: sent })
    return reply.headers.get('location')
  }
  const draft = { ...examples['documents.create']!.body, connection_id: connection }
  assert.equal(await locationOf('/v1/documents', draft, 'true'), null)
  const path = (await locationOf('/v1/documents', draft))!
  assert.match(path, /^\/v1\/documents\/doc_/)
  assert.equal(await locationOf(`${path}/comments`, { text: 'Seen.' }), null)
})

test('sign-in answers as its own document declares', async () => {
  const credential = issuer.session
  const { body: session } = await call('session.get', { credential })
  await call('session.get', { credential: issuer.key })
  await call('sessions.create', { body: { email: issuer.email, password: 'wrong' } })
  await call('sessions.create', { body: { email: issuer.email } })
  const headers = { 'svc-dry-run': 'true' }
  const to = { organization_id: session.organization.id }
  await call('session.switch', { credential, body: to, headers })
  await call('session.switch', { credential, body: { organization_id: 'org_none' } })
  const started = await call('device.start', { body: {} })
  const { device_code } = started.body
  const reasonOf = async (code: string) =>
    (await call('device.token', { body: { device_code: code } })).body.error.details.reason
  assert.equal(await reasonOf(device_code), 'authorization_pending')
  assert.equal(await reasonOf(`${device_code}x`), 'expired_token')
  await call('totp.remove', { credential, body: { totp: '123456' } })
  await call('auth_specification.get')
  const other = await anOrganization(running)
  assert.equal((await call('session.end', { credential: other.session })).status, 200)
})
