/**
 * Provenance 8: an old row of an approval with its old seal consents to nothing
 * (docs/decisions/0178). A person declines, and the row of before is written back.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { changeSealedRows } from '../../src/database/sealed-rows.ts'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../support/approvals/keys-that-ask.ts'
import { assertNoticed, copyRows, idIs } from '../support/database/old-rows.ts'
import { type Pair, aPair } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { answersOf } from '../support/provenance/busy-uses.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { sandboxClient } from '../support/sandbox/sandbox-client.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const elsewhere = await running.startAnother()
const { database } = running

/** A payer with a key that asks and two people who decide. */
const aPayer = async () => {
  const pair = await aPair(running)
  const key = await aKeyThatAsks(running, pair.counterparty)
  const first = (await aMember(running, pair.counterparty, 'approver')).session
  const second = (await aMember(running, pair.counterparty, 'approver')).session
  return { pair, key, first, second }
}

/** A payment that waits for an approval, and the same request again. */
const askFor = async (key: string, id: string) => {
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const send = () => pay(running, key, id, { headers })
  const { reason, approval } = assertRefused(await send(), 'conflict')
  assert.equal(reason, 'approval_required')
  return { ...(approval as { id: string; digest: string }), send }
}

type Asked = Awaited<ReturnType<typeof askFor>>

const askToPay = async ({ pair, key }: { pair: Pair; key: string }): Promise<Asked> =>
  askFor(key, (await anApprovedInvoice(running, pair)).id)

const approve = (session: string, { id, digest }: Asked, at = running) =>
  callApi(at, 'POST', `/v1/approvals/${id}/approve`, { key: session, body: { digest } })

const decline = (session: string, { id }: Asked, at = running) =>
  callApi(at, 'POST', `/v1/approvals/${id}/decline`, { key: session, body: {} })

const read = (session: string, path: string) => callApi(running, 'GET', path, { key: session })

const listOf = async (session: string, status: string): Promise<string[]> => {
  const { body } = await read(session, `/v1/approvals?status=${status}`)
  return body.data.map(({ id }: { id: string }) => id)
}

test('an approval of which the row is gone is missed by the request that has asked for it', async () => {
  const payer = await aPayer()
  const asked = await askToPay(payer)
  assert.equal((await decline(payer.first, asked)).status, 200)
  const statement = `delete from approvals where id = '${decodeId('apr', asked.id)!}'`
  await whileTampered(database, 'approvals', statement, async () => {
    assertRefused(await asked.send(), 'integrity_failure')
  })
  assert.equal(assertRefused(await asked.send(), 'conflict').reason, 'approval_declined')
})

describe('an approval that was declined', () => {
  for (const isApproved of [false, true]) {
    const was = isApproved ? 'approved' : 'pending'
    test(`is not ${was} again when its old row comes back, and pays nothing`, async () => {
      const payer = await aPayer()
      const { first, second } = payer
      const asked = await askToPay(payer)
      if (isApproved) assert.equal((await approve(first, asked)).status, 200)
      const writeBack = await copyRows(database, 'approvals', idIs(decodeId('apr', asked.id)!))
      assert.equal((await decline(first, asked)).status, 200)
      await writeBack()
      const uses = [
        () => read(second, `/v1/approvals/${asked.id}`),
        () => read(second, '/v1/approvals'),
        () => read(second, `/v1/approvals?status=${was}`),
        () => approve(second, asked),
        () => asked.send(),
        () => decline(second, asked),
        ...(isApproved ? [] : [() => read(second, '/v1/me')]),
      ]
      for (const use of uses) assertNoticed(running, await use(), 'approvals')
    })
  }

  test('is not back after another one was declined', async () => {
    const payer = await aPayer()
    const asked = await askToPay(payer)
    const writeBack = await copyRows(database, 'approvals', idIs(decodeId('apr', asked.id)!))
    await decline(payer.first, asked)
    await decline(payer.first, await askToPay(payer))
    await writeBack()
    assertNoticed(running, await approve(payer.second, asked), 'approvals')
    const other = await askToPay(payer)
    assert.equal((await approve(payer.second, other)).status, 200)
    assert.equal((await other.send()).status, 200, 'the others go on')
    assert.equal((await decline(payer.second, await askToPay(payer))).status, 200)
    assertNoticed(running, await asked.send(), 'approvals')
  })

  test('is not back after the sandbox was reset', async () => {
    const { provisionSandbox, send, rows } = sandboxClient(running)
    const { session, key } = await provisionSandbox()
    const [bill] = await rows(key, '/v1/documents?status=approved')
    const asking = await send(session, '/v1/keys', {
      name: 'Asks',
      requires_approval: true,
      scopes: ['documents:read', 'documents:write', 'payments:write'],
    })
    const asked = await askFor(asking.key, String(bill!['id']))
    const writeBack = await copyRows(database, 'approvals', idIs(decodeId('apr', asked.id)!))
    await send(session, '/v1/sandbox/reset')
    await writeBack()
    assertNoticed(running, await read(session, '/v1/approvals'), 'approvals')
  })
})

describe('a decline', () => {
  test('leaves the other approvals as they are, those of before and of later', async () => {
    const payer = await aPayer()
    const { first, second } = payer
    const [pending, approved, declined] = [
      await askToPay(payer),
      await askToPay(payer),
      await askToPay(payer),
    ]
    await approve(first, approved)
    await decline(first, declined)
    const later = await askToPay(payer)
    assert.equal((await decline(second, declined)).body.status, 'declined', 'said again')
    assert.deepEqual(await listOf(second, 'pending'), [later.id, pending.id])
    assert.equal((await read(second, '/v1/me')).body.approvals_waiting, 2)
    assert.equal((await approved.send()).status, 200)
    for (const asked of [pending, later]) {
      assert.equal((await approve(second, asked)).status, 200)
      assert.equal((await asked.send()).status, 200)
    }
    assert.deepEqual(await listOf(second, 'executed'), [later.id, approved.id, pending.id])
    assert.deepEqual(await listOf(second, 'declined'), [declined.id])
  })

  test('leaves those that have expired long ago, which need no version', async () => {
    const payer = await aPayer()
    const asked = await askToPay(payer)
    const ofOne = sql`t.id = ${decodeId('apr', asked.id)!}`
    const expires_at = new Date(Date.now() - 3 * 86_400_000).toISOString()
    await inTransaction(database, (tx) =>
      changeSealedRows(tx, 'approvals', ofOne, () => ({ expires_at })),
    )
    await decline(payer.first, await askToPay(payer))
    assert.deepEqual(await listOf(payer.first, 'expired'), [asked.id])
    assert.equal((await read(payer.first, `/v1/approvals/${asked.id}`)).body.status, 'expired')
  })

  test('that races others, and new approvals, on two processes makes no old row', async () => {
    const payer = await aPayer()
    const { first, second } = payer
    const asked = await Promise.all(Array.from({ length: 8 }, () => askToPay(payer)))
    const [answers, later] = await Promise.all([
      answersOf(
        Object.fromEntries(
          [
            ...asked.slice(0, 3).map((one) => () => decline(first, one)),
            ...asked.slice(2, 5).map((one) => () => decline(second, one, elsewhere)),
            ...asked.slice(4, 6).map((one) => () => approve(second, one)),
            ...asked.slice(6).map((one) => () => approve(first, one, elsewhere)),
          ].map((decide, i) => [`decision ${i}`, decide]),
        ),
      ),
      Promise.all(Array.from({ length: 8 }, () => askToPay(payer))),
    ])
    const statuses = [...answers.values()].map(({ status }) => status)
    assert(
      statuses.every((status) => [200, 409].includes(status)),
      statuses.join(),
    )
    const shown = await read(second, '/v1/approvals')
    assert.equal(shown.status, 200, shown.text)
    for (const one of later) assert.equal((await approve(second, one)).status, 200)
    for (const { send } of [...asked.slice(6), ...later]) assert.equal((await send()).status, 200)
  })
})
