/**
 * Malformed HTTP over raw sockets: each request gets an envelope or a closed connection, and the
 * process survives (contract 1, 2 and 5).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { exampleLine, anInvoice } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { rawRequest, sendBytes } from '../support/http/raw-http.ts'

const { running, pair, issuer, counterparty, connection } = await startTradingPair()

const validBody = JSON.stringify({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
})
const postValidBody = (headers: Record<string, string>): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents', { key: issuer.key, raw: validBody, headers })
const authorization = `Authorization: Bearer ${issuer.key}`
const json = 'Content-Type: application/json'
const length = `Content-Length: ${validBody.length}`
const writeHeaders = (...more: readonly string[]): string[] => [
  authorization,
  `Idempotency-Key: ${freshIdempotencyKey()}`,
  json,
  ...more,
]

afterEach(async () => {
  assert.equal((await callApi(running, 'GET', '/healthz')).status, 200, 'the process is alive')
  const failures = running.logLines
    .splice(0)
    .filter((line) => /internal_error|server_error/.test(line))
  assert.deepEqual(failures, [], 'nothing was answered as a server error')
})

describe('contract 2: a repeated sensitive header is refused before anything else is checked', () => {
  const always = writeHeaders(length)
  for (const [name, header] of [
    ['Authorization', authorization],
    ['authorization', 'authorization: Bearer other'],
    ['Idempotency-Key', `Idempotency-Key: ${freshIdempotencyKey()}`],
    ['Content-Type', 'Content-Type: text/plain'],
    ['If-Match', 'If-Match: "1"'],
    ['Svc-Dry-Run', 'Svc-Dry-Run: true'],
  ] as const) {
    test(`a repeated ${name} answers 400 and names the header`, async () => {
      const first = ['If-Match', 'Svc-Dry-Run'].includes(name) ? [header] : []
      const headers = [...always, ...first, header]
      const reply = await sendBytes(running, rawRequest('POST /v1/documents', headers, validBody))
      assertProblems(reply, `${name} invalid_value`)
    })
  }

  test('two lengths, or a length with chunks, answer 400', async () => {
    for (const more of ['Content-Length: 2', 'Transfer-Encoding: chunked']) {
      const bytes = rawRequest('POST /v1/documents', [...always, more], validBody)
      assertRefused(await sendBytes(running, bytes), 'invalid_request')
    }
  })
})

describe('contract 2: a write without any body is a write with {}', () => {
  const headers = () => [authorization, `Idempotency-Key: ${freshIdempotencyKey()}`]

  test('POST /issue without a body answers 200', async () => {
    const { id } = (await postValidBody({})).body as { id: string }
    const reply = await sendBytes(running, rawRequest(`POST /v1/documents/${id}/issue`, headers()))
    assert.equal(reply.status, 200, reply.text)
  })

  test('a write that needs a body answers 400 with the missing fields', async () => {
    const reply = await sendBytes(running, rawRequest('POST /v1/documents', headers()))
    assertRefused(reply, 'invalid_request')
  })

  test('a chunked body is read', async () => {
    const chunked = [...headers(), json, 'Transfer-Encoding: chunked']
    const body = `${validBody.length.toString(16)}\r\n${validBody}\r\n0\r\n\r\n`
    const reply = await sendBytes(running, rawRequest('POST /v1/documents', chunked, body))
    assert.equal(reply.status, 201, reply.text)
  })
})

describe('contract 2: a malformed HTTP request answers 400 with the envelope', () => {
  for (const [flaw, bytes] of [
    ['no request line', 'nonsense\r\n\r\n'],
    ['an unknown method', 'FETCH /v1/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another protocol', 'GET /v1/me FTP/1.1\r\nHost: x\r\n\r\n'],
    ['HTTP/9.9', 'GET /v1/me HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a space in the path', 'GET /v1/ me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no Host', 'GET /v1/enablement HTTP/1.1\r\n\r\n'],
    ['line feeds without carriage returns', 'GET /v1/enablement HTTP/1.1\nHost: x\n\n'],
    ['a header over two lines', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['a space before the colon', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n'],
    ['NUL in a header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
    ['a negative length', `POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`],
    ['a length in words', 'POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n'],
    ['the bytes of a TLS hello', Buffer.from('160301020001000000ff', 'hex')],
    [
      'headers of more than 8 KiB',
      `GET /v1/me HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(9_000)}\r\n\r\n`,
    ],
    ['a path of more than 8 KiB', `GET /v1/${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ] as const) {
    test(`a request with ${flaw} answers 400`, async () => {
      assertRefused(await sendBytes(running, bytes), 'invalid_request')
    })
  }

  test('a chunk with a wrong size answers 400', async () => {
    const headers = writeHeaders('Transfer-Encoding: chunked')
    const bytes = rawRequest('POST /v1/documents', headers, 'zz\r\n{}\r\n0\r\n\r\n')
    assertRefused(await sendBytes(running, bytes), 'invalid_request')
    await until('the call is logged', () => running.logLines.join('').includes('"POST"'))
  })

  test('a caller that disconnects in the middle of its body causes no server error', async () => {
    const headers = writeHeaders('Content-Length: 100')
    const socket = connect(running.service.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(rawRequest('POST /v1/documents', headers, '{"connection_id":'))
    socket.destroySoon()
    await until('the call is logged', () => running.logLines.join('').includes('"POST"'))
    assert.doesNotMatch(running.service.context.metrics.text(), /status="500"/)
  })

  test('60 headers are accepted, 200 are refused', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: x`)
    const me = (count: number) =>
      sendBytes(running, rawRequest('GET /v1/me', [...many(count), authorization]))
    assert.equal((await me(57)).status, 200)
    const { errors } = assertRefused(await me(200), 'invalid_request')
    assert.match(errors[0].fix, /at most 64 headers, of at most 8192 bytes/)
  })

  test('an unknown expectation in Expect is refused', async () => {
    const headers = writeHeaders(length, 'Expect: tea')
    const reply = await sendBytes(running, rawRequest('POST /v1/documents', headers, validBody))
    assertRefused(reply, 'invalid_request')
  })

  test('an upgrade to another protocol is ignored, and CONNECT is refused', async () => {
    const upgrade = ['Connection: upgrade', 'Upgrade: h2c', authorization]
    const lines = ['GET /v1/me HTTP/1.1', 'Host: x', ...upgrade].join('\r\n')
    assert.equal((await sendBytes(running, `${lines}\r\n\r\n`)).status, 200)
    const tunnel = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'
    const isRefused = await sendBytes(running, tunnel).then(
      ({ status }) => status >= 400,
      () => true,
    )
    assert(isRefused)
  })
})

describe('contract 1: only unencoded application/json in UTF-8 is accepted', () => {
  for (const type of [
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'Application/JSON',
  ]) {
    test(`${type} is accepted`, async () => {
      assert.equal((await postValidBody({ 'content-type': type })).status, 201)
    })
  }
  for (const type of [
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, text/plain',
    'application/json; boundary=x',
    'application/jsonx',
    'application/merge-patch+json',
    'text/json',
    'text/plain; a=application/json',
    'multipart/form-data; boundary=x',
    '*/*',
    'json',
  ]) {
    test(`${type} answers 415`, async () => {
      assertRefused(await postValidBody({ 'content-type': type }), 'unsupported_media_type')
    })
  }

  test('a missing or empty Content-Type answers 415', async () => {
    const headers = [authorization, `Idempotency-Key: ${freshIdempotencyKey()}`, length]
    for (const more of [[], ['Content-Type:']]) {
      const bytes = rawRequest('POST /v1/documents', [...headers, ...more], validBody)
      assertRefused(await sendBytes(running, bytes), 'unsupported_media_type')
    }
  })

  test('an unknown method answers 405 and an unknown path 404, whatever the media type', async () => {
    const options = { key: issuer.key, raw: validBody, headers: { 'content-type': 'json' } }
    assertRefused(await callApi(running, 'PUT', '/v1/documents', options), 'method_not_allowed')
    assertRefused(await callApi(running, 'POST', '/v1/nothing', options), 'not_found')
  })

  test('a Content-Encoding other than identity answers 415', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x']) {
      assertRefused(await postValidBody({ 'content-encoding': encoding }), 'unsupported_media_type')
    }
    assert.equal((await postValidBody({ 'content-encoding': 'identity' })).status, 201)
  })

  test('the body of a GET is ignored', async () => {
    for (const body of ['{', 'x'.repeat(10_000), validBody]) {
      const headers = [`Authorization: Bearer ${issuer.key}`, `Content-Length: ${body.length}`]
      const reply = await sendBytes(running, rawRequest('GET /v1/me', headers, body))
      assert.equal(reply.status, 200, reply.text)
    }
  })
})

describe('contract 5.2: an Idempotency-Key is 8 to 128 printable characters without spaces', () => {
  const create = (idempotencyKey: string): Promise<Reply> => {
    const headers = [authorization, `Idempotency-Key: ${idempotencyKey}`, json, length]
    return sendBytes(running, rawRequest('POST /v1/documents', headers, validBody))
  }

  test('8 and 128 characters of every printable kind are accepted', async () => {
    const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join('')
    for (const key of ['8letters', printable.padEnd(128, '~'), '"quoted",:;{}']) {
      assert.equal((await create(key)).status, 201, key)
    }
  })

  for (const [flaw, key, code] of [
    ['7 characters', '7letter', 'invalid_value'],
    ['129 characters', 'x'.repeat(129), 'too_long'],
    ['no characters', '', 'invalid_value'],
    ['a space inside', 'two words', 'invalid_value'],
    ['a tab inside', 'two\twords', 'invalid_value'],
    ['an accent', 'caf\u00e9-caf\u00e9', 'invalid_value'],
  ] as const) {
    test(`a key with ${flaw} answers 400 ${code}`, async () => {
      assertProblems(await create(key), `Idempotency-Key ${code}`)
    })
  }
})

describe('contract 1: paths and queries', () => {
  test('a path that cannot be decoded, or leaves /v1, is an unknown path', async () => {
    for (const path of [
      '/v1/documents/%zz',
      '/v1/documents/%',
      '/v1/%c0%ae',
      '/v1/../v1/me',
      '//v1/me',
    ]) {
      const reply = await sendBytes(running, rawRequest(`GET ${path}`, [authorization]))
      assertRefused(reply, 'not_found')
    }
  })

  test('a query parameter repeated, badly encoded or named like a prototype answers 400', async () => {
    const list = (query: string) =>
      sendBytes(running, rawRequest(`GET /v1/documents?${query}`, [authorization]))
    assertProblems(await list('limit=1&limit=2'), 'limit invalid_value')
    assertProblems(await list('__proto__=1'), '__proto__ unknown_field')
    assertProblems(await list('constructor=1'), 'constructor unknown_field')
    assertProblems(await list('toString=1'), 'toString unknown_field')
    assertProblems(await list('limit%00=1'), 'limit\0 unknown_field')
    assertProblems(await list('status=%ff'), 'status invalid_value')
    assertProblems(await list('cursor=%00'), 'cursor invalid_value')
  })

  test('If-Match with another or a weak ETag never matches, * always does, and a malformed one gets 400', async () => {
    const { id } = await anInvoice(running, pair)
    const approve = (etag: string) =>
      callApi(running, 'POST', `/v1/documents/${id}/transition`, {
        key: counterparty.key,
        body: { to: 'approved' },
        headers: { 'if-match': etag },
      })
    for (const wrong of ['W/"2"', '"02"', '"1,2"', '""']) {
      assertRefused(await approve(wrong), 'precondition_failed')
    }
    for (const malformed of ['2', 'abc', '"2', ',', '"2" 3', '2"']) {
      assertProblems(await approve(malformed), 'If-Match invalid_value')
    }
    assert.equal((await approve('"9", *')).status, 200)
  })

  test('Svc-Dry-Run accepts only true or false', async () => {
    for (const value of ['1', 'TRUE', 'yes', '']) {
      const headers = writeHeaders(length, `Svc-Dry-Run: ${value}`)
      const bytes = rawRequest('POST /v1/documents', headers, validBody)
      assertProblems(await sendBytes(running, bytes), 'Svc-Dry-Run invalid_value')
    }
  })
})
