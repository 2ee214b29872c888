/**
 * Provenance 8: the events of a payment name the ledger transactions that it opened, so whoever
 * removes or exchanges one in the database is found by the next verified read.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../src/core/ids.ts'
import { callApi } from '../support/api-client.ts'
import { aPair } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { fetchTrustFile, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const pair = await aPair(running)
const { issuer, counterparty } = pair
const trust = await fetchTrustFile(running, issuer.key)

type Side = 'issuer' | 'counterparty'

const get = (path: string, key = issuer.key) => callApi(running, 'GET', path, { key })

/** An invoice with a payment under way, and what decides its outcome. */
const payingInvoice = async (body: object = { source_account_id: 'acct_test_stuck' }) => {
  const { id } = await anApprovedInvoice(running, pair)
  const paid = await pay(running, counterparty.key, id, { body })
  assert.equal(paid.status, 200, paid.text)
  const path = `/v1/sandbox/payments/${paid.body.payment.id}/simulate`
  const decide = async (outcome: string) => {
    const reply = await callApi(running, 'POST', path, { key: issuer.key, body: { outcome } })
    assert.equal(reply.status, 200, reply.text)
  }
  return { id, payment: paid.body.payment.id as string, decide }
}

/** The transactions that the events of the document name, by the status of the payment. */
const named = async (id: string, side: Side): Promise<Record<string, string[]>> => {
  const { text, status } = await get(`/v1/documents/${id}/export`, pair[side].key)
  assert.equal(status, 200, text)
  const [verdict] = verifyWithBoth([[temporaryFile(text), '--trust', trust]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  assert.doesNotMatch(text, /acct_0/, 'no account is named')
  const bodies = JSON.parse(text).events.flatMap(
    ({ open }: { open: { shared: { body: object | null } } }) => open.shared.body ?? [],
  )
  return Object.fromEntries(
    bodies
      .filter(({ payment }: { payment?: { transactions?: string[] } }) => payment?.transactions)
      .map(({ payment }: { payment: { status: string; transactions: string[] } }) => [
        payment.status,
        payment.transactions,
      ]),
  )
}

const transactionsOf = async (payment: string, side: Side): Promise<string[]> => {
  const { body } = await get(`/v1/treasury/transactions?payment=${payment}`, pair[side].key)
  return body.data.map(({ id }: { id: string }) => id)
}

test('each transaction of a payment is named by the event that opened it, and read by its owner', async () => {
  // From the payer's own account, a payment settles at once.
  const { id, payment, decide } = await payingInvoice({})
  await decide('return')
  const seen = await named(id, 'issuer')
  assert.deepEqual(await named(id, 'counterparty'), seen)
  const all = Object.values(seen).flat()
  assert.equal(all.length, 4)
  assert.equal(seen['returned']?.length, 2)
  const [payees, payers] = [
    await transactionsOf(payment, 'issuer'),
    await transactionsOf(payment, 'counterparty'),
  ]
  assert.deepEqual([...payees, ...payers].toSorted(), all.toSorted())
  for (const one of payers)
    assertRefused(await get(`/v1/treasury/transactions/${one}`), 'not_found')
})

test('the record of a payment that is under way, settled, failed or returned verifies', async () => {
  for (const outcomes of [[], ['settle'], ['fail'], ['settle', 'return']]) {
    const { id, decide } = await payingInvoice()
    for (const outcome of outcomes) await decide(outcome)
    const opened = Object.values(await named(id, 'issuer')).flat().length
    assert.equal(opened, outcomes.includes('return') ? 4 : 2, outcomes.join())
    for (const read of ['history', 'lineage', 'receipts/3']) {
      assert.equal((await get(`/v1/documents/${id}/${read}`)).status, 200, read)
    }
  }
})

const uuidsOf = async (id: string): Promise<string[]> =>
  Object.values(await named(id, 'issuer'))
    .flat()
    .map((name) => decodeId('ttx', name)!)

const assertWithheld = async (id: string, seq: number): Promise<void> => {
  for (const read of ['history', 'lineage', 'export', 'receipts/1']) {
    const details = assertRefused(await get(`/v1/documents/${id}/${read}`), 'integrity_failure')
    assert.deepEqual([details.failures[0].check, details.failures[0].seq], ['LEDGER', seq])
  }
}

/** Its seal holds: it is how the service stored the row before. */
const asBefore = async (uuid: string): Promise<string> => {
  await database.script(`create table kept as select * from ledger_tx where id = '${uuid}'`)
  return `delete from ledger_tx where id = '${uuid}';
    insert into ledger_tx select * from kept; drop table kept`
}

const hands: Readonly<Record<string, (uuids: string[]) => Promise<string>>> = {
  'is removed': async ([first]) => `delete from ledger_entry where tx_id = '${first}';
    delete from ledger_tx where id = '${first}'`,
  'is removed at the other side': async ([, second]) =>
    `delete from ledger_tx where id = '${second}'`,
  'moves another amount': async ([first]) =>
    `update ledger_tx set amount = amount - 1 where id = '${first}'`,
  'is that of another payment': async ([first]) =>
    `update ledger_tx set payment_id = (select id from payments p
      where p.id <> payment_id order by id limit 1) where id = '${first}'`,
  'has changed places with another': async ([first, second]) => {
    const rename = (from: string, to: string) =>
      `update ledger_tx set id = '${to}' where id = '${from}'`
    const neither = '00000000-0000-7000-8000-000000000000'
    return [rename(first!, neither), rename(second!, first!), rename(neither, second!)].join(';')
  },
}

for (const [what, hand] of Object.entries(hands)) {
  test(`a document whose payment has a transaction that ${what} is withheld`, async () => {
    const { id, decide } = await payingInvoice()
    await decide('settle')
    await asSuperuser(database, await hand(await uuidsOf(id)))
    await assertWithheld(id, 4)
  })
}

test('a transaction that was taken back to an earlier state is withheld, though its seal holds', async () => {
  for (const outcome of ['settle', 'fail']) {
    const { id, decide } = await payingInvoice()
    const takeBack = await asBefore((await uuidsOf(id))[1]!)
    await decide(outcome)
    assert.equal((await get(`/v1/documents/${id}/history`)).status, 200)
    await asSuperuser(database, takeBack)
    await assertWithheld(id, 4)
  }
})

test('an account that was taken back to an earlier state has no balance, though its seal holds', async () => {
  const balances = () => get('/v1/treasury/balances', counterparty.key)
  const { id } = counterparty
  const account = `organization_id = '${decodeId('org', id)}' and currency = 'USD'`
  await database.script(`create table kept as select * from ledger_account where ${account}`)
  await payingInvoice({})
  assert.equal((await balances()).status, 200)
  await asSuperuser(
    database,
    `create table current as select * from ledger_account where ${account};
    delete from ledger_account where ${account}; insert into ledger_account select * from kept`,
  )
  assertRefused(await balances(), 'integrity_failure')
  await asSuperuser(
    database,
    `delete from ledger_account where ${account};
    insert into ledger_account select * from current; drop table kept; drop table current`,
  )
  assert.equal((await balances()).status, 200)
})

test('an erasure keeps what the events say of the transactions', async () => {
  const { id, decide } = await payingInvoice()
  await decide('settle')
  const [first] = await uuidsOf(id)
  await running.service.context.database.transaction((tx) =>
    eraseContent(tx, decodeId('doc', id)!, running.service.context),
  )
  assert.equal((await get(`/v1/documents/${id}/history`)).status, 200)
  await asSuperuser(database, `delete from ledger_tx where id = '${first}'`)
  const details = assertRefused(await get(`/v1/documents/${id}/history`), 'integrity_failure')
  assert.equal(details.failures[0].check, 'LEDGER')
})
