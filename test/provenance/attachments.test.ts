/** The history records what was attached, and a download proves that it is the same file. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { aFileForm, attachmentsClient } from '../support/documents/attachments-client.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { aDraft, anInvoice } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { fetchTrustFile, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const { pathOf, upload, download } = attachmentsClient(running)

const get = async (path: string, key = issuer.key) => {
  const reply = await callApi(running, 'GET', path, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

const entriesOf = async (id: string, key: string) =>
  (await get(`/v1/documents/${id}/history`, key)).entries

const shownTypes = async (id: string, key: string) =>
  (await entriesOf(id, key)).map((entry: { type?: string }) => entry.type)

const exported = async (id: string, key: string) => {
  const { text, status } = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
  assert.equal(status, 200, text)
  const trust = await fetchTrustFile(running, issuer.key)
  const [verdict] = verifyWithBoth([[temporaryFile(text), '--trust', trust]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  return JSON.parse(text).events
}

test('provenance 8: an attachment is an event with its name, size and hash, which both sides prove', async () => {
  const invoice = await anInvoice(running, pair)
  const own = await upload(pathOf(invoice), issuer.key)
  const theirs = await upload(pathOf(invoice), counterparty.key, aFileForm('receipt.txt', 'Paid.'))
  assert.deepEqual([own.status, theirs.status], [201, 201])
  const recorded = [own.body, theirs.body].map(({ id, filename, sha256, size }) => ({
    id,
    name: filename,
    sha256,
    size,
  }))
  assert.equal(recorded[1]!.sha256, createHash('sha256').update('Paid.').digest('hex'))
  for (const { key } of [issuer, counterparty]) {
    const bodies = (await exported(invoice.id, key)).map(
      (event: { open: { shared: { body: object } } }) => event.open.shared.body,
    )
    const attached = bodies.filter((body: { type: string } | null) =>
      body?.type.startsWith('attachment.'),
    )
    assert.deepEqual(
      attached.map(({ attachment }: { attachment: object }) => attachment),
      recorded,
    )
    assert.equal(attached[1].actor.organization_id, counterparty.id)
  }
})

test('provenance 8: an attachment of a draft is the issuer’s alone', async () => {
  const draft = await aDraft(running, pair)
  assert.equal((await upload(pathOf(draft), issuer.key)).status, 201)
  await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key: issuer.key })
  assert.deepEqual(await shownTypes(draft.id, issuer.key), [
    'document.created',
    'attachment.added',
    'document.issued',
  ])
  assert.deepEqual(await shownTypes(draft.id, counterparty.key), [
    undefined,
    undefined,
    'document.issued',
  ])
  for (const { key } of [issuer, counterparty]) await exported(draft.id, key)
})

test('an attachment moves the revision and the change time of its document, a dry run neither', async () => {
  const invoice = await anInvoice(running, pair)
  const path = `/v1/documents/${invoice.id}`
  const before = await get(path)
  const dry = await upload(pathOf(invoice), issuer.key, aFileForm(), { 'svc-dry-run': 'true' })
  assert.equal(dry.status, 200, dry.text)
  assert.deepEqual(await get(path), before)
  await upload(pathOf(invoice), issuer.key)
  const after = await get(path)
  assert.equal(after.revision, before.revision + 1)
  assert(after.updated_at > before.updated_at)
  const changed = await get(`/v1/documents?updated_since=${after.updated_at}`, counterparty.key)
  assert(changed.data.some(({ id }: { id: string }) => id === invoice.id))
  // Concurrent uploads and moves form one chain.
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, () => upload(pathOf(invoice), counterparty.key)),
    callApi(running, 'POST', `${path}/transition`, {
      key: counterparty.key,
      body: { to: 'acknowledged' },
    }),
  ])
  for (const { status, text } of replies) assert(status < 300, text)
  assert.equal((await entriesOf(invoice.id, issuer.key)).length, after.revision + 7)
})

test('an attachment to a document that was changed in the database is refused', async () => {
  const invoice = await anInvoice(running, pair)
  await running.database.run(
    sql`update documents set total = total + 1 where id = ${decodeId('doc', invoice.id)!}`,
  )
  assertRefused(await upload(pathOf(invoice), issuer.key), 'integrity_failure')
})

test('provenance 8: an attachment whose row is gone is missed by whoever looks for it', async () => {
  const assertLost = async (document: { id: string }, keys: readonly string[]) => {
    const uploaded: string[] = []
    for (let i = 0; i < 3; i += 1)
      uploaded.push((await upload(pathOf(document), issuer.key)).body.id)
    const lost = uploaded[1]!
    const list = pathOf(document)
    const history = `/v1/documents/${document.id}/history`
    const statement = `delete from attachments where id = '${decodeId('att', lost)!}'`
    await whileTampered(running.database, 'attachments', statement, async () => {
      for (const key of keys) {
        for (const path of [list, `${list}?limit=2`, `${list}/${lost}`, history]) {
          const reply = await callApi(running, 'GET', path, { key })
          assertRefused(reply, 'integrity_failure')
        }
      }
    })
    for (const key of keys) {
      assert.deepEqual(idsOf((await get(list, key)).data), uploaded.toReversed())
      const first = await get(`${list}?limit=2`, key)
      const next = await get(`${list}?limit=2&cursor=${first.next_cursor}`, key)
      assert.deepEqual(idsOf(next.data), [uploaded[0]])
      const none = `${list}/${encodeId('att', crypto.randomUUID())}`
      assertRefused(await callApi(running, 'GET', none, { key }), 'not_found')
    }
  }
  await assertLost(await aDraft(running, pair), [issuer.key])
  await assertLost(await anInvoice(running, pair), [issuer.key, counterparty.key])
})

describe('provenance 8: a download is 500 integrity_failure, and nothing of the file is sent,', () => {
  const attached = async () => {
    const invoice = await anInvoice(running, pair)
    const { body } = await upload(pathOf(invoice), issuer.key)
    const { download_url: url } = await get(`${pathOf(invoice)}/${body.id}`)
    return { document: decodeId('doc', invoice.id)!, id: decodeId('att', body.id)!, url }
  }

  const assertWithheld = async (url: string) => {
    const reply = await download(url)
    const text = await reply.text()
    assert.equal(reply.status, 500, text)
    const { error } = JSON.parse(text)
    assert.equal(error.code, 'integrity_failure')
    assert(!text.includes('A note.'))
  }

  for (const change of [
    `sha256 = sha256(''::bytea)`,
    `filename = 'other.txt'`,
    `size = size + 1`,
    `seq = seq - 1`,
    `seq = 99`,
  ]) {
    test(`after a change of its row: ${change}`, async () => {
      const { id, url } = await attached()
      assert.equal((await download(url)).status, 200)
      await running.database.run(sql`update attachments set ${raw(change)} where id = ${id}`)
      await assertWithheld(url)
    })
  }

  test('after an exchange of two rows', async () => {
    const [one, other] = [await attached(), await attached()]
    await running.database.run(sql`
      update attachments a set sha256 = b.sha256, seq = b.seq, document_id = b.document_id
      from attachments b where a.id = ${one.id} and b.id = ${other.id}`)
    await assertWithheld(one.url)
  })

  test('after a change of its event', async () => {
    const { document, url } = await attached()
    await running.database.script(`set session_replication_role = replica;
      update prov_event set at = at + interval '1 second' where document_id = '${document}'
        and seq = 3; set session_replication_role = default`)
    await assertWithheld(url)
  })

  const { dataDir } = running.service.context.config
  const folder = join(dataDir, 'attachments')

  const fileOf = async (id: string): Promise<string> => {
    const names = await readdir(folder, { recursive: true })
    return join(
      folder,
      names.find((name) => name.endsWith(id))!,
    )
  }

  const isOnHold = async (document: string): Promise<boolean> => {
    const row = await running.database.row<{ held: boolean }>(
      sql`select integrity_hold as held from documents where id = ${document}`,
    )
    return row!.held
  }

  test('after a change of its bytes, whatever their length', async () => {
    for (const content of ['B note.', 'A note', 'A note..', '']) {
      const { document, id, url } = await attached()
      const file = await fileOf(id)
      assert.equal(await readFile(file, 'utf8'), 'A note.')
      await writeFile(file, content)
      await assertWithheld(url)
      assert(await isOnHold(document))
    }
  })

  test('after its file is gone, which may come back, so that there is no hold', async () => {
    const { document, id, url } = await attached()
    await rm(await fileOf(id))
    await assertWithheld(url)
    assert.equal(await isOnHold(document), false)
  })
})
