/** Attachments in an S3-compatible store: its failures, and the purge of orphaned files. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { limits } from '../../src/contract/limits.ts'
import { turns } from '../../src/contract/work-classes.ts'
import { decodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { sql } from '../../src/database/sql.ts'
import { FilesUnavailable } from '../../src/files/file-store.ts'
import { s3FileStore } from '../../src/files/s3.ts'
import { insertPendingFile } from '../../src/store/documents/pending-files.ts'
import { purgeOrphanedFiles } from '../../src/tasks/purge-orphaned-files.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { roleSession, startFakeS3 } from '../support/documents/fake-s3.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft } from '../support/fixtures.ts'
import { stuckAfterMs, until } from '../support/until.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const store = await startFakeS3()
const { running, pair } = await startTradingPair(store.settings)
const { key } = pair.issuer

const attach = async (form = aFileForm(), headers = {}) => {
  const path = `/v1/documents/${(await aDraft(running, pair)).id}/attachments`
  return callApi(running, 'POST', path, { key, body: form, headers })
}

const linkTo = async (location: string) => {
  const { body } = await callApi(running, 'GET', location, { key })
  return running.baseUrl + new URL(body.download_url).pathname
}

const pending = () => running.database.rows<{ id: string }>(sql`select id from pending_files`)

describe('an S3-compatible store', () => {
  test('receives the file signed and with its hash, and returns it byte for byte', async () => {
    const bytes = randomBytes(1_000_003)
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'scan.tiff')
    const created = await attach(form)
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(store.requests, ['PUT 200'])
    const [[path, stored]] = [...store.objects] as [[string, Buffer]]
    assert.match(path, /^\/exchange\/attachments\/[0-9a-f-]{36}$/)
    assert(stored.equals(bytes))
    const reply = await fetch(await linkTo(created.headers.get('location')!))
    assert(Buffer.from(await reply.arrayBuffer()).equals(bytes))
    assert.deepEqual(await pending(), [])
  })

  // A client of the store that had too few connections would wait for ever.
  test(
    'is at hand while all downloads are held by clients that do not read',
    { timeout: stuckAfterMs },
    async (t) => {
      t.mock.property(limits, 'fileStoreTimeoutMs', (2 * stuckAfterMs) as never)
      store.objects.set('/exchange/attachments/large', Buffer.alloc(8_000_000))
      const files = s3FileStore(running.service.context.config.s3!)
      const downloads = Array.from({ length: turns.fileDownloads.running }, () =>
        files.read('large'),
      )
      const held = (await Promise.all(downloads)) as Readable[]
      const another = (await files.read('large')) as Readable
      for (const file of [...held, another]) file.destroy()
      store.objects.delete('/exchange/attachments/large')
    },
  )

  test('is retried after a temporary failure', async () => {
    for (const status of [503, 0]) {
      store.failNext(status, 2)
      assert.equal((await attach()).status, 201)
    }
  })

  test('that stays unavailable causes 503 and no attachment; the same key succeeds later', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const path = `/v1/documents/${(await aDraft(running, pair)).id}/attachments`
    const send = () => callApi(running, 'POST', path, { key, body: aFileForm(), headers })
    store.failNext(500, 3)
    assertRefused(await send(), 'service_unavailable')
    assert.deepEqual((await callApi(running, 'GET', path, { key })).body.data, [])
    const created = await send()
    assert.equal(created.status, 201)
    const link = await linkTo(created.headers.get('location')!)
    store.failNext(403)
    assertRefused(await callApi({ baseUrl: '' }, 'GET', link), 'service_unavailable')
    assert.equal(await (await fetch(link)).text(), 'A note.')
  })

  test('that lost a file causes 500 integrity_failure, but 503 without its bucket', async () => {
    const created = await attach()
    const link = await linkTo(created.headers.get('location')!)
    store.objects.clear()
    store.loseBucketOnce()
    assertRefused(await callApi({ baseUrl: '' }, 'GET', link), 'service_unavailable')
    assertRefused(await callApi({ baseUrl: '' }, 'GET', link), 'integrity_failure')
    assert(running.logLines.some((line) => line.includes('is gone from the file store')))
  })

  test('that breaks off in the middle of a file is unavailable, and no file is wrong', async () => {
    const created = await attach()
    const link = await linkTo(created.headers.get('location')!)
    store.breakOffOnce()
    assertRefused(await callApi({ baseUrl: '' }, 'GET', link), 'service_unavailable')
    assert.equal((await fetch(link)).status, 200)
  })
})

/** A file as an upload leaves it on the disk; by default its hash is right. */
const aReceivedFile = async (bytes: Buffer, sha256 = hash('sha256', bytes)) => {
  const id = newId()
  const path = join(running.service.context.config.dataDir, id)
  await writeFile(path, bytes)
  return { id, path, size: bytes.length, sha256 }
}

test('without keys in the settings the role of the machine signs the requests', async () => {
  const { S3_ACCESS_KEY_ID: _id, S3_SECRET_ACCESS_KEY: _secret, ...settings } = store.settings
  Object.assign(process.env, roleSession)
  try {
    const files = s3FileStore(readConfig(settings).s3!)
    const bytes = randomBytes(100)
    const received = await aReceivedFile(bytes)
    await files.put(received)
    assert((await buffer((await files.read(received.id))!)).equals(bytes))
    await files.remove(received.id)
    assert.equal(await files.read(received.id), undefined)
  } finally {
    for (const name of Object.keys(roleSession)) delete process.env[name]
  }
})

test('a file that does not match its hash is refused by the store', async () => {
  const received = await aReceivedFile(Buffer.from('changed'), hash('sha256', 'as received'))
  const files = s3FileStore(running.service.context.config.s3!)
  await assert.rejects(files.put(received), FilesUnavailable)
  assert(!store.objects.has(`/exchange/attachments/${received.id}`))
})

describe('files without an attachment', () => {
  const aPendingFile = async (id: string, minutesAgo: number) => {
    const created_at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
    const document_id = decodeId('doc', (await aDraft(running, pair)).id)!
    await insertPendingFile(running.database, { id, created_at, document_id })
  }

  test('are purged with their rows after an hour, but not before', async () => {
    const [old, young] = [newId(), newId()]
    for (const id of [old, young])
      store.objects.set(`/exchange/attachments/${id}`, Buffer.from('x'))
    await aPendingFile(old, 61)
    await aPendingFile(young, 59)
    await purgeOrphanedFiles.run(running.service.context)
    const rows = (await pending()).map(({ id }) => id)
    assert(rows.includes(young) && !rows.includes(old))
    assert(store.objects.has(`/exchange/attachments/${young}`))
    assert(!store.objects.has(`/exchange/attachments/${old}`))
  })

  test('keep their rows while the store is unavailable', async () => {
    const id = newId()
    await aPendingFile(id, 61)
    store.failNext(500, 3)
    await assert.rejects(purgeOrphanedFiles.run(running.service.context))
    assert((await pending()).some((row) => row.id === id))
    await purgeOrphanedFiles.run(running.service.context)
    assert(!(await pending()).some((row) => row.id === id))
  })

  test('an upload that was abandoned in the meantime makes no attachment', async () => {
    // The lock on the document makes the transaction wait after the file is stored.
    const { id } = await aDraft(running, pair)
    const path = `/v1/documents/${id}/attachments`
    const holder = await openTestConnection(running.databaseUrl)
    await holder.script('begin')
    await holder.run(sql`select 1 from documents where id = ${decodeId('doc', id)} for update`)
    const before = (await pending()).length
    store.requests.length = 0
    const sending = callApi(running, 'POST', path, { key, body: aFileForm() })
    await until('the file is stored', () => store.requests.at(-1) === 'PUT 200')
    assert.equal((await pending()).length, before + 1)
    await running.database.run(sql`update pending_files set abandoned = true`)
    await holder.script('rollback')
    await holder.close()
    assertRefused(await sending, 'service_unavailable')
    assert.deepEqual((await callApi(running, 'GET', path, { key })).body.data, [])
  })
})

test('the next start removes uploads that a crash left incomplete, but not those in progress', async () => {
  const folder = join(running.service.context.config.dataDir, 'uploads')
  const [old, young] = [newId(), newId()]
  for (const id of [old, young]) await writeFile(join(folder, id), 'half')
  const hourAgo = new Date(Date.now() - 61 * 60_000)
  await utimes(join(folder, old), hourAgo, hourAgo)
  await running.startAnother()
  assert.deepEqual(await readdir(folder), [young])
})
