/**
 * Lists share pipelined connections (docs/decisions/0045). Those whose caller has hung up hold
 * nobody up, neither in our queue nor in PostgreSQL.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { workClasses } from '../../src/contract/work-classes.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { type TestOrganization, aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const attacker = (await aPair(running)).issuer
const pair = await aPair(running)
const victim = pair.issuer
await anInvoice(running, pair)

const locker = await Connection.open(running.databaseUrl, 'test locker')
after(() => locker.close())

/** Lists of documents wait for as long as `work` takes; those of payments do not. */
const withLockedDocuments = async (work: () => Promise<void>): Promise<void> => {
  await locker.script('begin; lock table documents in access exclusive mode')
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

/** How long the victim waits for a list that no lock concerns. */
const timedPayments = async (): Promise<number> => {
  const startedAt = performance.now()
  const { status } = await callApi(running, 'GET', '/v1/payments', { key: victim.key })
  assert.equal(status, 200)
  return performance.now() - startedAt
}

/** Less than one statement waits for its lock; whoever is behind several waits longer than that. */
const soonMs = limits.lockTimeoutMs * 0.75

test('an abandoned list leaves the queue, and PostgreSQL cancels its statement', () =>
  withLockedDocuments(async () => {
    const hangUp = new AbortController()
    const { outcomes } = await attack(hangUp.signal)
    hangUp.abort()
    await outcomes
    const cancelled = 'PostgreSQL has cancelled what nobody waits for'
    await until(cancelled, async () => (await waitingStatements()) === 0, soonMs)
    // Were others left in the queue, they would have their turns first.
    const again = new AbortController()
    const last = listOf(attacker, documents, again.signal).catch(() => {})
    const admitted = 'the next list has its turn, and nothing else runs'
    await until(admitted, async () => (await waitingStatements()) === 1, soonMs)
    again.abort()
    await last
    await until(cancelled, async () => (await waitingStatements()) === 0, soonMs)
  }))

test('abandoned lists do not hold up the lists of others', () =>
  withLockedDocuments(async () => {
    const hangUp = new AbortController()
    const { outcomes } = await attack(hangUp.signal)
    const payments = Array.from({ length: limits.readConnections }, () => timedPayments())
    hangUp.abort()
    for (const heldUpMs of await Promise.all(payments)) {
      assert(heldUpMs < soonMs, `held up for ${heldUpMs} ms`)
    }
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
    await until(alone, async () => (await waitingStatements()) === 1, soonMs)
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
      for (let i = 0; i < 4; i += 1) {
        const heldUpMs = await timedPayments()
        // It may meet lists that are not abandoned yet, and be sent again more than once.
        assert(heldUpMs < 2 * soonMs, `held up for ${heldUpMs} ms`)
      }
    } finally {
      isOver = true
      await Promise.all(attacks)
    }
  }))
