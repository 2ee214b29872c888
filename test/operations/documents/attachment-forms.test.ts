/** The upload form: filenames, and every way in which a form can be malformed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { turns } from '../../../src/contract/work-classes.ts'
import { aFileForm, attachmentsClient } from '../../support/documents/attachments-client.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aDraft } from '../../support/fixtures.ts'
import { until } from '../../support/until.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { rawRequest } from '../../support/http/raw-http.ts'

const { running, pair, issuer } = await startTradingPair()

const { pathOf, upload, download } = attachmentsClient(running)

describe('filenames', () => {
  const uploadNamed = async (name: string): Promise<Reply> => {
    const draft = await aDraft(running, pair)
    // Sends raw bytes, because a form builder would escape the name.
    const boundary = 'x-boundary'
    const raw = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
        `Content-Type: text/plain\r\n\r\nA note.\r\n--${boundary}--\r\n`,
    )
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    return callApi(running, 'POST', pathOf(draft), { key: issuer.key, raw, headers })
  }

  test('a printable name is stored unchanged and returned in a safely encoded header', async () => {
    for (const [name, disposition] of [
      [
        'Rechnung März.pdf',
        `filename="Rechnung M?rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf`,
      ],
      ['50 % off; x=1.txt', `attachment; filename="50 % off; x=1.txt"`],
      ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"`],
      ['a%41.txt', `filename=a%41.txt; filename*=UTF-8''a%2541.txt`],
      ['請求書.pdf', `filename="???.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf`],
      ['👩‍💻.png', `filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.png`],
      ['می\u200cخواهم.txt', `%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85.txt`],
    ] as const) {
      const uploaded = await uploadNamed(name)
      assert.equal(uploaded.body.filename, name, uploaded.text)
      const location = uploaded.headers.get('location')!
      const { body } = await callApi(running, 'GET', location, { key: issuer.key })
      const reply = await download(body.download_url)
      assert(reply.headers.get('content-disposition')!.endsWith(disposition), name)
    }
  })

  test('a quote in a name arrives as the form builders of browsers and curl escape it', async () => {
    const name = 'Angebot "Nord" 50 %.txt'
    const form = new FormData()
    form.append('file', new File(['A note.'], name, { type: 'text/plain' }))
    const path = pathOf(await aDraft(running, pair))
    const { body, text, headers } = await callApi(running, 'POST', path, {
      key: issuer.key,
      body: form,
    })
    assert.equal(body.filename, name, text)
    const { body: read } = await callApi(running, 'GET', headers.get('location')!, {
      key: issuer.key,
    })
    const reply = await download(read.download_url)
    const disposition = String.raw`filename="Angebot \"Nord\" 50 %.txt"`
    assert(reply.headers.get('content-disposition')!.endsWith(disposition))
  })

  test('decision 0007: %22 in a name is a quotation mark, a line break is refused, others stay', async () => {
    for (const [sent, stored] of [
      ['25%22.txt', '25".txt'],
      ['a%2522.txt', 'a%2522.txt'],
      ['a%0a%0d.txt', 'a%0a%0d.txt'],
    ] as const) {
      const { body, text } = await uploadNamed(sent)
      assert.equal(body.filename, stored, text)
    }
    for (const refused of ['a%0Ab.txt', 'a%0Db.txt']) {
      assertProblems(await uploadNamed(refused), '/file invalid_value')
    }
  })

  test('a name that could mislead a person or a file system is refused with a reason', async () => {
    for (const [name, code] of [
      ['', 'required'],
      ['../../etc/passwd', 'invalid_value'],
      ['..', 'invalid_value'],
      ['C:\\temp\\x.txt', 'invalid_value'],
      ['invoice\u202efdp.exe', 'invalid_value'],
      ['nul\u0000.txt', 'invalid_value'],
      ['bell\u0007.txt', 'invalid_value'],
      [' x.txt', 'invalid_value'],
      ['x\u00adx.txt', 'invalid_value'],
      ['x\u2800.txt', 'invalid_value'],
      ['x\u3164.txt', 'invalid_value'],
      ['x\u{e0041}.txt', 'invalid_value'],
      ['\u200d\u200c', 'invalid_value'],
      ['x'.repeat(256), 'too_long'],
    ] as const) {
      assertProblems(await uploadNamed(name), `/file ${code}`)
    }
    assert.equal((await uploadNamed('x'.repeat(255))).status, 201)
  })
})

describe('malformed forms', () => {
  const path = async () => pathOf(await aDraft(running, pair))

  test('a form must hold exactly one file, in the field `file`, and nothing else', async () => {
    const form = (...names: string[]) => {
      const data = new FormData()
      for (const name of names) data.append(name, new Blob(['x']), 'x.txt')
      return data
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

  test('a truncated form, or a body that is not a form, is refused', async () => {
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
    const compressed = { ...headers, 'content-encoding': 'gzip' }
    const encoded = await callApi(running, 'POST', to, {
      key: issuer.key,
      raw: part,
      headers: compressed,
    })
    assertRefused(encoded, 'unsupported_media_type')
  })

  test('a file is stored whole, or refused if one of its lines begins like the delimiter', async () => {
    const to = await path()
    const send = (content: string, parameter = 'boundary=x-boundary') => {
      const disposition = 'Content-Disposition: form-data; name="file"; filename="x"'
      const raw = `--x-boundary\r\n${disposition}\r\n\r\n${content}\r\n--x-boundary--\r\n`
      const headers = { 'content-type': `multipart/form-data; ${parameter}` }
      return callApi(running, 'POST', to, { key: issuer.key, raw, headers })
    }
    for (const whole of ['a\r\n--x-bound\r\nb', 'a --x-boundary b', 'a\n--x-boundary\nb', '']) {
      for (const parameter of ['boundary=x-boundary', 'Boundary="x-boundary"; charset=utf-8']) {
        const { status, body, text } = await send(whole, parameter)
        assert.deepEqual([status, body.size], [201, whole.length], text)
      }
    }
    const start = 'a'.repeat(70_000)
    for (const like of ['--x-boundary2', '--x-boundary-', '--x-boundary: c\r\n\r\n']) {
      assertRefused(await send(`${start}\r\n${like}\r\nb`), 'invalid_request')
    }
  })

  test('a file of 25 MiB is accepted, and one byte more answers 413', async () => {
    const to = await path()
    const form = (size: number) => {
      const data = new FormData()
      data.append('file', new Blob([Buffer.alloc(size, 'x')]), 'large.bin')
      return data
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

  test('an aborted upload releases its slot', async () => {
    const to = await path()
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
    const headers = [
      `Authorization: Bearer ${issuer.key}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 100000',
    ]
    const { dataDir } = running.service.context.config
    for (let i = 0; i <= turns.uploads.runningPerOrganization; i += 1) {
      const socket = connect(running.service.port, '127.0.0.1')
      await once(socket, 'connect')
      const key = `Idempotency-Key: ${freshIdempotencyKey()}`
      socket.write(rawRequest(`POST ${to}`, [...headers, key], part))
      await until(
        'the file is arriving',
        async () => (await readdir(join(dataDir, 'uploads'))).length > 0,
      )
      socket.destroySoon()
      await until(
        'the file is removed',
        async () => (await readdir(join(dataDir, 'uploads'))).length === 0,
      )
    }
    assert.equal((await upload(to, issuer.key)).status, 201)
    assert.doesNotMatch(running.service.context.metrics.text(), /status="500"/)
  })
})
