/** What a start says of a connection pooler that does not give the service sessions of its own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { BadInput } from '../../scripts/admin/admin-command.ts'
import { openServiceDatabase } from '../../scripts/admin/service-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { withoutSeals } from '../../src/database/row-seals.ts'
import { sessionSettings } from '../../src/database/session-options.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { startPooler } from '../support/database/pooler.ts'
import { serverKey } from '../support/test-service.ts'

const { url } = await testDatabase()

test('a pooler that drops the settings of sessions stops the start, which names them', async () => {
  const pooler = await startPooler(url, 'drops settings')
  await assert.rejects(
    migrate(pooler),
    /A connection pooler drops settings .*search_path.*statement_timeout.*: connect to PostgreSQL/,
  )
})

test('a pooler in transaction mode stops the start, since its clients share sessions', async () => {
  const pooler = await startPooler(url, 'shares sessions')
  await assert.rejects(
    migrate(pooler),
    /A connection pooler shares sessions among the connections: connect to PostgreSQL itself/,
  )
})

test("behind such a pooler, an operator's command is refused as well", async () => {
  const databaseUrl = await startPooler(url, 'drops settings')
  const config = readConfig({ DATABASE_URL: databaseUrl, SERVER_KEY: serverKey })
  const service = { config, databaseUrl, isEmbedded: false, baseUrl: config.baseUrl }
  await assert.rejects(openServiceDatabase(service, withoutSeals), BadInput)
})

test('the operators page names every setting that a role behind a pooler needs', () => {
  const page = new URL('../../docs/operating/postgresql.md', import.meta.url)
  const commands = readFileSync(page, 'utf8').matchAll(/alter role docex set (\w+) = (.*);/g)
  const named = [...commands].map(([, name, value]) => [name, value!.replace(/[' ]/g, '')])
  const needed = Object.entries(sessionSettings)
  assert.deepEqual(
    named,
    needed.map(([name, value]) => [name, value.replace(' ', '')]),
  )
})
