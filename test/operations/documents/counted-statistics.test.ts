/** Statistics of states, loans and calls (contract 12, console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKey, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { until } from '../../support/until.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

const statistics = (key: string, query: string): Promise<Reply> =>
  callApi(running, 'GET', `/v1/statistics?metric=${query}`, { key })

type Count = { start: string | null; group: string; bucket: string | null; count: number } & {
  duration_ms: { median: number; p95: number } | null
}

describe('contract 12: the time that documents stay in a state', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const invoice = await anInvoice(running, pair)
  assert.equal((await move(running, counterparty.key, invoice.id, 'approved')).status, 200)

  test('it counts the states that were left, and the draft only for its issuer', async () => {
    for (const [{ key }, group, left] of [
      [issuer, 'issued', ['draft', 'submitted']],
      [counterparty, 'received', ['submitted']],
    ] as const) {
      const { counts, points, is_complete } = (await statistics(key, 'time_in_status')).body
      assert.deepEqual([points, is_complete], [[], true])
      assert.deepEqual(
        counts.map(({ bucket }: Count) => bucket),
        left,
      )
      for (const one of counts as Count[]) {
        assert.deepEqual([one.group, one.start, one.count], [group, null, 1])
        assert(one.duration_ms!.median >= 0 && one.duration_ms!.median < 60_000)
        assert.equal(one.duration_ms!.p95, one.duration_ms!.median)
      }
    }
  })

  test('an erasure changes nothing of it, and no state begins with it', async () => {
    const counted = async (): Promise<Count[]> =>
      (await statistics(issuer.key, 'time_in_status')).body.counts
    const before = await counted()
    const { context } = running.service
    await context.database.transaction((tx) =>
      eraseContent(tx, decodeId('doc', invoice.id)!, context),
    )
    assert.deepEqual(await counted(), before)
    assert.equal((await move(running, counterparty.key, invoice.id, 'disputed')).status, 200)
    const path = `/v1/documents/${invoice.id}/history`
    const { entries } = (await callApi(running, 'GET', path, { key: issuer.key })).body
    const reached = (status: string): number =>
      Date.parse(entries.find((one: { to_status: string }) => one.to_status === status).at)
    const approved = (await counted()).find(({ bucket }) => bucket === 'approved')!
    assert.equal(approved.duration_ms!.median, reached('disputed') - reached('approved'))
  })

  test('a history that was changed in the database is withheld', async () => {
    const id = decodeId('doc', invoice.id)!
    await running.database.run(sql`set session_replication_role = replica`)
    const set = (by: string) =>
      running.database.run(sql`
        update prov_event set at = at + ${by}::interval where document_id = ${id} and seq = 2`)
    await set('-3 days')
    try {
      const reply = await statistics(issuer.key, 'time_in_status')
      assert.equal(reply.body.error.code, 'integrity_failure', reply.text)
    } finally {
      await set('3 days')
      await running.database.run(sql`set session_replication_role = default`)
    }
    assert.equal((await statistics(issuer.key, 'time_in_status')).status, 200)
  })

  test('it needs provenance:read', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const details = assertRefused(await statistics(secret, 'time_in_status'), 'insufficient_scope')
    assert.deepEqual(details.required_scopes, ['documents:read', 'provenance:read'])
  })
})

describe('contract 12: loans', async () => {
  const parties = await loanParties(running)
  const loans = loansClient(running)
  const loan = await loans.funded(parties)

  test('both sides see what is open of a loan and the sweep that is expected', async () => {
    for (const [{ key }, group, sweep] of [
      [parties.borrower, 'borrowed', 'sweep_out'],
      [parties.lender, 'lent', 'sweep_in'],
    ] as const) {
      const { points, counts } = (await statistics(key, 'loans')).body
      assert.deepEqual(counts, [])
      const amountOf = (bucket: string) =>
        points.find(
          (one: Record<string, unknown>) => one['group'] === group && one['bucket'] === bucket,
        )?.amount
      assert.deepEqual(['principal', 'fee', 'repaid', 'owed'].map(amountOf), [
        10_000,
        250,
        undefined,
        10_250,
      ])
      const [expected] = points.filter((one: Record<string, unknown>) => one['group'] === sweep)
      assert.equal(expected.amount, 10_250)
      assert.match(expected.start, /^\d{4}-\d{2}-\d{2}$/)
    }
  })

  test('what the borrower is repaying is owed, and no sweep of it is expected', async () => {
    const slowly = { source_account_id: 'acct_test_stuck' }
    const { borrower, lender } = parties
    await loans.posted(borrower.key, `/v1/finance/agreements/${loan.id}/repayment`, slowly)
    for (const { key } of [borrower, lender]) {
      const points: Record<string, unknown>[] = (await statistics(key, 'loans')).body.points
      assert.deepEqual(
        points.map(({ bucket, amount }) => [bucket, amount]),
        [
          ['fee', 250],
          ['owed', 10_250],
          ['principal', 10_000],
        ],
      )
    }
  })

  test('an organization without loans has none', async () => {
    assert.deepEqual((await statistics(parties.debtor.key, 'loans')).body.points, [])
  })
})

describe('contract 12: calls', async () => {
  const { issuer } = await aPair(running)
  await callApi(running, 'GET', '/v1/documents', { key: issuer.key })
  const refusedAt = new Date()
  await callApi(running, 'GET', '/v1/documents?stauts=paid', { key: issuer.key })
  const count = async (): Promise<Count[]> => {
    const reply = await statistics(issuer.session, 'requests&interval=day')
    assert.equal(reply.status, 200, reply.text)
    return reply.body.counts
  }

  test('they are counted by status class and by error code, and the log finds them', async () => {
    let counts: Count[] = []
    const refused = () =>
      counts.find(({ group, bucket }) => group === 'refused' && bucket === 'invalid_request')
    await until('the refused call is counted', async () => {
      counts = await count()
      return refused() !== undefined
    })
    assert.equal(refused()!.count, 1)
    const today = refusedAt.toISOString().slice(0, 10)
    const ofDay = counts.filter(({ group, start }) => group === 'answered' && start === today)
    const all = ofDay.find(({ bucket }) => bucket === null)!
    const classes = ofDay.filter(({ bucket }) => bucket !== null)
    assert.equal(
      classes.reduce((sum, one) => sum + one.count, 0),
      all.count,
    )
    assert(all.duration_ms!.p95 >= all.duration_ms!.median)
    const found = async (more: string) =>
      (await callApi(running, 'GET', `/v1/requests?${more}`, { key: issuer.session })).body.data
    assert.equal((await found('error_code=invalid_request')).length, 1)
    assert.equal((await found(`error_code=invalid_request&until=${today}`)).length, 1)
    assert.equal((await found('until=2020-01-01')).length, 0)
    assert.equal((await found('error_code=conflict')).length, 0)
  })

  test('replays are counted among them, and the log finds these', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const body = { name: 'Thursday', list: 'requests', query: 'status=409' }
    const replies = []
    for (let i = 0; i < 3; i += 1)
      replies.push(
        await callApi(running, 'POST', '/v1/saved_views', { key: issuer.session, body, headers }),
      )
    assert.deepEqual(
      replies.map((reply) => reply.headers.get('idempotent-replay')),
      [null, 'true', 'true'],
    )
    const replays = async () => (await count()).find(({ group }) => group === 'replayed')
    await until('both replays are counted', async () => (await replays())?.count === 2)
    const { bucket, duration_ms, start } = (await replays())!
    const day = replies[0]!.body.created_at.slice(0, 10)
    assert.deepEqual([bucket, duration_ms, start], [null, null, day])
    const found = async (replayed: boolean): Promise<string[]> => {
      const path = `/v1/requests?path=/v1/saved_views&replayed=${replayed}`
      const { data } = (await callApi(running, 'GET', path, { key: issuer.session })).body
      return data.map(({ id }: { id: string }) => id)
    }
    const ids = replies.map((reply) => reply.headers.get('request-id'))
    assert.deepEqual(await found(true), [ids[2], ids[1]])
    assert.deepEqual(await found(false), [ids[0]])
  })

  test('a key does not see them', async () => {
    assertRefused(await statistics(issuer.key, 'requests'), 'insufficient_scope')
  })
})
