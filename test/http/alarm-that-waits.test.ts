/** Provenance 8: whoever meets a false row is answered, also if the alarm cannot be raised now. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { callApi } from '../support/api-client.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { inTime } from '../support/until.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()

test('while the document of a false row is locked, reads of it are refused with 503', async () => {
  const pair = await aPair(running)
  const draft = await aDraft(running, pair)
  const id = decodeId('doc', draft.id)!
  await running.database.run(sql`update documents set total = total + 1 where id = ${id}`)
  const codeOf = async (path: string): Promise<[number, string]> => {
    const { key } = pair.issuer
    const reading = callApi(running, 'GET', path, { key })
    const { status, body } = await inTime(`${path} is answered`, reading)
    return [status, body.error.code]
  }
  const paths = ['/v1/documents', `/v1/documents/${draft.id}`]
  const holder = await openTestConnection(running.databaseUrl)
  await inTransaction(holder, async (tx) => {
    await tx.row(sql`select 1 from documents where id = ${id} for update`)
    for (const answered of await Promise.all(paths.map(codeOf))) {
      assert.deepEqual(answered, [503, 'service_unavailable'])
    }
  })
  await holder.close()
  for (const path of paths) assert.deepEqual(await codeOf(path), [500, 'integrity_failure'])
})
