/** The search for texts that must not be stored finds them wherever they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running

test('a text of an event or a response is found when its document is gone', async () => {
  const text = 'walnut-7781-rk_test_dx1_shelf'
  const draft = await aDraft(running, await aPair(running), { metadata: { internal: text } })
  const compact = async () =>
    (await tablesContaining(database, text)).filter((name) =>
      ['events', 'idempotency'].includes(name),
    )
  assert.deepEqual((await compact()).toSorted(), ['events', 'idempotency'])
  await database.script(`set session_replication_role = replica;
    delete from documents where id = '${decodeId('doc', draft.id)!}';
    set session_replication_role = default`)
  assert.deepEqual((await compact()).toSorted(), ['events', 'idempotency'])
  assert.deepEqual(await tablesContaining(database, 'walnut-7782'), [])
})
