/** Provenance 8: a key of which the row was deleted in the database helps nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { aMember, always } from '../support/approvals/keys-that-ask.ts'
import { aKey, aPair } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const payer = pair.counterparty

/** A key that asks, which one person has made and another one has rotated. */
const aRotatedKey = async () => {
  const maker = await aMember(running, payer, 'admin')
  const rotator = await aMember(running, payer, 'admin')
  const scopes = ['documents:read', 'documents:write', 'payments:write'] as const
  const first = await aKey(running, { ...payer, userId: maker.userId }, scopes, {
    approval: always,
  })
  const path = `/v1/keys/${first.keyId}/rotate`
  const rotated = await callApi(running, 'POST', path, { key: rotator.session, body: {} })
  assert.equal(rotated.status, 200, rotated.text)
  return { maker, rotator, first: first.keyId, second: rotated.body.id, secret: rotated.body.key }
}

test('nobody approves what their key asks for once the row of the key is gone', async () => {
  const { maker, rotator, first, second, secret } = await aRotatedKey()
  const invoice = await anApprovedInvoice(running, pair)
  const { reason, approval } = assertRefused(await pay(running, secret, invoice.id), 'conflict')
  assert.equal(reason, 'approval_required')
  const { id, digest } = approval as { id: string; digest: string }
  const approveAs = (session: string) =>
    callApi(running, 'POST', `/v1/approvals/${id}/approve`, { key: session, body: { digest } })
  for (const key of [first, second]) {
    const statement = `delete from keys where id = '${decodeId('key', key)!}'`
    await whileTampered(database, 'keys', statement, async () => {
      for (const { session } of [maker, rotator])
        assertRefused(await approveAs(session), 'integrity_failure')
    })
  }
  for (const { session } of [maker, rotator])
    assert.equal(assertRefused(await approveAs(session), 'forbidden').reason, 'four_eyes')
})
