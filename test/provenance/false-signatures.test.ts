/**
 * provenance 8: the signature of a party that is not its own is refused by every verified read, as
 * the published verifier refuses it, and no operator lifts the hold of its document.
 */
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import { appendEvent } from '../../src/changes/provenance/append-event.ts'
import { decodeId } from '../../src/core/ids.ts'
import { lockDocument } from '../../src/store/provenance/changed-documents.ts'
import { callApi } from '../support/api-client.ts'
import { aKey, aPair, exampleLine } from '../support/fixtures.ts'
import {
  type Unsigned,
  aSigner,
  baseOf,
  paramsOf,
  sendTo,
  signed,
  unsigned,
  valuesOf,
} from '../support/identity/request-signer.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database, keyring } = running.service.context
const { issuer, connection } = await aPair(running)
const signer = aSigner()
const scopes = ['documents:read', 'documents:write', 'provenance:read'] as const
const { secret } = await aKey(running, issuer, scopes, { signingKey: signer.raw })
const send = sendTo(running, secret)
const get = (path: string) => callApi(running, 'GET', path, { key: issuer.key })

/** By whoever holds the keys of the service, and not that of the party. */
const forgedSignature = (request: Unsigned) => {
  const values = valuesOf(request)
  const base = baseOf(values, paramsOf(values, signer))
  return { base, value: sign(null, Buffer.from(base), aSigner().privateKey).toString('base64') }
}

const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
const created = await send(signed(signer, unsigned('POST', '/v1/documents', JSON.stringify(body))))
assert.equal(created.status, 201, created.text)
const path = `/v1/documents/${created.body.id}`
const id = decodeId('doc', created.body.id)!

test('history and export refuse it alike, and the hold stays', async () => {
  assert.equal((await get(`${path}/history`)).status, 200)
  const edit = unsigned('PATCH', path, '{}')
  const actor = { kind: 'api_key', organization_id: issuer.id }
  const slots = {
    shared: null,
    issuer: { type: 'document.edited', actor, set: {}, signature: forgedSignature(edit) },
    counterparty: null,
  }
  await database.transaction(async (tx) => {
    const document = await lockDocument(tx, id)
    await appendEvent(tx, { keyring }, { document: document!, columns: [] }, slots)
  })
  for (const read of ['history', 'export', 'lineage']) {
    const { status, body: refused, text } = await get(`${path}/${read}`)
    assert.equal(status, 500, `${read}: ${text}`)
    assert.deepEqual(refused.error.details.failures, [{ check: 'PARTY', seq: 2 }], read)
  }
  const { exitCode, output } = await runAdminOnService(running, 'release', created.body.id)
  assert.equal(exitCode, 1)
  assert.match(output, /does not match its proofs \(PARTY/)
})
