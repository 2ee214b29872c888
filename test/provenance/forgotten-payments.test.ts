/**
 * Provenance 8: whoever removes a payment from the database together with what it used of its key's
 * limit lets the key pay no more than its limit. Keys that nobody has touched go on.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { idIs, assertNoticed, copyRows } from '../support/database/old-rows.ts'
import { postWhenFree } from '../support/api-client.ts'
import { type Pair, aKey, aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { type TestService, startTestService } from '../support/test-service.ts'

// The auditor would raise an alarm for the payment that is gone.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running

/** Pays two invoices of 1,080.00, and not three. */
const aLimitedKey = async (pair: Pair) => {
  const scopes = ['documents:write', 'payments:write'] as const
  const { secret, keyId } = await aKey(running, pair.counterparty, scopes, {
    dailyVolume: 250_000n,
  })
  const uses = `t.root_key_id = '${decodeId('key', keyId)}'`
  return { secret, usageNow: () => copyRows(database, 'limit_usage', uses) }
}

const payAnInvoice = async (pair: Pair, secret: string, on: TestService = running) =>
  pay(on, secret, (await anApprovedInvoice(running, pair)).id)

/** A payment that nothing in the database knows any more, once the usage is written back. */
const payAndForget = async (pair: Pair, secret: string, writeBack: () => Promise<unknown>) => {
  const { body, status } = await payAnInvoice(pair, secret)
  assert.equal(status, 200)
  await asSuperuser(
    database,
    `delete from payments t where ${idIs(decodeId('pay', body.payment.id)!)}`,
  )
  await writeBack()
}

describe('of a key that has a limit, a payment that is forgotten with its usage is missed', () => {
  test('when the usage of before the payment is written back', async () => {
    const pair = await aPair(running)
    const { secret, usageNow } = await aLimitedKey(pair)
    assert.equal((await payAnInvoice(pair, secret)).status, 200)
    const writeBack = await usageNow()
    await payAndForget(pair, secret, writeBack)
    assertNoticed(running, await payAnInvoice(pair, secret), 'limit_usage')
  })

  test('when there is no usage any more', async () => {
    const pair = await aPair(running)
    const { secret, usageNow } = await aLimitedKey(pair)
    const writeBack = await usageNow()
    await payAndForget(pair, secret, writeBack)
    assertNoticed(running, await payAnInvoice(pair, secret), 'limit_usage')
  })

  test('by a process that has only read the usage of before', async () => {
    const pair = await aPair(running)
    const { secret, usageNow } = await aLimitedKey(pair)
    const writeBack = await usageNow()
    const { body } = await payAnInvoice(pair, secret)
    const other = await running.startAnother()
    const refused = await anApprovedInvoice(running, pair, { metadata: {} })
    const dryRun = { headers: { 'Svc-Dry-Run': 'true' } }
    assert.equal((await pay(other, secret, refused.id, dryRun)).status, 200)
    await asSuperuser(
      database,
      `delete from payments t where ${idIs(decodeId('pay', body.payment.id)!)}`,
    )
    await writeBack()
    assertNoticed(other, await payAnInvoice(pair, secret, other), 'limit_usage')
  })
})

test('keys that pay at the same time, in two processes and with their limits nearly used, raise no alarm', async () => {
  const other = await running.startAnother()
  const pair = await aPair(running)
  const keys = await Promise.all([1, 2, 3].map(() => aLimitedKey(pair)))
  const invoices = []
  for (let i = 0; i < 18; i += 1) invoices.push(await anApprovedInvoice(running, pair))
  const replies = await Promise.all(
    invoices.map(({ id }, i) => {
      const key = keys[i % 3]!.secret
      return postWhenFree([running, other][i % 2]!, `/v1/documents/${id}/pay`, { key })
    }),
  )
  const codes = replies.map(({ status, body }) => body.error?.code ?? status)
  const paid = codes.filter((code) => code === 200)
  assert.equal(paid.length, 6, codes.join())
  assert.equal(codes.filter((code) => code === 'payment_limit_exceeded').length, 12, codes.join())
})
