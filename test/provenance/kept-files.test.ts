/** Decision 0183: nothing in the database makes the service remove the file of an attachment. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { type Queryable, sql } from '../../src/database/sql.ts'
import { sealRows } from '../../src/database/sealed-rows.ts'
import { abandonPendingFiles, insertPendingFile } from '../../src/store/documents/pending-files.ts'
import { purgeOrphanedFiles } from '../../src/tasks/purge-orphaned-files.ts'
import { attachmentsClient } from '../support/documents/attachments-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice } from '../support/fixtures.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { until } from '../support/until.ts'

// Nobody else purges.
const { running, pair, issuer } = await startTradingPair({ PROCESS_ROLE: 'api' })
const { pathOf, upload } = attachmentsClient(running)
const { database } = running
const { context } = running.service
const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000).toISOString()

const anAttachedFile = async () => {
  const invoice = await anInvoice(running, pair)
  const reply = await upload(pathOf(invoice), issuer.key)
  assert.equal(reply.status, 201, reply.text)
  return { document: decodeId('doc', invoice.id)!, id: decodeId('att', reply.body.id)! }
}

const isPending = async (id: string): Promise<boolean> =>
  (await database.row(sql`select 1 from pending_files where id = ${id}`)) !== undefined

const storedText = async (id: string): Promise<string | undefined> => {
  const file = await context.fileStore.read(id)
  return file && (await buffer(file)).toString()
}

/** Purges, and returns the messages of the alarms that this raised. */
const alarmsOfPurge = async (): Promise<string[]> => {
  const before = running.logLines.length
  await purgeOrphanedFiles.run(context)
  return running.logLines
    .slice(before)
    .filter((line) => line.includes('integrity_failure'))
    .map((line) => JSON.parse(line).error.message)
}

const purgeKeeps = async (id: string, alarm: RegExp) => {
  const alarms = await alarmsOfPurge()
  assert.equal(await storedText(id), 'A note.')
  assert.equal(alarms.length, 1, alarms.join('\n'))
  assert.match(alarms[0]!, alarm)
}

/** The row of the upload, as the service has written it. */
const bringBack = ({ document, id }: { document: string; id: string }) =>
  insertPendingFile(database, { id, created_at: hoursAgo, document_id: document })

describe('provenance 8: the file of an attachment is kept, and the alarm is raised,', () => {
  test('where somebody names it as pending', async () => {
    const { id } = await anAttachedFile()
    await database.run(
      sql`insert into pending_files (id, created_at) values (${id}, ${hoursAgo}::timestamptz)`,
    )
    await purgeKeeps(id, /an attachment has the file/)
    assert.equal(await isPending(id), false)
  })

  test('where the row of its upload has come back', async () => {
    const attached = await anAttachedFile()
    await bringBack(attached)
    await purgeKeeps(attached.id, /an attachment has the file/)
  })

  test('where the row of its attachment is gone as well, and looked at again later', async () => {
    const attached = await anAttachedFile()
    await bringBack(attached)
    await asSuperuser(database, `delete from attachments where id = '${attached.id}'`)
    await purgeKeeps(attached.id, /the record of the file is gone/)
    assert.deepEqual(await alarmsOfPurge(), [], 'the document is on hold already')
    assert.equal(await isPending(attached.id), true)
  })

  test('where the row says another document', async () => {
    const [attached, other] = [await anAttachedFile(), await anAttachedFile()]
    await bringBack(attached)
    await asSuperuser(
      database,
      `delete from attachments where id = '${attached.id}';
      update pending_files set document_id = '${other.document}' where id = '${attached.id}'`,
    )
    await purgeKeeps(attached.id, /pending_files .*: the seal does not match/)
  })

  test('where its document is gone', async () => {
    const { id } = await anAttachedFile()
    await bringBack({ document: randomUUID(), id })
    await asSuperuser(database, `delete from attachments where id = '${id}'`)
    await purgeKeeps(id, /documents .*: the row is gone/)
  })
})

describe('of an upload from before rows were sealed, the file stays, and its row goes,', () => {
  for (const [when, sealSince] of [
    ['while the row has no seal', () => Promise.resolve(0)],
    ['also once the row has been sealed', () => sealRows(database, 'pending_files')],
  ] as const) {
    test(when, async () => {
      const { id } = await anAttachedFile()
      await asSuperuser(
        database,
        `delete from attachments where id = '${id}';
        insert into pending_files (id, created_at) values ('${id}', '${hoursAgo}')`,
      )
      await sealSince()
      assert.deepEqual(await alarmsOfPurge(), [])
      assert.equal(await storedText(id), 'A note.')
      assert.equal(await isPending(id), false)
    })
  }
})

test('files that are looked at again later do not keep others from being removed', async () => {
  const [held, other] = [await anAttachedFile(), await anAttachedFile()]
  await database.run(sql`update documents set integrity_hold = true where id = ${held.document}`)
  for (let i = 0; i < limits.pendingFilesPerRound; i += 1)
    await bringBack({ ...held, id: randomUUID() })
  const removed = randomUUID()
  await bringBack({ ...other, id: removed })
  await until('the file is removed', async () => {
    await purgeOrphanedFiles.run(context)
    return !(await isPending(removed))
  })
})

test('two processes that purge at once do not wait for each other', async () => {
  const { document } = await anAttachedFile()
  await database.run(sql`delete from pending_files`)
  const old = Array.from({ length: 4 }, () => randomUUID())
  for (const id of old) await bringBack({ document, id })
  const purge = async (db: Queryable, limit: number) =>
    (await abandonPendingFiles(db, new Date().toISOString(), limit)).map(({ id }) => id)
  await context.database.transaction(async (tx) => {
    const first = await purge(tx, 2)
    const second = await purge(context.database.background, 100)
    assert.equal(first.length, 2)
    assert.deepEqual(second.toSorted(), old.filter((id) => !first.includes(id)).toSorted())
  })
})
