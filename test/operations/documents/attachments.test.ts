/** Attachments over HTTP: who may upload and read them, download links, and refusals. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { limits } from '../../../src/contract/limits.ts'
import { signDownloadLink } from '../../../src/core/attachments/download-links.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { aFileForm, attachmentsClient } from '../../support/documents/attachments-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { aDraft, aPair, anInvoice, anOrganization, move } from '../../support/fixtures.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const { pathOf, upload, download } = attachmentsClient(running)

const storedFiles = async (): Promise<string[]> => {
  const { dataDir } = running.service.context.config
  const names = await readdir(join(dataDir, 'attachments'), { recursive: true }).catch(() => [])
  return names.filter((name) => name.length > 36)
}

describe('access to attachments', () => {
  test('only the issuer sees the files of a draft; both sides see them once it is issued', async () => {
    const draft = await aDraft(running, pair)
    const path = pathOf(draft)
    const own = await upload(path, issuer.key)
    assert.equal(own.status, 201, own.text)
    assert.equal(own.headers.get('location'), `${path}/${own.body.id}`)
    const { id, created_at: _, ...rest } = own.body
    assert.deepEqual(rest, {
      filename: 'note.txt',
      content_type: 'text/plain',
      size: 7,
      sha256: createHash('sha256').update('A note.').digest('hex'),
      uploaded_by: 'issuer',
    })
    for (const reply of [
      await upload(path, counterparty.key),
      await callApi(running, 'GET', path, { key: counterparty.key }),
      await callApi(running, 'GET', `${path}/${id}`, { key: counterparty.key }),
    ]) {
      assert.equal(assertRefused(reply, 'not_found').resource, 'document')
    }
    await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key: issuer.key })
    const theirs = await upload(path, counterparty.key, aFileForm('receipt.txt'))
    assert.equal(theirs.body.uploaded_by, 'counterparty')
    for (const { key } of [issuer, counterparty]) {
      const { data } = (await callApi(running, 'GET', path, { key })).body
      assert.deepEqual(data, [theirs.body, own.body])
    }
  })

  test('both sides may attach files in every state, even after the connection has ended', async () => {
    const other = await aPair(running)
    const invoice = await anInvoice(running, other)
    const path = pathOf(invoice)
    await move(running, other.counterparty.key, invoice.id, 'rejected')
    const ending = `/v1/connections/${other.connection}/end`
    await callApi(running, 'POST', ending, { key: other.issuer.session })
    assert.equal((await upload(path, other.counterparty.key)).status, 201)
    assert.equal((await upload(path, other.issuer.key)).status, 201)
  })

  test('an attachment is not found under another document', async () => {
    const [one, other] = [await aDraft(running, pair), await aDraft(running, pair)]
    const { body } = await upload(pathOf(one), issuer.key)
    const reply = await callApi(running, 'GET', `${pathOf(other)}/${body.id}`, { key: issuer.key })
    assert.equal(assertRefused(reply, 'not_found').resource, 'attachment')
  })

  test('pages are disjoint and complete, and an upload beyond the maximum is refused', async () => {
    const invoice = await anInvoice(running, pair)
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      ids.unshift((await upload(pathOf(invoice), issuer.key)).body.id)
    }
    const rows = await allPages(running, issuer.key, `${pathOf(invoice)}?limit=2`)
    const listed = rows.map(({ id }) => id)
    assert.deepEqual(listed, ids)

    await runAndSeal(
      running.database,
      'attachments',
      sql`
      insert into attachments select gen_random_uuid(), mode, document_id, uploaded_by, filename,
        content_type, size, sha256, created_at, seq, ''
      from attachments, generate_series(2, ${limits.attachmentsPerSideMax - 4}::integer)
      where id = ${decodeId('att', ids[0]!)}`,
    )
    assertProblems(await upload(pathOf(invoice), issuer.key), '/file out_of_range')
    const theirs = await upload(pathOf(invoice), counterparty.key)
    assert.equal(theirs.status, 201, 'the files of one side take no room from the other')
  })
})

describe('the download link', () => {
  const attach = async (form: FormData) => {
    const draft = await aDraft(running, pair)
    const { body } = await upload(pathOf(draft), issuer.key, form)
    const path = `${pathOf(draft)}/${body.id}`
    return (await callApi(running, 'GET', path, { key: issuer.key })).body
  }

  test('a link serves the bytes without a key, with headers that keep them inert', async () => {
    const content = '<script>alert(1)</script>'
    const { download_url, sha256, expires_at } = await attach(
      aFileForm('page.html', content, 'text/html'),
    )
    assert(download_url.startsWith(`${running.service.context.config.baseUrl}/files/`))
    const leftMs = Date.parse(expires_at) - Date.now()
    assert(Math.abs(leftMs - 5 * 60_000) < 10_000, 'five minutes')
    const reply = await download(download_url)
    assert.equal(await reply.text(), content)
    assert.equal(reply.headers.get('content-type'), 'text/html')
    assert.equal(reply.headers.get('cache-control'), 'private, no-store')
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(reply.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(reply.headers.get('content-disposition'), 'attachment; filename=page.html')
    const digest = Buffer.from(sha256, 'hex').toString('base64')
    assert.equal(reply.headers.get('repr-digest'), `sha-256=:${digest}:`)
    assert.match(reply.headers.get('request-id')!, /^req_/)

    const head = await download(download_url, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(content.length))
    assert.equal((await download(download_url, { method: 'POST' })).status, 405)
  })

  test('a file may hold any bytes, or none', async () => {
    for (const size of [0, 1, 65_536, 3_000_001]) {
      const bytes = randomBytes(size)
      const form = new FormData()
      form.append('file', new Blob([bytes]), 'random')
      const attachment = await attach(form)
      assert.equal(attachment.content_type, 'application/octet-stream')
      const reply = await download(attachment.download_url)
      assert(Buffer.from(await reply.arrayBuffer()).equals(bytes), `${size} bytes`)
    }
  })

  test('a link that is altered, expired or issued to an organization without access answers 404', async () => {
    const { id, download_url } = await attach(aFileForm())
    const token = download_url.split('/').at(-1)!
    const files = download_url.slice(0, -token.length)
    const key = running.service.context.keyring.fileLinks.newest
    const attachment = decodeId('att', id)!
    const now = Date.now()
    const stranger = await anOrganization(running)
    const wrong = [
      signDownloadLink(key, { attachment, organization: issuer.uuid, expiresAtMs: now - 1 }),
      signDownloadLink(key, { attachment, organization: stranger.uuid, expiresAtMs: now + 60_000 }),
      signDownloadLink(key, {
        attachment,
        organization: counterparty.uuid,
        expiresAtMs: now + 60_000,
      }),
      signDownloadLink(running.service.context.keyring.cursors.newest, {
        attachment,
        organization: issuer.uuid,
        expiresAtMs: now + 60_000,
      }),
      'x',
      '',
      'x'.repeat(201),
      'x'.repeat(5_000),
      `${token}A`,
      `${token}/`,
      `${token}/${token}`,
      '%00',
      '%ff',
      '%',
      '%2F',
      '%C3%28',
      ...Array.from(token, (character: string, i) => {
        const other = character === 'A' ? 'B' : 'A'
        return token.slice(0, i) + other + token.slice(i + 1)
      }),
    ]
    for (const one of wrong) {
      const reply = await callApi(running, 'GET', `/files/${one}`)
      assert.equal(assertRefused(reply, 'not_found').resource, 'file', one)
      assert.equal((await download(`${files}${one}`, { method: 'HEAD' })).status, 404, one)
    }
    assert(!running.logLines.join().includes(token), 'no link is logged')
  })
})

describe('storage', () => {
  test('a refused upload leaves no file, no row and no temporary file', async () => {
    const before = await storedFiles()
    const missing = `/v1/documents/doc_${'0'.repeat(26)}/attachments`
    assertRefused(await upload(missing, issuer.key), 'not_found')
    assertProblems(
      await upload(pathOf(await aDraft(running, pair)), issuer.key, new FormData()),
      '/file required',
    )
    assert.deepEqual(await storedFiles(), before)
    assert.deepEqual(await running.database.rows(sql`select id from pending_files`), [])
    const { dataDir } = running.service.context.config
    assert.deepEqual(await readdir(join(dataDir, 'uploads')), [])
  })

  test('an erasure of the document leaves the reply, which has none of its text', async () => {
    const draft = await aDraft(running, pair, { notes: 'Erased.' })
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const repeat = () => upload(pathOf(draft), issuer.key, aFileForm(), headers)
    const first = await repeat()
    const { context } = running.service
    const id = decodeId('doc', draft.id)!
    const erased = await context.database.transaction((tx) => eraseContent(tx, id, context))
    assert(erased! > 0)
    const again = await repeat()
    assert.deepEqual([again.text, again.headers.get('idempotent-replay')], [first.text, 'true'])
  })

  test('the same key with the same file replays the attachment; another file answers idempotency_conflict', async () => {
    const path = pathOf(await aDraft(running, pair))
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const before = (await storedFiles()).length
    const first = await upload(path, issuer.key, aFileForm(), headers)
    const again = await upload(path, issuer.key, aFileForm(), headers)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    for (const other of [
      aFileForm('other.txt'),
      aFileForm('note.txt', 'Another note.'),
      aFileForm('note.txt', 'A note.', 'text/markdown'),
    ]) {
      assertRefused(await upload(path, issuer.key, other, headers), 'idempotency_conflict')
    }
    assert.equal((await storedFiles()).length, before + 1, 'one file is stored')
    const { data } = (await callApi(running, 'GET', path, { key: issuer.key })).body
    assert.equal(data.length, 1)
  })

  test('a dry run validates the upload and stores nothing', async () => {
    const path = pathOf(await aDraft(running, pair))
    const before = await storedFiles()
    const headers = { 'svc-dry-run': 'true' }
    const dry = await upload(path, issuer.key, aFileForm(), headers)
    assert.deepEqual([dry.status, dry.headers.get('svc-dry-run')], [200, 'true'])
    assert.equal(dry.body.filename, 'note.txt')
    assert.deepEqual(await storedFiles(), before)
    assert.deepEqual((await callApi(running, 'GET', path, { key: issuer.key })).body.data, [])
  })
})
