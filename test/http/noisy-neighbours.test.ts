/** One organization that asks for as much as it can does not hold up another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TObject } from 'typebox'
import { workClasses } from '../../src/contract/work-classes.ts'
import { sql } from '../../src/database/sql.ts'
import { operations } from '../../src/operations/index.ts'
import { workClassOf } from '../../src/operations/operation.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aKey, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

// Without tasks, which read histories as well.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database, databaseUrl } = running
const { heavy } = workClasses

/** Verified reads hang while somebody else holds the signed heads. */
const withLockedHeads = async (work: () => Promise<void>): Promise<void> => {
  const locker = await openTestConnection(databaseUrl, 'test locker')
  await locker.script('begin; lock table head_note in access exclusive mode')
  try {
    await work()
  } finally {
    await locker.script('rollback')
    await locker.close()
  }
}

const hangingStatements = async (): Promise<number> => {
  const [row] = await database.rows<{ count: bigint }>(sql`
    select count(*) as count from pg_stat_activity
    where application_name = 'docex heavy' and state = 'active'`)
  return Number(row!.count)
}

const exportOf = (id: string, key: string, hangUp: AbortSignal) =>
  fetch(`${running.baseUrl}/v1/documents/${id}/export`, {
    headers: { authorization: `Bearer ${key}` },
    signal: hangUp,
  })

test('heavy reads that hang delay neither credentials, nor other reads, nor the heavy reads of others', async () => {
  const [attacker, victim] = [await aPair(running), await aPair(running)]
  const [theirs, ours] = [await aDraft(running, attacker), await aDraft(running, victim)]
  const stolen = await aKey(running, victim.issuer, ['documents:read'])
  const hangUp = new AbortController()
  await withLockedHeads(async () => {
    const allowed = heavy.runningPerOrganization + heavy.waitingPerOrganization
    const pending = Array.from({ length: allowed }, () =>
      exportOf(theirs.id, attacker.issuer.key, hangUp.signal),
    )
    const outcomes = Promise.allSettled(pending)
    await until('the attacker has its share of connections', async () => {
      return (await hangingStatements()) === heavy.runningPerOrganization
    })
    // Its queue is full, so a further one is refused at once.
    const refused = await exportOf(theirs.id, attacker.issuer.key, hangUp.signal)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '1')

    const { session, key } = victim.issuer
    const revoked = await callApi(running, 'POST', `/v1/keys/${stolen.keyId}/revoke`, {
      key: session,
    })
    assert.equal(revoked.status, 200)
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: stolen.secret })).status, 401)
    for (const path of ['/v1/me', '/v1/documents', `/v1/documents/${ours.id}`, '/v1/payments']) {
      assert.equal((await callApi(running, 'GET', path, { key })).status, 200, path)
    }
    const second = exportOf(ours.id, key, hangUp.signal)
    await until('the victim has a connection of its own', async () => {
      return (await hangingStatements()) === heavy.runningPerOrganization + 1
    })

    hangUp.abort()
    await Promise.allSettled([outcomes, second])
    await until('PostgreSQL has cancelled what nobody waits for', async () => {
      return (await hangingStatements()) === 0
    })
  })
  // The connections that were given up are replaced.
  const again = await exportOf(ours.id, victim.issuer.key, AbortSignal.timeout(60_000))
  assert.equal(again.status, 200)
  assert(!running.logLines.some((line) => line.includes('internal_error')))
})

test('statistics that hang delay neither the reads of others nor their statistics', async () => {
  const [attacker, victim] = [await aPair(running), await aPair(running)]
  const ours = await aDraft(running, victim)
  const hangUp = new AbortController()
  const { signal } = hangUp
  const ask = () =>
    fetch(`${running.baseUrl}/v1/statistics?metric=cash_flow`, {
      headers: { authorization: `Bearer ${attacker.issuer.key}` },
      signal,
    })
  const locker = await openTestConnection(databaseUrl, 'test locker')
  await locker.script('begin; lock table payments in access exclusive mode')
  const allowed = heavy.runningPerOrganization + heavy.waitingPerOrganization
  const outcomes = Promise.allSettled(Array.from({ length: allowed }, ask))
  await until('the attacker has its share of connections', async () => {
    return (await hangingStatements()) === heavy.runningPerOrganization
  })
  assert.equal((await ask()).status, 503)
  const { key } = victim.issuer
  for (const path of [`documents/${ours.id}`, 'documents', 'statistics?metric=documents']) {
    assert.equal((await callApi(running, 'GET', `/v1/${path}`, { key })).status, 200, path)
  }
  hangUp.abort()
  await outcomes
  await locker.script('rollback')
  await locker.close()
})

test('every list has a turn, and no batched write needs one', () => {
  const input = { params: {}, query: {}, body: undefined } as never
  for (const operation of operations) {
    const hasPages = 'cursor' in ((operation.query as TObject | undefined)?.properties ?? {})
    const workClass = workClassOf(operation, input)
    if (hasPages) assert(workClass === 'lists' || workClass === 'heavy', operation.id)
    if (operation.handler.kind === 'decides') assert.equal(workClass, undefined, operation.id)
  }
})
