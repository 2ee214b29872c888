/** The service writes rows as a role that owns nothing; only its operator has the owner's URL. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { SandboxFile } from '../../src/startup/practice-organizations.ts'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { Connection, raw, sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { launchProgram, readyAddress } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { listen } from '../support/webhooks/receiver.ts'

const { url } = await testDatabase()
const service = await Connection.open(serviceRoleUrl(url), 'docex test')
after(() => service.close())

const forbidden = [
  'create table mine (id integer)',
  'create temporary table mine (id integer)',
  'create schema mine',
  'create function mine() returns integer language sql return 1',
  'alter table documents add column mine text',
  'alter table prov_event disable trigger user',
  'drop index webhook_delivery_by_age',
  'create table mine partition of events default',
  'alter table events detach partition events_default',
  'drop table events_default',
  'truncate documents cascade',
  'create role mine superuser',
  'create database mine',
  'set session_replication_role = replica',
  'update migrations set name = name',
  "copy documents to program 'cat'",
  "select pg_read_file('postgresql.conf')",
]

for (const statement of forbidden) {
  test(`the role of the service may not: ${statement}`, async () => {
    await assert.rejects(service.run(sql`${raw(statement)}`), { code: '42501' })
  })
}

test('the role of the service reads and writes the rows of every table, but not its migrations', async () => {
  const tables = await service.rows<{ name: string; writes: boolean }>(sql`
    select c.relname as name, has_table_privilege(c.oid, 'select') and
      has_table_privilege(c.oid, 'insert') and has_table_privilege(c.oid, 'update') and
      has_table_privilege(c.oid, 'delete') as writes
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`)
  assert(tables.length > 30)
  const withheld = tables.filter(({ writes }) => !writes)
  assert.deepEqual(
    withheld.map(({ name }) => name),
    ['migrations'],
  )
})

test('npm start connects as that role, sandbox.json has the URL of the owner, and local receivers work', async () => {
  const dataDir = temporaryFolder()
  const program = launchProgram({ DATA_DIR: dataDir })
  const baseUrl = await readyAddress(program)
  const text = await readFile(join(dataDir, 'sandbox.json'), 'utf8')
  const { database_url: ownerUrl, organization } = JSON.parse(text) as SandboxFile
  const owner = await Connection.open(ownerUrl, 'outside')
  const [self] = await owner.rows<{ isSuperuser: boolean }>(
    sql`select usesuper as "isSuperuser" from pg_user where usename = current_user`,
  )
  assert.equal(self!.isSuperuser, true)
  const sessions = await owner.rows<{ usename: string; count: number }>(sql`
    select usename, count(*)::integer as count from pg_stat_activity
    where application_name like 'docex %' group by usename`)
  await owner.close()
  assert.deepEqual(
    sessions.map(({ usename }) => usename),
    ['docex_service'],
  )
  assert(sessions[0]!.count > 5)
  // Contract 12: by default its sandbox reaches receivers on this machine.
  const port = await listen(createServer((_, response) => void response.end()))
  const key = organization.admin_session_token
  const body = { url: `http://localhost:${port}/hooks` }
  const { id } = (await callApi({ baseUrl }, 'POST', '/v1/webhooks', { key, body })).body
  const ping = await callApi({ baseUrl }, 'POST', `/v1/webhooks/${id}/ping`, { key })
  assert.deepEqual([ping.status, ping.body.response_status], [200, 200], ping.text)
  await program.stop()
})
