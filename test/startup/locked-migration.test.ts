/** A start whose migration finds a table locked for too long names the holder, and the remedy. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { lockedText } from '../../src/startup/open-transactions.ts'
import { lockingTransactions } from '../../src/store/server-keys.ts'
import { copyServerTemplate, migratedDatabase } from '../support/database/server-template.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

/** A server that allows prepared transactions. */
const startServer = async () => {
  const dataDir = await copyServerTemplate()
  const first = await startCluster({ dataDir, sync: false })
  const admin = await openTestConnection(first.url)
  await admin.script('alter system set max_prepared_transactions = 2')
  await admin.close()
  await first.stop()
  const { url, stop } = await startCluster({ dataDir, sync: false })
  return { url: url.replace('/docex', `/${migratedDatabase}`), stop }
}

const { url, stop } = await startServer()
const reader = await openTestConnection(url, 'psql')
const writer = await openTestConnection(url, 'backup "job"')
after(async () => {
  await Promise.all([reader, writer].map((connection) => connection.close()))
  await stop()
})

test('the oldest transaction that has read or locked a table is named, with the way to end it', async () => {
  await writer.script('begin; lock table organizations in row exclusive mode')
  await reader.script('begin; select from documents')
  const { pid } = (await writer.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  const text = await lockedText(url)
  assert.match(text, /^the migration waits for a lock, which the transaction of "backup \\"job\\""/)
  assert.match(text, new RegExp(`pid ${pid}, .*, begun 20.*pg_terminate_backend\\(${pid}\\);`))
  await writer.script('rollback')
  assert.match(await lockedText(url), /the transaction of "psql" \(pid \d+, idle in transaction/)
  await reader.script('rollback')
  assert.match(await lockedText(url), /another transaction may hold.*Look for it in pg_stat_activ/)
})

test('a prepared transaction is named by its own name, also to a rekey that waits for it', async () => {
  await writer.script(`
    begin; savepoint one; lock table organizations in row exclusive mode;
    prepare transaction 'nightly report'`)
  const text = await lockedText(url)
  assert.match(text, /the prepared transaction "nightly report", begun 20/)
  assert.match(text, /Commit it or roll it back \(pg_prepared_xacts\), and start again\.$/)
  const [holder] = await lockingTransactions(reader, 'organizations')
  assert.equal(holder!.name, 'nightly report')
  await writer.script(`rollback prepared 'nightly report'`)
})

test('the statement of the operators page names what a waiting statement waits for', async () => {
  const page = new URL('../../docs/operating/postgresql.md', import.meta.url)
  const [, statement] = /## Locks of others.*?```sql\n(.*?)```/s.exec(readFileSync(page, 'utf8'))!
  const observer = await openTestConnection(url, 'observer')
  await writer.script('begin; lock table organizations')
  const { pid } = (await writer.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  const waiting = reader.script('select from organizations')
  type Waiting = { query: string; pg_blocking_pids: string }
  const found = () => observer.rows<Waiting>({ texts: [statement!], values: [] })
  await until('it is found', async () => (await found()).length > 0)
  const [row] = await found()
  assert.equal(row!.query, 'select from organizations')
  assert.equal(row!.pg_blocking_pids, `{${pid}}`)
  await writer.script('rollback')
  await waiting
  await observer.close()
})
