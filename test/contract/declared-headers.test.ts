/** The headers of proofs, and sign-in, are answered as the OpenAPI documents declare them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples } from '../../src/docs/examples/index.ts'
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
