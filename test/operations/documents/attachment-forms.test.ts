/** The form that brings a file: names of files, and everything that can be wrong with it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { aFileForm, attachmentsClient } from '../../support/documents/attachments-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, aDraft, callApi, freshIdempotencyKey, until } from '../../support/service.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { rawRequest } from '../../support/http/raw-http.ts'

const { running, pair, issuer } = await startTradingPair()

const { pathOf, upload, download } = attachmentsClient(running)

describe('names', () => {
  const uploadNamed = async (name: string): Promise<Reply> => {
    const draft = await aDraft(running, pair)
    // As bytes: a form builder would make the name harmless first.
    const boundary = 'x-boundary'
    const raw = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
        `Content-Type: text/plain\r\n\r\nA note.\r\n--${boundary}--\r\n`,
    )
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    return callApi(running, 'POST', pathOf(draft), { key: issuer.key, raw, headers })
  }

  test('any printable name is kept as it is, and leaves in a header that nobody can break', async () => {
    for (const [name, disposition] of [
      [
        'Rechnung März.pdf',
        `filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf`,
      ],
      [
        '50 % off; x=1.txt',
        `filename="50 _ off; x=1.txt"; filename*=UTF-8''50%20%25%20off%3B%20x%3D1.txt`,
      ],
      ["it's (1)*.txt", `filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
      ['請求書.pdf', `filename="___.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf`],
      ['👩‍💻.png', `filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.png`],
    ] as const) {
      const made = await uploadNamed(name)
      assert.equal(made.body.filename, name, made.text)
      const location = made.headers.get('location')!
      const { body } = await callApi(running, 'GET', location, { key: issuer.key })
      const reply = await download(body.download_url)
      assert(reply.headers.get('content-disposition')!.endsWith(disposition), name)
    }
  })

  test('what misleads a person or a file system is refused, with the reason', async () => {
    for (const [name, code] of [
      ['', 'required'],
      ['../../etc/passwd', 'invalid_value'],
      ['..', 'invalid_value'],
      ['C:\\temp\\x.txt', 'invalid_value'],
      ['invoice\u202efdp.exe', 'invalid_value'],
      ['nul\u0000.txt', 'invalid_value'],
      ['bell\u0007.txt', 'invalid_value'],
      [' x.txt', 'invalid_value'],
      ['x'.repeat(256), 'too_long'],
    ] as const) {
      assertProblems(await uploadNamed(name), `/file ${code}`)
    }
    assert.equal((await uploadNamed('x'.repeat(255))).status, 201)
  })
})

describe('what is refused', () => {
  const path = async () => pathOf(await aDraft(running, pair))

  test('a form without a file, with two, with a field, or with a file under another name', async () => {
    const form = (...names: string[]) => {
      const made = new FormData()
      for (const name of names) made.append(name, new Blob(['x']), 'x.txt')
      return made
    }
    const to = await path()
    assertProblems(await upload(to, issuer.key, form()), '/file required')
    const other = await upload(to, issuer.key, form('document'))
    assertProblems(other, '/document unknown_field', '/file required')
    assertProblems(await upload(to, issuer.key, form('file', 'file')), '/file invalid_value')
    const withField = aFileForm()
    withField.append('note', 'hello')
    assertProblems(await upload(to, issuer.key, withField), '/note unknown_field')
    const wrongType = aFileForm('x.txt', 'x', 'text')
    assertProblems(await upload(to, issuer.key, wrongType), '/file invalid_value')
  })

  test('a form that is cut off, or no form at all', async () => {
    const to = await path()
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
    for (const raw of [part, `${part}\r\n--b`, '--b', 'nonsense', '']) {
      const reply = await callApi(running, 'POST', to, { key: issuer.key, raw, headers })
      assertRefused(reply, 'invalid_request')
    }
    const without = { 'content-type': 'multipart/form-data' }
    const bare = await callApi(running, 'POST', to, {
      key: issuer.key,
      raw: part,
      headers: without,
    })
    assertRefused(bare, 'unsupported_media_type')
    const packed = { ...headers, 'content-encoding': 'gzip' }
    const encoded = await callApi(running, 'POST', to, {
      key: issuer.key,
      raw: part,
      headers: packed,
    })
    assertRefused(encoded, 'unsupported_media_type')
  })

  test('25 MiB are taken, one byte more is 413, announced or not', async () => {
    const to = await path()
    const form = (size: number) => {
      const made = new FormData()
      made.append('file', new Blob([Buffer.alloc(size, 'x')]), 'large.bin')
      return made
    }
    const largest = await upload(to, issuer.key, form(limits.attachmentMaxBytes))
    assert.equal(largest.status, 201, largest.text)
    assert.equal(largest.body.size, 25 * 1024 * 1024)
    const details = assertRefused(
      await upload(to, issuer.key, form(limits.attachmentMaxBytes + 1)),
      'payload_too_large',
    )
    assert.deepEqual(details, { limit_bytes: 26_214_400 })
  })

  test('callers that leave in the middle take no place from those who stay', async () => {
    const to = await path()
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
    const headers = [
      `Authorization: Bearer ${issuer.key}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 100000',
    ]
    const { dataDir } = running.service.context.config
    for (let i = 0; i <= limits.concurrentUploadsMax; i += 1) {
      const socket = connect(running.service.port, '127.0.0.1')
      await once(socket, 'connect')
      const key = `Idempotency-Key: ${freshIdempotencyKey()}`
      socket.write(rawRequest(`POST ${to}`, [...headers, key], part))
      await until(
        'the file is arriving',
        async () => (await readdir(join(dataDir, 'uploads'))).length > 0,
      )
      socket.destroySoon()
      await until('it is gone', async () => (await readdir(join(dataDir, 'uploads'))).length === 0)
    }
    assert.equal((await upload(to, issuer.key)).status, 201)
    assert.doesNotMatch(running.service.context.metrics.text(), /status="500"/)
  })
})
