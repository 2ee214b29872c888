/** The clock of a process may be wrong: what is kept for a time is kept by that of the database. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { hourMs } from '../../src/core/dates.ts'
import { decodeId } from '../../src/core/ids.ts'
import { databaseNow } from '../../src/database/database-clock.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { insertPendingFile } from '../../src/store/documents/pending-files.ts'
import { purgeExpired } from '../../src/tasks/purge-expired.ts'
import { purgeOrphanedFiles } from '../../src/tasks/purge-orphaned-files.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, aPair, exampleLine } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database, service } = running
const pair = await aPair(running)
const { key } = pair.issuer

/** What the clock of this process shows meanwhile is off by so much. */
const withClockOff = async <T>(hours: number, work: () => Promise<T>): Promise<T> => {
  const now = Date.now.bind(Date)
  const clock = mock.method(Date, 'now', () => now() + hours * hourMs)
  try {
    return await work()
  } finally {
    clock.mock.restore()
  }
}

test('specification 4.2: a response is replayed for 24 hours, and until then it is known', async () => {
  const headers = { 'idempotency-key': freshIdempotencyKey() }
  const line_items = [exampleLine]
  const body = { connection_id: pair.connection, document_type: 'invoice', line_items }
  const create = () => callApi(running, 'POST', '/v1/documents', { key, body, headers })
  const first = await create()
  const state = await withClockOff(25, async () => {
    await purgeExpired.run(service.context)
    return callApi(running, 'GET', `/v1/idempotency/${headers['idempotency-key']}`, { key })
  })
  assert.deepEqual([state.body.status, state.body.resource_id], ['succeeded', first.body.id])
  const second = await create()
  assert.deepEqual([second.text, second.headers.get('idempotent-replay')], [first.text, 'true'])
})

test('a file that is being attached is not taken for one that nobody has attached', async () => {
  const id = newId()
  const document_id = decodeId('doc', (await aDraft(running, pair)).id)!
  const row = { id, created_at: await databaseNow(database), document_id }
  await insertPendingFile(database, row)
  await withClockOff(2, () => purgeOrphanedFiles.run(service.context))
  const [pending] = await database.rows<{ abandoned: boolean }>(
    sql`select abandoned from pending_files where id = ${id}`,
  )
  assert.equal(pending?.abandoned, false)
})

test('comments are listed in the order in which they were written', async () => {
  const { id } = await aDraft(running, pair)
  const path = `/v1/documents/${id}/comments`
  const comment = (text: string) => callApi(running, 'POST', path, { key, body: { text } })
  await comment('First')
  await withClockOff(-1, () => comment('Second'))
  await comment('Third')
  const { body } = await callApi(running, 'GET', path, { key })
  const texts = body.data.map(({ text }: { text: string }) => text)
  assert.deepEqual(texts, ['Third', 'Second', 'First'])
})
