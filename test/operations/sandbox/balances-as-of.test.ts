/** Contract 11: `as_of` follows the organization's clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { type TestOrganization, anOrganization, connectPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startSandboxService } from '../../support/sandbox/sandbox-service.ts'

const { running, post, advance } = await startSandboxService()

const clock = async ({ key }: TestOrganization): Promise<string> =>
  (await callApi(running, 'GET', '/v1/sandbox/clock', { key })).body.now

const balancesAt = ({ key }: TestOrganization, asOf: string) =>
  callApi(running, 'GET', `/v1/treasury/balances?currency=EUR&as_of=${asOf}`, { key })

const available = async (organization: TestOrganization, asOf: string): Promise<number> => {
  const { body } = await balancesAt(organization, asOf)
  return Math.max(...body.data.map((balance: { posted: number }) => balance.posted))
}

const later = (time: string, days: number): string =>
  new Date(Date.parse(time) + days * 86_400_000).toISOString()

const aSandbox = async (): Promise<TestOrganization> => {
  const [one, demo] = [
    await anOrganization(running),
    await anOrganization(running, { isDemo: true }),
  ]
  return (await connectPair(running, one, demo)).issuer
}

test('balances are those that the clock showed at a time, also of one that ran ahead', async () => {
  const one = await aSandbox()
  await post(one.key, '/topup', { currency: 'EUR', amount: 1 })
  const first = await clock(one)
  const start = await available(one, first)
  await advance(one, 'P10D')
  await post(one.key, '/topup', { currency: 'EUR', amount: 20 })
  const second = await clock(one)
  await advance(one, 'P10D')
  await post(one.key, '/topup', { currency: 'EUR', amount: 300 })
  const third = await clock(one)
  for (const [time, more] of [
    [first, 0],
    [later(first, 5), 0],
    [second, 20],
    [later(second, 5), 20],
    [third, 320],
  ] as const) {
    assert.equal(await available(one, time), start + more, time)
  }
})

test('a date means the end of that day by the clock, and today means now', async () => {
  const one = await aSandbox()
  await advance(one, 'P10D')
  await post(one.key, '/topup', { currency: 'EUR', amount: 20 })
  const now = await clock(one)
  const today = (await balancesAt(one, now.slice(0, 10))).body.data
  assert(today[0].as_of >= now && today[0].as_of.slice(0, 10) === now.slice(0, 10))
  const dayBefore = later(now, -1).slice(0, 10)
  const posted = Math.max(...today.map((balance: { posted: number }) => balance.posted))
  assert.equal(await available(one, dayBefore), posted - 20)
  assert.equal((await balancesAt(one, dayBefore)).body.data[0].as_of, `${dayBefore}T23:59:59.999Z`)
})

test('a time that the clock has not reached is refused', async () => {
  const one = await aSandbox()
  await advance(one, 'P10D')
  const reply = await balancesAt(one, later(await clock(one), 1))
  assertRefused(reply, 'invalid_request')
  assert.equal(reply.body.error.details.errors[0].param, 'as_of')
})

test('without as_of the balance is of the clock’s time', async () => {
  const one = await aSandbox()
  await advance(one, 'P10D')
  const before = await clock(one)
  const { body } = await callApi(running, 'GET', '/v1/treasury/balances', { key: one.key })
  assert(body.data[0].as_of >= before)
})

test('when the clock of the database goes back, a later and shorter advance is no false one', async () => {
  const one = await aSandbox()
  await post(one.key, '/topup', { currency: 'EUR', amount: 1 })
  const balance = await available(one, await clock(one))
  await advance(one, 'P10D')
  // As if the advance had been made before the clock went back by an hour.
  await running.database.run(sql`
    update clock_advances set advanced_at = advanced_at + interval '1 hour',
      clock_at = clock_at + interval '1 hour' where organization_id = ${one.uuid}`)
  await sealRows(running.database, 'clock_advances')
  await advance(one, 'PT60S')
  const now = await clock(one)
  for (const time of [now, later(now, -1), later(now, -11)]) {
    const reply = await balancesAt(one, time)
    assert.equal(reply.status, 200, reply.text)
  }
  assert.equal(await available(one, now), balance)
})

test('an advance that was deleted or changed in the database is noticed', async () => {
  for (const tamper of [
    sql`delete from clock_advances where organization_id = `,
    sql`update clock_advances set clock_at = clock_at + interval '1 year' where organization_id = `,
    sql`update clock_advances set advanced_at = now() where organization_id = `,
  ]) {
    const one = await aSandbox()
    await advance(one, 'P10D')
    const time = await clock(one)
    await running.database.run(sql`${tamper} ${one.uuid}`)
    assertRefused(await balancesAt(one, time), 'integrity_failure')
  }
})
