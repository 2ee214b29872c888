/**
 * The sequencer (provenance 1.5) logs every event once and in order, with concurrent sequencers and
 * after any crash. A restored database cannot sign a second history.
 */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { LogRefusal } from '../../src/changes/provenance/cosigning.ts'
import { openNotary } from '../../src/notary/notary.ts'
import { withoutSeals } from '../../src/database/row-seals.ts'
import { openDatabase } from '../../src/database/pool.ts'
import { sql } from '../../src/database/sql.ts'
import { parseCheckpoint } from '../../verifier/verify-bundle.mjs'
import { testServer } from '../support/database/postgres.ts'
import {
  assertLogConsistent,
  openLogDeployment,
  deploymentFailingAtCommit,
  readLeaves,
  enqueueEvents,
  runSequencer,
} from '../support/provenance/log-deployment.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

// Starts before the first test, so that it stops after the last.
await testServer()

test('1.5 events are logged in the order of the queue, and covered by a signed checkpoint', async () => {
  const at = await openLogDeployment()
  const expected: Buffer[] = []
  for (const count of [0, 1, 2, 253, 1, 300, 700]) {
    expected.push(...(await enqueueEvents(at, count)))
    await runSequencer(at)
    assert.equal(await assertLogConsistent(at), expected.length)
  }
  assert.deepEqual(await readLeaves(at), expected)
})

test('1.5 events of a transaction that commits late are logged late, but not lost', async () => {
  const at = await openLogDeployment()
  const slow = await openTestConnection(at.url, 'docex test')
  after(() => slow.close())
  await slow.run(sql`begin`)
  await enqueueEvents({ ...at, db: slow }, 1)
  await enqueueEvents(at, 5)
  await runSequencer(at)
  assert.equal(await assertLogConsistent(at), 5)
  await slow.commit()
  await runSequencer(at)
  assert.equal(await assertLogConsistent(at), 6)
})

test('1.5 concurrent sequencers make one history', async () => {
  const at = await openLogDeployment()
  const config = { provenanceKeysDir: at.keysDir, provenanceOrigin: 'test.example' }
  const others = await Promise.all(
    Array.from({ length: 4 }, async () => ({
      ...at,
      notary: await openNotary(config),
      database: openDatabase(at.url, withoutSeals),
    })),
  )
  after(() => Promise.all(others.map((other) => other.database.close())))
  for (let round = 0; round < 10; round += 1) {
    const adding = enqueueEvents(at, 100)
    await Promise.all([adding, ...others.map(runSequencer)])
  }
  while ((await runSequencer(at)).dequeuedCount > 0);
  assert.equal(await assertLogConsistent(at), 1_000)
})

test('1.5 a crash before any commit, also after signing, neither loses nor repeats an event', async () => {
  const at = await openLogDeployment()
  await runSequencer(at)
  const expected: Buffer[] = []
  for (let round = 0; round < 3; round += 1) {
    // Commit 1 has nothing to sign; 2 stores the leaves; 3 stores the checkpoint already signed.
    for (const commit of [1, 2, 3]) {
      expected.push(...(await enqueueEvents(at, 10)))
      await assert.rejects(runSequencer(deploymentFailingAtCommit(at, commit)), /killed/)
      if (commit === 3) {
        const signed = await at.notary.latestCheckpoint('test')
        assert.equal(signed?.size, expected.length, 'the checkpoint was signed')
      }
      // New events arrive before the next round.
      expected.push(...(await enqueueEvents(at, 3)))
      await runSequencer(at)
      await runSequencer(at)
      assert.equal(await assertLogConsistent(at), expected.length)
    }
  }
  assert.deepEqual(await readLeaves(at), expected)
})

test('1.5 a database restored from a backup cannot sign a second history', async () => {
  const at = await openLogDeployment()
  await enqueueEvents(at, 20)
  await runSequencer(at)
  // The backup is a copy of the database while nothing writes to it.
  const admin = await openTestConnection(at.url.replace(/\/t_[0-9a-f]+/, '/docex'), 'docex test')
  after(() => admin.close())
  const original = /\/(t_[0-9a-f]+)/.exec(at.url)![1]!
  await at.database.close()
  await at.db.close()
  await admin.script(`create database ${original}_backup template ${original}`)
  const again = await openLogDeployment({ url: at.url, keysDir: at.keysDir })
  await enqueueEvents(again, 7)
  await runSequencer(again)
  const signed = await again.notary.latestCheckpoint('test')
  assert.equal(signed!.size, 27)

  const restored = await openLogDeployment({
    url: at.url.replace(original, `${original}_backup`),
    keysDir: at.keysDir,
  })
  await enqueueEvents(restored, 3)
  await assert.rejects(runSequencer(restored), LogRefusal)
  await enqueueEvents(restored, 30)
  await assert.rejects(
    runSequencer(restored),
    LogRefusal,
    'the log is refused also once it is larger than the signed checkpoint',
  )
  assert.deepEqual(await again.notary.latestCheckpoint('test'), signed)
  await runSequencer(again)
  assert.equal(await assertLogConsistent(again), 27)
})

test('1.5 of databases that sign after the same checkpoint, only one succeeds', async () => {
  const at = await openLogDeployment()
  await runSequencer(at)
  const { origin } = await at.notary.log('test')
  const root = Buffer.alloc(32)
  const note = (size: number) => `${origin}\n${size}\n${root.toString('base64')}\n\n— x AAAAAAA=\n`
  const swapped = await Promise.all(
    [1, 2, 3].map((size) =>
      at.notary.swapCheckpoint('test', { previousSize: 0, size, root, note: note(size) }),
    ),
  )
  assert.equal(swapped.filter(Boolean).length, 1)
  assert.equal(
    await at.notary.swapCheckpoint('test', { previousSize: -1, size: 9, root, note: note(9) }),
    false,
  )
})

test('1.4 events that this service did not write are never logged', async () => {
  const at = await openLogDeployment()
  await enqueueEvents(at, 3)
  const [forged] = await enqueueEvents(at, 1)
  await at.db.script(`set session_replication_role = replica;
    update prov_event set mac = set_byte(mac, 0, get_byte(mac, 0) # 1)
      where hash = '\\x${forged!.toString('hex')}';
    insert into log_queue (log_id, document_id, seq, hash)
      select log_id, document_id, seq, hash from log_queue where id = (select min(id) from log_queue);
    insert into log_queue (log_id, document_id, seq, hash)
      values ('test', gen_random_uuid(), 1, '\\x00');
    update log_queue set hash = '\\x00' where id = (select min(id) + 1 from log_queue);
    set session_replication_role = default`)
  const { rejected } = await runSequencer(at)
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    ['another_hash', 'not_written_by_this_service', 'logged_before', 'no_such_event'],
  )
  assert.equal(await assertLogConsistent(at), 2)
  const refused = await at.db.rows(sql`select from log_refused`)
  assert.equal(refused.length, 4)
})

for (const [target, change] of Object.entries({
  'a bit of a tile': `update log_tile set data = set_byte(data, 40, get_byte(data, 40) # 1)
    where log_id = 'test' and level = 0 and n = 1`,
  'a bit of a leaf': `update log_leaf set hash = set_byte(hash, 4, get_byte(hash, 4) # 1)
    where log_id = 'test' and idx = 300`,
})) {
  test(`1.5 a checkpoint is not signed after a flip of ${target}`, async () => {
    const at = await openLogDeployment()
    await enqueueEvents(at, 300)
    await runSequencer(at)
    await enqueueEvents(at, 10)
    // The leaves are stored, but not the checkpoint.
    await assert.rejects(runSequencer(deploymentFailingAtCommit(at, 3)), /killed/)
    const signed = (await at.notary.latestCheckpoint('test'))!
    await rm(join(at.keysDir, 'test', 'signed', `after-${signed.previousSize}`))
    await at.db.script(`set session_replication_role = replica; ${change};
      set session_replication_role = default`)
    await assert.rejects(runSequencer(at), LogRefusal)
    assert.equal((await at.notary.latestCheckpoint('test'))!.size, 300)
  })
}

test('1.6 another machine with other keys does not sign this log', async () => {
  const at = await openLogDeployment()
  await enqueueEvents(at, 5)
  await runSequencer(at)
  const stranger = await openLogDeployment({ url: at.url })
  await assert.rejects(runSequencer(stranger), LogRefusal)
})

test('1.6 rotation: both keys sign until the old one is retired, then only the new one', async () => {
  const at = await openLogDeployment()
  await enqueueEvents(at, 5)
  await runSequencer(at)
  const [old] = (await at.notary.log('test')).keys
  const key = await at.notary.addKey('test', 6, new Date().toISOString())
  await enqueueEvents(at, 5)
  await runSequencer(at)
  const both = parseCheckpoint((await at.notary.latestCheckpoint('test'))!.note)
  assert.equal(both.signatures.length, 2)
  await at.notary.retireKey('test', old!.vkey, 11)
  await enqueueEvents(at, 5)
  await runSequencer(at)
  const single = parseCheckpoint((await at.notary.latestCheckpoint('test'))!.note)
  assert.deepEqual(
    single.signatures.map(({ id }) => id),
    [key.vkey.split('+')[1]],
  )
  assert.equal(await assertLogConsistent(at), 15)
})
