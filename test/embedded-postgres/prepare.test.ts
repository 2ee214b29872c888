/** How the database of a new cluster is created, on a machine that answers late. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { prepareDatabase } from '../../src/embedded-postgres/bootstrap.ts'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { layoutOf, socketUrl } from '../../src/embedded-postgres/layout.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const dataDir = temporaryFolder()
const cluster = await startCluster({ dataDir, sync: false })
after(() => cluster.stop())
const port = Number(new URL(cluster.loopbackUrl).port)
const layout = layoutOf(dataDir)

test('attempts that find another one creating the database use what it creates', async () => {
  const admin = await openTestConnection(socketUrl(layout, port, 'postgres'))
  for (let round = 0; round < 3; round += 1) {
    await admin.script('drop database docex')
    const attempts = Array.from({ length: 4 }, () => prepareDatabase(layout, port))
    assert.equal(new Set(await Promise.all(attempts)).size, 1, 'all have the same password')
  }
  await admin.close()
  const database = await openTestConnection(cluster.url)
  await database.close()
})
