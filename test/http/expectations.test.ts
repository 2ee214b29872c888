/**
 * A client that sends `Expect: 100-continue` waits with its body until it is asked for it. If its
 * request is refused before, it gets the refusal, and the connection ends (RFC 9110, 10.1.1).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, exampleLine } from '../support/fixtures.ts'
import { openSocket } from '../support/http/raw-http.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { until } from '../support/until.ts'

const { running, pair, issuer, connection } = await startTradingPair()

const draft = JSON.stringify({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
})
const form =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nabc\r\n--b--\r\n'
const json = 'application/json'

interface Announced {
  path: string
  type: string
  length: number
  key?: string
}

const headOf = ({ path, type, length, key = issuer.key }: Announced): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${freshIdempotencyKey()}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n')

const asked = 'HTTP/1.1 100 Continue\r\n\r\n'

const attachmentsPath = `/v1/documents/${(await aDraft(running, pair)).id}/attachments`
const multipart = 'multipart/form-data; boundary=b'

for (const [what, path, type, body] of [
  ['JSON', '/v1/documents', json, draft],
  ['a file', attachmentsPath, multipart, form],
] as const) {
  test(`a client that waits with ${what} is asked for it once, and its write is made`, async () => {
    const { socket, text } = await openSocket(running)
    socket.write(headOf({ path, type, length: body.length }))
    await until('it is asked', () => text() !== '')
    assert.equal(text(), asked)
    socket.write(body)
    await until('it is answered', () => text().includes('}'))
    assert.match(text().slice(asked.length), /^HTTP\/1.1 201 [^]*\r\nConnection: keep-alive\r\n/)
    socket.destroy()
  })
}

test('a client that does not wait is served as well', async () => {
  const { socket, text } = await openSocket(running)
  const { length } = draft
  socket.write(headOf({ path: '/v1/documents', type: json, length }) + draft)
  await until('it is answered', () => text().includes('}'))
  assert.match(text(), /(^|\r\n\r\n)HTTP\/1.1 201 /)
  socket.destroy()
})

const refused: Record<string, Announced & { status: number }> = {
  'a wrong credential': { path: '/v1/documents', type: json, length: 9, key: 'rk_x', status: 401 },
  'an unknown path': { path: '/v1/nothing', type: json, length: 9, status: 404 },
  'a body that is too large': {
    path: '/v1/documents',
    type: json,
    length: limits.bodyMaxBytes + 1,
    status: 413,
  },
  'a file that is too large': {
    path: attachmentsPath,
    type: multipart,
    length: 2 * limits.attachmentMaxBytes,
    status: 413,
  },
  'a form of another type': { path: attachmentsPath, type: json, length: 9, status: 415 },
}

for (const [flaw, { status, ...announced }] of Object.entries(refused)) {
  test(`${flaw} is refused before the body, and the connection ends`, async () => {
    const { socket, text } = await openSocket(running)
    socket.write(headOf(announced))
    await once(socket, 'close')
    assert.match(text(), new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close\r\n`))
  })
}
