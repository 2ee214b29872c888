/** Contract 12: `approvals_waiting` counts what this person may decide, at the cost of one list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countWaitingFor } from '../../../src/changes/approvals/decide-approval.ts'
import type { Queryable, SqlQuery } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember, aRule } from '../../support/approvals/keys-that-ask.ts'
import { aPair } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

/** The database, and how many statements it was sent. */
const counted = (database: Queryable) => {
  const sent: SqlQuery[] = []
  const db: Queryable = {
    seals: database.seals,
    rows: (query) => (sent.push(query), database.rows(query)),
    row: (query) => (sent.push(query), database.row(query)),
    run: (query) => (sent.push(query), database.run(query)),
  }
  return { db, sent }
}

test('counting takes as many statements for the approvals of eight keys as for one', async () => {
  const pair = await aPair(running)
  const { counterparty: payer } = pair
  const approver = await aMember(running, payer, 'approver')
  const { id } = await anApprovedInvoice(running, pair)
  const person = { organization: payer.uuid, user: approver.userId, role: 'approver' } as const
  const statements = []
  for (let keys = 1; keys <= 8; keys++) {
    assert.equal((await pay(running, await aKeyThatAsks(running, payer), id)).status, 409)
    const { db, sent } = counted(running.database)
    assert.equal(await countWaitingFor(db, person), keys)
    statements.push(sent.length)
  }
  assert.deepEqual(new Set(statements), new Set(statements.slice(0, 1)))
})

test('it leaves out what this person has asked for, decided, or made the key for', async () => {
  const pair = await aPair(running)
  const { counterparty: payer } = pair
  await aRule(running, payer.session)
  const { id } = await anApprovedInvoice(running, pair)
  const [one, two] = [
    await aMember(running, payer, 'admin'),
    await aMember(running, payer, 'owner'),
  ]
  const body = { name: 'Agent', scopes: ['documents:write', 'payments:write'] }
  const asks = { key: one.session, body: { ...body, requires_approval: true } }
  const { key } = (await callApi(running, 'POST', '/v1/keys', asks)).body
  for (const asker of [one.session, two.session, key]) {
    assert.equal((await pay(running, asker, id)).status, 409)
  }
  const waitingFor = async (session: string) =>
    (await callApi(running, 'GET', '/v1/me', { key: session })).body.approvals_waiting
  const counts = () => Promise.all([one.session, two.session, payer.session].map(waitingFor))
  assert.deepEqual(await counts(), [1, 2, 3])
  const list = await callApi(running, 'GET', '/v1/approvals', { key: payer.session })
  const [ofKey] = list.body.data
  const consent = { key: two.session, body: { digest: ofKey.digest } }
  await callApi(running, 'POST', `/v1/approvals/${ofKey.id}/approve`, consent)
  assert.deepEqual(await counts(), [1, 1, 2])
})
