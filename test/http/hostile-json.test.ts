/**
 * Hostile bodies, headers and bytes: each gets the envelope and the right status (contract 1 and
 * 2), the process survives, and no prototype is polluted.
 */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, exampleLine } from '../support/fixtures.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { rawRequest, sendBytes } from '../support/http/raw-http.ts'

const { running, pair, issuer, connection } = await startTradingPair()

const mebibyte = 1024 * 1024
const create = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
const validBody = JSON.stringify(create)
/** The body of a create with this JSON before its first field. */
const withFirst = (json: string): string => `{${json},${validBody.slice(1)}`

const post = (raw: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents', { key: issuer.key, raw, headers })

const sendCreate = (headers: readonly string[], body: string | Buffer): Promise<Reply> => {
  const always = [
    `Authorization: Bearer ${issuer.key}`,
    `Idempotency-Key: ${freshIdempotencyKey()}`,
  ]
  return sendBytes(running, rawRequest('POST /v1/documents', [...always, ...headers], body))
}
const json = 'Content-Type: application/json'

afterEach(async () => {
  assert.equal(({} as { polluted?: unknown }).polluted, undefined, 'no prototype is polluted')
  assert.equal((await callApi(running, 'GET', '/healthz')).status, 200, 'the process is alive')
  const failures = running.logLines
    .splice(0)
    .filter((line) => /internal_error|server_error/.test(line))
  assert.deepEqual(failures, [], 'nothing was answered as a server error')
})

describe('contract 2: ambiguous JSON, and JSON that cannot be stored', () => {
  for (const [flaw, raw, problem] of [
    ['a duplicate key', withFirst('"notes":"a","notes":"b"'), '/notes'],
    ['a duplicate key, once escaped', withFirst('"notes":"a","\\u006eotes":"b"'), '/notes'],
    [
      'a duplicate key in a line',
      validBody.replace('{"desc', '{"sku":"a","sku":"b","desc'),
      '/line_items/0/sku',
    ],
    ['NUL in a text', withFirst('"notes":"a\\u0000b"'), '/notes'],
    ['NUL in a key', withFirst('"external_refs":{"a\\u0000":"b"}'), '/external_refs'],
    ['a raw NUL', withFirst('"notes":"a\0b"'), ''],
    ['a lone high surrogate', withFirst('"notes":"\\ud83d"'), '/notes'],
    ['a lone low surrogate', withFirst('"notes":"\\ude00x"'), '/notes'],
    ['a lone surrogate in a key', withFirst('"external_refs":{"\\udfff":"b"}'), '/external_refs'],
    ['__proto__', withFirst('"__proto__":{"polluted":true}'), '/__proto__'],
    ['__proto__ escaped', withFirst('"\\u005f_proto__":{"polluted":true}'), '/__proto__'],
    ['__proto__ in a map', withFirst('"metadata":{"__proto__":"x"}'), '/metadata/__proto__'],
    [
      'constructor.prototype',
      withFirst('"constructor":{"prototype":{"polluted":1}}'),
      '/constructor',
    ],
    ['a number beyond all doubles', withFirst('"notes":1e400'), '/notes'],
    ['an unfinished body', validBody.slice(0, -1), ''],
    ['two values', `${validBody}${validBody}`, ''],
    ['a byte order mark', `\ufeff${validBody}`, ''],
    ['single quotes', "{'a':1}", ''],
    ['a comment', `/**/${validBody}`, ''],
    ['a trailing comma', `{"a":1,}`, ''],
    ['NaN', '{"a":NaN}', ''],
    ['white space alone', '   ', ''],
  ] as const) {
    test(`${flaw} answers 400 and points at it`, async () => {
      assertProblems(await post(raw), `${problem} invalid_value`)
    })
  }

  test('invalid UTF-8 and overlong UTF-8 answer 400', async () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const raw = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
      assertProblems(await post(raw), ' invalid_value')
    }
  })

  test('depth 16 is parsed and refused as an unknown field, depth 17 for its depth', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    const { errors } = assertRefused(await post(nested(16)), 'invalid_request')
    assert(errors.some(({ code }: { code: string }) => code === 'unknown_field'))
    assertProblems(await post(nested(17)), `/a${'/0'.repeat(15)} invalid_value`)
    assertProblems(await post('['.repeat(500_000)), `${'/0'.repeat(16)} invalid_value`)
  })

  test('a body that is not an object answers 400 wrong_type', async () => {
    for (const raw of ['null', '[]', '"text"', '1', 'true']) {
      assertProblems(await post(raw), ' wrong_type')
    }
  })
})

describe('contract 2: the size of a body', () => {
  const padded = (bytes: number) => validBody + ' '.repeat(bytes - Buffer.byteLength(validBody))

  test('1 MiB is accepted and 1 byte more answers 413, announced or chunked', async () => {
    assert.equal((await post(padded(mebibyte))).status, 201)
    const announced = await sendCreate([json, `Content-Length: ${mebibyte + 1}`], '')
    const details = assertRefused(announced, 'payload_too_large')
    assert.deepEqual(details, { limit_bytes: mebibyte })
    assertRefused(await post(padded(mebibyte + 1)), 'payload_too_large')
    const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
    const transfer = [json, 'Transfer-Encoding: chunked']
    assert.equal((await sendCreate(transfer, chunked(padded(mebibyte)))).status, 201)
    const reply = await sendCreate(transfer, chunked(padded(mebibyte + 1)))
    assertRefused(reply, 'payload_too_large')
  })

  test('a body in chunks of one byte is read as one body', async () => {
    const bytes = [...validBody].map((byte) => `1\r\n${byte}\r\n`).join('')
    const reply = await sendCreate([json, 'Transfer-Encoding: chunked'], `${bytes}0\r\n\r\n`)
    assert.equal(reply.status, 201, reply.text)
  })

  test('more keys than any document needs answer 400', async () => {
    const keys = Array.from({ length: 5_001 }, (_, i) => `"k${i}":0`).join(',')
    assertProblems(await post(`{${keys}}`), ' invalid_value')
  })

  test('more list entries than any document needs answer 400 with one problem', async () => {
    const lines = Array.from({ length: 100_000 }, () => '{}').join(',')
    assertProblems(await post(`{"line_items":[${lines}]}`), ' invalid_value')
    assertProblems(await post(`{"references":[${'1,'.repeat(1_000)}1]}`), ' invalid_value')
  })
})

describe('contract 1: an open map has at most 20 keys of 40 characters and texts of 255', () => {
  const createWith = (map: Record<string, unknown>): Promise<Reply> =>
    post(JSON.stringify({ ...create, external_refs: map, metadata: map }))
  const both = (problem: string) => [`/external_refs${problem}`, `/metadata${problem}`]

  test('a map of the maximum size with any characters is accepted', async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `${i}/~ "😀`.padEnd(40, '\u00e9'))
    const map = Object.fromEntries(keys.map((key) => [key, '😀'.repeat(255)]))
    const reply = await createWith(map)
    assert.equal(reply.status, 201, reply.text)
    assert.deepEqual([reply.body.external_refs, reply.body.metadata], [map, map])
  })

  for (const [flaw, map, problem] of [
    [
      '21 keys',
      Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, 'x'])),
      ' out_of_range',
    ],
    ['a key of 41 characters', { ['k'.repeat(41)]: 'x' }, `/${'k'.repeat(41)} too_long`],
    ['an empty key', { '': 'x' }, '/ invalid_value'],
    ['a text of 256 characters', { a: 'x'.repeat(256) }, '/a too_long'],
    ['a number', { a: 1 }, '/a wrong_type'],
    ['null', { a: null }, '/a wrong_type'],
    ['a nested map', { a: { b: 'x' } }, '/a wrong_type'],
    ['a key with a line feed', { 'a\nb': 'x' }, '/a\nb invalid_value'],
  ] as const) {
    test(`a map with ${flaw} answers 400`, async () => {
      assertProblems(await createWith(map), ...both(problem))
    })
  }
})

describe('contract 2: every problem is listed at once, with a pointer and a fix', () => {
  test('one body lists its missing, unknown, read-only, wrong, too long and misplaced fields', async () => {
    const { description: _, ...bare } = exampleLine
    const body = {
      document_type: 'invoise',
      line_items: [bare, { ...exampleLine, quantity: '1', taxrate: 0.1 }, 'line'],
      currency: 'CHF',
      notes: 'x'.repeat(5_001),
      number: 'INV-1',
      total: 1,
      tax: 0.08,
      vat: 0.2,
      payment_term: 'Net 30',
      document_date: '2026-02-30',
      external_refs: { 'a/b~c': 1, long: 'x'.repeat(256) },
      references: [{ rel: 'credit', document_id: 'inv_1' }],
    }
    const problems = assertProblems(
      await post(JSON.stringify(body)),
      '/connection_id required',
      '/document_type invalid_value',
      '/line_items/0/description required',
      '/line_items/1/quantity wrong_type',
      '/line_items/1/taxrate unknown_field',
      '/line_items/2 wrong_type',
      '/currency invalid_value',
      '/notes too_long',
      '/number read_only',
      '/total read_only',
      '/tax tax_is_per_line',
      '/vat tax_is_per_line',
      '/payment_term unknown_field',
      '/document_date invalid_value',
      '/external_refs/a~1b~0c wrong_type',
      '/external_refs/long too_long',
      '/references/0/rel invalid_value',
      '/references/0/document_id invalid_value',
    )
    const hintFor = (param: string) => {
      const { message, fix } = problems.find((problem) => problem.param === param)!
      return `${message} ${fix}`
    }
    assert.match(hintFor('/document_type'), /did you mean invoice\?/i)
    assert.match(hintFor('/line_items/1/taxrate'), /did you mean tax_rate\?/i)
    assert.match(hintFor('/payment_term'), /did you mean payment_terms\?/i)
    assert.match(hintFor('/references/0/rel'), /did you mean credits\?/i)
    assert.match(hintFor('/currency'), /USD, EUR, GBP, CAD/)
    assert.match(hintFor('/tax'), /set line_items\[\]\.tax_rate on each line/)
  })

  test('an operation without a body accepts none or {}', async () => {
    const { id } = await aDraft(running, pair)
    const issue = (raw: string) =>
      callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key, raw })
    assertProblems(await issue('{"x":1}'), '/x unknown_field')
    assertProblems(await issue('[]'), ' wrong_type')
    assert.equal((await issue('{}')).status, 200)
  })

  test('problems of the totals are listed together with those of the schema', async () => {
    const line_items = [{ ...exampleLine, tax_rate: 8 }]
    const body = { connection_id: connection, document_type: 'invoice', line_items, nots: 'x' }
    const problems = [`/nots unknown_field`, '/line_items/0/tax_rate out_of_range']
    assertProblems(await post(JSON.stringify(body)), ...problems)
  })

  test('a transition with notes gets the suggestion note', async () => {
    const { id } = await aDraft(running, pair)
    const raw = '{"to":"cancelled","notes":"x"}'
    const path = `/v1/documents/${id}/transition`
    const reply = await callApi(running, 'POST', path, { key: issuer.key, raw })
    const [problem] = assertProblems(reply, '/notes unknown_field')
    assert.match(problem!.message, /did you mean note\?/i)
  })
})
