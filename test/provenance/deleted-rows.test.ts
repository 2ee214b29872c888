/**
 * Provenance 8: a row that was deleted in the database, and that no other row names, is missed: an
 * organization counts them (docs/decisions/0213).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { columnArray } from '../../src/database/binary-arrays.ts'
import type { SealedTable } from '../../src/database/row-seals.ts'
import { sql } from '../../src/database/sql.ts'
import { auditRows } from '../../src/tasks/audit-rows.ts'
import { countUncountedRows } from '../../src/tasks/count-rows.ts'
import { callApi } from '../support/api-client.ts'
import { aMember, aRule } from '../support/approvals/keys-that-ask.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { type TestOrganization, aPair, anOrganization } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { alarmsOfRound } from '../support/provenance/audit-alarms.ts'
import { asSuperuser, whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'

const receiver = await startReceiver()
const settings = { ...localReceiverSettings, PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' }
const running = await startTestService(settings)
const other = await running.startAnother()
const { database } = running

const callerOf =
  ({ session: key }: { session: string }) =>
  (method: string, path: string, body?: object, at = running) =>
    callApi(at, method, path, { key, ...(body === undefined ? {} : { body }) })

const alarms = () => alarmsOfRound(running, auditRows, { ...running.service.context })

const createKey = (name: string) => ({ name, scopes: ['documents:read'] })

interface Counted {
  table: SealedTable
  list: string
  /** Adds a row, which the condition finds. */
  add(owner: TestOrganization): Promise<string>
  /** Takes it away as the service does, or something beside it. */
  remove: readonly [method: string, path: (id: string) => string]
}

const counted: readonly Counted[] = [
  {
    table: 'keys',
    list: '/v1/keys',
    add: async (owner) => {
      const { body } = await callerOf(owner)('POST', '/v1/keys', createKey('Another'))
      return `id = '${decodeId('key', body.id)!}'`
    },
    remove: ['POST', (id) => `/v1/keys/${encodeId('key', id)}/rotate`],
  },
  {
    table: 'memberships',
    list: '/v1/members',
    add: async (owner) => `user_id = '${(await aMember(running, owner, 'viewer')).userId}'`,
    remove: ['DELETE', (id) => `/v1/members/${encodeId('usr', id)}`],
  },
  {
    table: 'webhook_endpoints',
    list: '/v1/webhooks',
    add: async (owner) => {
      const { body } = await callerOf(owner)('POST', '/v1/webhooks', { url: receiver.url })
      return `id = '${decodeId('whk', body.id)!}'`
    },
    remove: ['DELETE', (id) => `/v1/webhooks/${encodeId('whk', id)}`],
  },
]

for (const { table, list, add, remove } of counted) {
  describe(`rows of ${table}`, () => {
    test('are counted as they come and go, and nobody is alarmed', async () => {
      const owner = await anOrganization(running)
      const call = callerOf(owner)
      const id = (await add(owner)).split("'")[1]!
      const [method, pathOf] = remove
      const reply = await call(method, pathOf(id), method === 'POST' ? {} : undefined)
      assert(reply.status < 300, reply.text)
      await add(owner)
      assert.equal((await call('GET', list)).status, 200)
      assert.deepEqual(await alarms(), [])
    })

    test('are missed by their list and the auditor, whatever is added since', async () => {
      const owner = await anOrganization(running)
      const call = callerOf(owner)
      const condition = await add(owner)
      await asSuperuser(database, `delete from ${table} where ${condition}`)
      for (const isAdded of [false, true]) {
        if (isAdded) await add(owner)
        assertRefused(await call('GET', list), 'integrity_failure')
        const [alarm = '', ...others] = await alarms()
        assert.match(alarm, new RegExp(`${table} of ${owner.id}: a row is gone`))
        assert.deepEqual(others, [])
      }
      const command = ['organization', 'recount', owner.id]
      const { output } = await runAdminOnService(running, ...command)
      const [, now, before] = new RegExp(`${table}: (\\d+), was (\\d+)`).exec(output) ?? []
      assert.equal(Number(before) - Number(now), 1, output)
      assert.equal((await call('GET', list)).status, 200)
      assert.deepEqual(await alarms(), [])
    })
  })
}

test('a connection without documents is missed by the auditor, for both sides', async () => {
  const pair = await aPair(running)
  assert.deepEqual(await alarms(), [])
  const gone = `delete from connections where id = '${pair.connectionUuid}'`
  await whileTampered(database, 'connections', gone, async () => {
    const missed = (await alarms()).join('\n')
    for (const { id } of [pair.issuer, pair.counterparty])
      assert.match(missed, new RegExp(`connections of ${id}: a row is gone`))
  })
  assert.deepEqual(await alarms(), [])
})

test('keys that are created at once are all counted', async () => {
  const owner = await anOrganization(running)
  const call = callerOf(owner)
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      call('POST', '/v1/keys', createKey(`Key ${i}`), i % 2 === 0 ? running : other),
    ),
  )
  for (const { status, text } of replies) assert.equal(status, 201, text)
  const id = decodeId('key', replies[4]!.body.id)!
  await whileTampered(database, 'keys', `delete from keys where id = '${id}'`, async () =>
    assertRefused(await call('GET', '/v1/keys'), 'integrity_failure'),
  )
  assert.equal((await call('GET', '/v1/keys')).status, 200)
})

describe('an organization that an older version has created', () => {
  const withoutCounts = (...ids: string[]) =>
    runAndSeal(
      database,
      'organizations',
      sql`update organizations set row_versions = null where id = any(${columnArray('uuid', ids)})`,
    )

  test('counts its connections, too, where an older version has counted the rest', async () => {
    const { issuer, connectionUuid } = await aPair(running)
    await runAndSeal(
      database,
      'organizations',
      sql`update organizations
        set row_versions = '{"counts":{"keys":1,"memberships":1},"connections":0}'
        where id = ${issuer.uuid}`,
    )
    const context = { ...running.service.context }
    for (const _ of ['first', 'second']) await countUncountedRows.run(context)
    const gone = `delete from connections where id = '${connectionUuid}'`
    await whileTampered(database, 'connections', gone, async () => {
      assert.match((await alarms()).join('\n'), new RegExp(`connections of ${issuer.id}: a row`))
    })
  })

  const lists = { keys: '/v1/keys', approval_rule_sets: '/v1/approval_rules' }

  test('counts its rows from the second round of the task on', async () => {
    const owner = await anOrganization(running)
    const call = callerOf(owner)
    await aRule(running, owner.session)
    await runAndSeal(
      database,
      'approval_rule_sets',
      sql`update approval_rule_sets set version = null where organization_id = ${owner.uuid}`,
    )
    await withoutCounts(owner.uuid)
    const assertWithoutRows = async (status: number) => {
      for (const [table, list] of Object.entries(lists)) {
        const gone = `delete from ${table} where organization_id = '${owner.uuid}'`
        await whileTampered(database, table, gone, async () => {
          assert.equal((await call('GET', list)).status, status, list)
        })
      }
    }
    const context = { ...running.service.context }
    await countUncountedRows.run(context)
    await assertWithoutRows(200)
    await countUncountedRows.run(context)
    await assertWithoutRows(500)
    for (const list of Object.values(lists)) assert.equal((await call('GET', list)).status, 200)
    assert.deepEqual(await alarms(), [])
  })

  test('is not counted while its row is not as it was sealed, and keeps no other from it', async () => {
    const [broken, intact] = [await anOrganization(running), await anOrganization(running)]
    await withoutCounts(broken.uuid, intact.uuid)
    const context = { ...running.service.context }
    await countUncountedRows.run(context)
    await asSuperuser(database, `update organizations set name = 'X' where id = '${broken.uuid}'`)
    await countUncountedRows.run(context)
    const rows = await database.rows<{ id: string }>(sql`
      select id from organizations where row_versions like '%"counts"%'`)
    const ids = rows.map(({ id }) => id)
    assert.deepEqual([ids.includes(broken.uuid), ids.includes(intact.uuid)], [false, true])
  })
})
