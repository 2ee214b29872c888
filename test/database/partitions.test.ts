/** Tables whose rows expire are partitioned by week, and expire by dropping a week. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { firstUuidAt } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { sql } from '../../src/database/sql.ts'
import { dropExpiredPartitions, preparePartitions } from '../../src/store/partitions.ts'
import { purgeExpired } from '../../src/tasks/purge-expired.ts'
import { startTestService } from '../support/test-service.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

// An API runs no tasks: rounds are those of the tests.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running
const { context } = running.service
const asService = context.database.background

const dayMs = 86_400_000
const tables = ['events', 'webhook_delivery', 'webhook_attempt', 'requests'] as const
type Table = (typeof tables)[number]

/** The Monday of the week that is so many weeks from now, in UTC. */
const mondayIn = (weeks: number): Date => {
  const monday = new Date(new Date().setUTCHours(0, 0, 0, 0))
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7) + weeks * 7)
  return monday
}

const partitionOf = (table: Table, weeks: number): string =>
  `${table}_${mondayIn(weeks).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Creates the partitions of a past week, as they were when that week was to come. */
const createPastWeek = async (weeks: number): Promise<void> => {
  const [start, end] = [weeks, weeks + 1].map((at) => firstUuidAt(mondayIn(at).getTime()))
  for (const table of tables) {
    const name = partitionOf(table, weeks)
    await database.script(`
      create table ${name} (like ${table}_default including all);
      alter table ${table} attach partition ${name} for values from ('${start}') to ('${end}')`)
  }
}

const partitionsOf = async (table: Table): Promise<string[]> => {
  const rows = await database.rows<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = ${table}::regclass order by 1`)
  return rows.map(({ name }) => name)
}

/** A row of each table, written at a time. */
const insertRows = async (at: Date, recoveredAt = at): Promise<string> => {
  const id = newId(at.getTime())
  await database.run(sql`
    insert into events select ${newId()}, 1, ${id}, ${newId()}, 1, 'document.created', ${at}, 1, '', ''`)
  await database.run(sql`
    insert into webhook_delivery (id, webhook_id, organization_id, event_id, event_type, feed,
      status, created_at, finished_at)
    values (delivery_id_of(${id}, ${id}), ${id}, ${id}, ${id}, 'document.created', 1, 'succeeded',
      ${recoveredAt}, ${recoveredAt})`)
  await database.run(sql`
    insert into webhook_attempt (delivery_id, number, at, duration_ms)
    values (delivery_id_of(${id}, ${id}), 1, ${recoveredAt}, 1)`)
  await database.run(sql`
    insert into requests (organization_id, id, method, path, status, duration_ms)
    values (${id}, ${id}, 'GET', '/v1/me', 200, 1)`)
  return id
}

/** Where the rows of `insertRows` are now, by table. */
const placesOf = async (id: string): Promise<Partial<Record<Table, string>>> => {
  const rows = await database.rows<{ name: Table; place: string }>(sql`
    select 'events' as name, tableoid::regclass::text as place from events where id = ${id}
    union all select 'webhook_delivery', tableoid::regclass::text from webhook_delivery
      where id = delivery_id_of(${id}, ${id})
    union all select 'webhook_attempt', tableoid::regclass::text from webhook_attempt
      where delivery_id = delivery_id_of(${id}, ${id})
    union all select 'requests', tableoid::regclass::text from requests where id = ${id}`)
  return Object.fromEntries(rows.map(({ name, place }) => [name, place]))
}

const inPartitions = (weeks: number) =>
  Object.fromEntries(tables.map((table) => [table, partitionOf(table, weeks)]))
const inDefault = Object.fromEntries(tables.map((table) => [table, `${table}_default`]))

const purgeAll = async (): Promise<void> => {
  while (await purgeExpired.run(context));
}

describe('partitions are prepared', () => {
  test('this week and the next three have a partition, from the first start on', async () => {
    for (const table of tables) {
      const weeks = [0, 1, 2, 3].map((week) => partitionOf(table, week))
      assert.deepEqual(await partitionsOf(table), [...weeks, `${table}_default`])
    }
    assert.equal(await preparePartitions(asService), false)
  })

  test('the service prepares a missing one, with the indexes and options of the others', async () => {
    const shapeOf = (name: string) =>
      database.rows(sql`
        select c.reloptions, (
          select jsonb_agg(replace(indexdef, ${name.slice(-8)}, '') order by indexdef)
          from pg_indexes where tablename = c.relname) as indexes
        from pg_class c where c.oid = ${name}::regclass`)
    for (const table of tables) {
      const [other, missing] = [partitionOf(table, 2), partitionOf(table, 3)]
      await database.script(`drop table ${missing}`)
      assert.equal(await preparePartitions(asService), true)
      assert.deepEqual(await shapeOf(missing), await shapeOf(other))
    }
  })

  test('a row lands in its week, and in the default partition if there is none', async () => {
    const nextMonday = mondayIn(1).getTime()
    assert.deepEqual(await placesOf(await insertRows(new Date())), inPartitions(0))
    assert.deepEqual(await placesOf(await insertRows(new Date(nextMonday - 1))), inPartitions(0))
    assert.deepEqual(await placesOf(await insertRows(new Date(nextMonday))), inPartitions(1))
    assert.deepEqual(await placesOf(await insertRows(mondayIn(4))), inDefault)
  })

  test('a week with rows in the default partition keeps them there, and others are prepared', async () => {
    for (const table of tables) {
      await database.script(`drop table ${partitionOf(table, 2)}, ${partitionOf(table, 3)}`)
    }
    const id = await insertRows(new Date(mondayIn(2).getTime() + 1))
    await purgeAll()
    assert.deepEqual(await placesOf(id), inDefault)
    for (const table of tables) {
      const names = await partitionsOf(table)
      assert(names.includes(partitionOf(table, 3)) && !names.includes(partitionOf(table, 2)))
    }
  })

  test('a feed position is unique in a week', async () => {
    const organization = newId()
    const insert = () =>
      database.run(sql`
        insert into events values
          (${organization}, 1, ${newId()}, ${newId()}, 1, 'document.created', now(), 1, '', '')`)
    await insert()
    await assert.rejects(insert, { code: '23505' })
  })
})

describe('a week expires', () => {
  test('the database stores rows for as long as limits.ts says', async () => {
    const rows = await database.rows<{ name: string; storage_days: number }>(
      sql`select * from partitioned_tables()`,
    )
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.storage_days])), {
      events: limits.eventStorageDays,
      webhook_delivery: limits.eventStorageDays,
      webhook_attempt: limits.eventStorageDays,
      requests: limits.requestRetentionDays,
    })
    for (const at of [new Date(), mondayIn(-9)]) {
      const [row] = await database.rows<{ id: string }>(sql`select first_uuid_at(${at}) as id`)
      assert.equal(row!.id, firstUuidAt(at.getTime()))
    }
  })

  test('a round drops a week whose last row has expired, and keeps a younger week', async () => {
    for (const week of [-6, -4]) await createPastWeek(week)
    const expired = await insertRows(new Date(mondayIn(-5).getTime() - 1))
    const kept = await insertRows(new Date(mondayIn(-4).getTime() + 1))
    assert.deepEqual(await placesOf(expired), inPartitions(-6))
    await purgeAll()
    assert.deepEqual(await placesOf(expired), {})
    assert.deepEqual(await placesOf(kept), inPartitions(-4))
    for (const table of tables) {
      const names = await partitionsOf(table)
      assert(!names.includes(partitionOf(table, -6)) && names.includes(partitionOf(table, -4)))
    }
  })

  test('a recovered delivery is younger than its event: its week waits, and other rows are deleted', async () => {
    await createPastWeek(-6)
    const at = mondayIn(-6)
    const expired = await insertRows(at)
    const recovered = await insertRows(at, new Date(Date.now() - 29 * dayMs))
    await purgeAll()
    assert.deepEqual(await placesOf(expired), {})
    const { webhook_delivery, webhook_attempt } = inPartitions(-6)
    assert.deepEqual(await placesOf(recovered), { webhook_delivery, webhook_attempt })
    await database.run(sql`
      update webhook_delivery set created_at = now() - interval '31 days 1 second'
      where webhook_id = ${recovered}`)
    await purgeAll()
    assert.deepEqual(await placesOf(recovered), {})
    assert(!(await partitionsOf('webhook_attempt')).includes(partitionOf('webhook_attempt', -6)))
  })

  test('expired rows of the default partition are deleted', async () => {
    const expired = await insertRows(new Date(mondayIn(-5).getTime() - 1))
    const future = await insertRows(mondayIn(5))
    assert.deepEqual(await placesOf(expired), inDefault)
    await purgeAll()
    assert.deepEqual(await placesOf(expired), {})
    assert.deepEqual(await placesOf(future), inDefault)
  })

  test('a week in use is dropped in a later round, and other tables meanwhile', async () => {
    await createPastWeek(-6)
    const reader = await openTestConnection(serviceRoleUrl(running.databaseUrl), 'docex test')
    await reader.run(sql`begin`)
    await reader.rows(sql`select 1 from events where id = ${newId()}`)
    for (const table of tables.slice(1)) {
      assert.equal(await dropExpiredPartitions(asService), true, table)
    }
    assert.equal(await dropExpiredPartitions(asService), false)
    await reader.run(sql`commit`)
    await reader.close()
    assert.equal(await dropExpiredPartitions(asService), true)
    assert.equal(await dropExpiredPartitions(asService), false)
  })
})
