/** Due work that cannot be believed fills no round: what is due to others happens in its time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { MissingServerKey } from '../../src/core/server-keys.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, sql } from '../../src/database/sql.ts'
import { openDueWork } from '../../src/tasks/due-work.ts'
import { callApi } from '../support/api-client.ts'
import { type Pair, aPair, anInvoice } from '../support/fixtures.ts'
import { payFrom } from '../support/payments/approved-invoices.ts'
import { asSuperuser, storedColumnsOf } from '../support/provenance/row-tampering.ts'
import { sandboxClient } from '../support/sandbox/sandbox-client.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const { database } = running
const copies = limits.scheduledWorkRowsPerRound + 10

/** Adds more false rows than one round takes, all due before any other. */
const addDueCopies = async (
  table: string,
  condition: string,
  others: Readonly<Record<string, string>>,
): Promise<void> => {
  const names = await storedColumnsOf(database, table)
  const changed: typeof others = { ...others, due_at: `'2026-01-01'::timestamptz` }
  const values = names.map((name) => changed[name] ?? `t.${name}`)
  await asSuperuser(
    database,
    `insert into ${table} (${names.join()}) select ${values.join()}
    from ${table} t, generate_series(1, ${copies}) n where t.${condition}`,
  )
}

const isFailed = async (payment: string): Promise<boolean> => {
  const row = await database.row<{ status: string }>(
    sql`select status from payments where id = ${decodeId('pay', payment)!}`,
  )
  return row!.status === 'failed'
}

test('false payments of one organization hold up no payment of another', async () => {
  const [pair, other] = [await aPair(running), await aPair(running)]
  const stuck = await payFrom(running, pair, 'acct_test_stuck')
  await addDueCopies('payments', `id = '${decodeId('pay', stuck)}'`, {
    id: 'gen_random_uuid()',
    document_id: 'gen_random_uuid()',
    payer_position: '1000000 + n',
    payee_position: '1000000 + n',
  })
  const payment = await payFrom(running, other, 'acct_test_processor_down')
  await until('the payment fails, as its account says', () => isFailed(payment))
})

test('false scripts of one demo counterparty hold up no other', async () => {
  const { provisionSandbox } = sandboxClient(running)
  const [damaged, other] = [await provisionSandbox(), await provisionSandbox()]
  const pairOf = ({ key, connection }: typeof other) => ({ issuer: { key }, connection }) as Pair
  const { id } = await anInvoice(running, pairOf(damaged))
  await addDueCopies('demo_scripts', `document_id = '${decodeId('doc', id)}'`, {
    document_id: 'gen_random_uuid()',
  })
  const invoice = await anInvoice(running, pairOf(other))
  await until('the demo counterparty moves the invoice', async () => {
    const path = `/v1/documents/${invoice.id}`
    return (await callApi(running, 'GET', path, { key: other.key })).body.status !== 'submitted'
  })
})

/** Performs rounds in which all work fails with this error. */
const failingRounds = (error: Error) => {
  const { perform } = openDueWork('due-work-test')
  const attempted: string[] = []
  const round = (limit: number, found: readonly string[]) =>
    perform<string>(running.service.context, {
      limit,
      find: async (most) => found.slice(0, most),
      keyOf: (work) => work,
      run: async (work) => {
        attempted.push(work)
        throw error
      },
    })
  return { attempted, round }
}

test('work that is gone is forgotten, so that it has its turn at once when it is due again', async () => {
  const { attempted, round } = failingRounds(new Error('It fails.'))
  for (const found of [['a', 'b'], ['a', 'b'], ['b'], ['a', 'b']]) await round(10, found)
  assert.deepEqual(attempted, ['a', 'b', 'a'])
})

test('work that a search had no room for is not forgotten', async () => {
  const { attempted, round } = failingRounds(new Error('It fails.'))
  for (const found of [['a'], ['b', 'c', 'a'], ['a']]) await round(1, found)
  assert.deepEqual(attempted, ['a', 'b'])
})

test('an outage ends the round, and sets nothing aside', async () => {
  for (const error of [
    new DatabaseUnavailable('it is down'),
    new CommitOutcomeUnknown('the response to COMMIT was lost'),
    new MissingServerKey(2),
  ]) {
    const { attempted, round } = failingRounds(error)
    for (let times = 0; times < 2; times += 1) await assert.rejects(round(10, ['a']), error)
    assert.deepEqual(attempted, ['a', 'a'])
  }
})
