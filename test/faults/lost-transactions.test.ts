/**
 * Decision 0132: after a failover that has lost the newest transactions, their numbers and the
 * places of their rows are given out again. A row that was lost is not believed for the new one.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ServerKeys } from '../../src/core/server-keys.ts'
import { openRowSeals } from '../../src/database/row-seals.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { openKeyCallers } from '../../src/http/admission/key-callers.ts'
import { changeOrganization } from '../../src/store/identity/organizations.ts'
import { copyServerTemplate, migratedDatabase } from '../support/database/server-template.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { anOrganization } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const seals = openRowSeals(ServerKeys.only(randomBytes(32)))

/** Starts PostgreSQL on the folder, for as long as the work takes. */
const onServer = async (
  dataDir: string,
  work: (database: Connection) => Promise<void>,
): Promise<void> => {
  const { url, stop } = await startCluster({ dataDir, sync: false })
  try {
    const database = await openTestConnection(
      url.replace('/docex', `/${migratedDatabase}`),
      'docex test',
      { seals },
    )
    await work(database)
    await database.close()
  } finally {
    await stop()
  }
}

test('a caller that was lost is not taken for the one with the same place and transaction', async () => {
  const primary = await copyServerTemplate()
  const standby = temporaryFolder()
  let organization: Awaited<ReturnType<typeof anOrganization>>
  await onServer(primary, async (database) => {
    organization = await anOrganization({ database }, { verified: false })
  })
  execFileSync('cp', ['-a', `${primary}/.`, standby])

  let database: Connection
  const find = openKeyCallers(
    {
      seals,
      row: (query) => database.row(query),
      rows: (query) => database.rows(query),
      run: (query) => database.run(query),
    },
    (caller) => caller.organization,
  )
  const found = () => find(seals.credentialMac(organization.key), () => false)
  const changed = async (set: Parameters<typeof changeOrganization>[2]): Promise<string> => {
    await inTransaction(database, (tx) => changeOrganization(tx, organization.uuid, set))
    const row = await database.row<{ version: string }>(sql`
      select concat_ws(' ', ctid, xmin) as version from organizations
      where id = ${organization.uuid}`)
    return row!.version
  }
  let lost = ''
  await onServer(primary, async (current) => {
    database = current
    lost = await changed({ verified_at: '2026-12-01T00:00:00.000Z' })
    assert.notEqual((await found())!.verified_at, null)
  })
  await onServer(standby, async (current) => {
    database = current
    assert.equal(await changed({ profile_digest: null }), lost)
    assert.equal((await found())!.verified_at, null)
  })
})
