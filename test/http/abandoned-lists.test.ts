/**
 * Lists share pipelined connections (docs/decisions/0045). Those whose caller has hung up hold
 * nobody up, neither in our queue nor in PostgreSQL.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { workClasses } from '../../src/contract/work-classes.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { type TestOrganization, aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const attacker = (await aPair(running)).issuer
const pair = await aPair(running)
const victim = pair.issuer
await anInvoice(running, pair)

const locker = await openTestConnection(running.databaseUrl, 'test locker')
after(() => locker.close())

/** Lists of documents wait for as long as `work` takes; those of payments do not. */
const withLockedDocuments = async (work: () => Promise<void>): Promise<void> => {
  await locker.script('begin; lock table document_views in access exclusive mode')
  try {
    await work()
  } finally {
    await locker.script('rollback')
  }
}

/** Two filters, so that it uses the same connections as a list of payments. */
const documents = '/v1/documents?type=invoice&direction=issued'

const listOf = ({ key }: TestOrganization, path: string, signal?: AbortSignal) =>
  fetch(running.baseUrl + path, {
    headers: { authorization: `Bearer ${key}` },
    ...(signal === undefined ? {} : { signal }),
  })

const waitingStatements = async (): Promise<number> => {
  const [row] = await running.database.rows<{ count: bigint }>(sql`
    select count(*) as count from pg_stat_activity
    where application_name like 'docex lists %' and wait_event_type = 'Lock'`)
  return Number(row!.count)
}

/** More lists than the attacker may have running; they fill the shared connections. */
const attack = async (hangUp: AbortSignal): Promise<{ outcomes: Promise<unknown> }> => {
  const count = workClasses.lists.runningPerOrganization + 30
  const lists = Array.from({ length: count }, () => listOf(attacker, documents, hangUp))
  const outcomes = Promise.allSettled(lists)
  await until('the attacker holds up all connections', async () => {
    return (await waitingStatements()) === limits.readConnections
  })
  return { outcomes }
}

// Once all connections have prepared the statement, each execution waits on its own.
for (let i = 0; i < limits.readConnections; i += 1) await listOf(attacker, documents)

/** A list that no lock concerns. */
const listPayments = async (): Promise<void> => {
  const { status } = await callApi(running, 'GET', '/v1/payments', { key: victim.key })
  assert.equal(status, 200)
}

/** PostgreSQL’s code for a statement that waited for its lock until lock_timeout. */
const waitedTooLong = '55P03'

/** Every statement is cancelled before it has waited too long, and so before the lock is gone. */
const assertCancelledInTime = (): void =>
  assert(!running.logLines.splice(0).join('').includes(waitedTooLong))

test('an abandoned list leaves the queue, and PostgreSQL cancels its statement', () =>
  withLockedDocuments(async () => {
    const hangUp = new AbortController()
    const { outcomes } = await attack(hangUp.signal)
    hangUp.abort()
    await outcomes
    const cancelled = 'PostgreSQL has cancelled what nobody waits for'
    await until(cancelled, async () => (await waitingStatements()) === 0)
    assertCancelledInTime()
    // Were others left in the queue, they would have their turns first.
    const again = new AbortController()
    const last = listOf(attacker, documents, again.signal).catch(() => {})
    const admitted = 'the next list has its turn, and nothing else runs'
    await until(admitted, async () => (await waitingStatements()) === 1)
    again.abort()
    await last
    await until(cancelled, async () => (await waitingStatements()) === 0)
  }))

test('abandoned lists do not hold up the lists of others', () =>
  withLockedDocuments(async () => {
    const hangUp = new AbortController()
    const { outcomes } = await attack(hangUp.signal)
    const payments = Array.from({ length: limits.readConnections }, () => listPayments())
    hangUp.abort()
    await Promise.all(payments)
    assertCancelledInTime()
    await outcomes
  }))

test('a list behind abandoned ones is sent again', async () => {
  const hangUp = new AbortController()
  let waiting: Promise<Response> | undefined
  await withLockedDocuments(async () => {
    const { outcomes } = await attack(hangUp.signal)
    waiting = listOf(victim, documents)
    hangUp.abort()
    await outcomes
    const alone = 'only the list of the victim waits'
    await until(alone, async () => (await waitingStatements()) === 1)
  })
  const response = await waiting!
  assert.equal(response.status, 200)
  assert.equal(((await response.json()) as { data: unknown[] }).data.length, 1)
})

test('an attacker that hangs up again and again does not hold up the lists of others', () =>
  withLockedDocuments(async () => {
    let isOver = false
    const attacks = Array.from({ length: 12 }, async () => {
      while (!isOver) await listOf(attacker, documents, AbortSignal.timeout(50)).catch(() => {})
    })
    await until('the attacker holds up all connections', async () => {
      return (await waitingStatements()) === limits.readConnections
    })
    try {
      for (let i = 0; i < 4; i += 1) await listPayments()
      assertCancelledInTime()
    } finally {
      isOver = true
      await Promise.all(attacks)
    }
  }))
