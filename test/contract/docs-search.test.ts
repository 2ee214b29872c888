/** The search of the docs finds operations, errors, fields and guides by any of their words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find } from '../../docs/site/search.js'
import { readConfig } from '../../src/config.ts'
import { errorCodes } from '../../src/contract/error-codes.ts'
import { type ErrorCode, errors } from '../../src/contract/errors.ts'
import { addressesOf } from '../../src/docs/addresses.ts'
import { searchIndexOf } from '../../src/docs/rendering/search-index.ts'
import { searchWords } from '../../src/docs/rendering/search-words.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const docs = docsOf(operations, readConfig({}))
const index = searchIndexOf(docs)

const firstOf = (query: string): string => find(index, query)[0]?.address ?? 'nothing'

const expected: readonly [query: string, address: string][] = [
  ['webhooks', '/v1/docs/webhooks'],
  ['set up your shell', '/v1/docs#setup'],
  ['Issue a draft', '/v1/docs/reference-documents#documents.issue'],
  ['idempotency', '/v1/docs/idempotency'],
  ['rotat sign secret', '/v1/docs/webhooks#webhooks-secrets'],
  ['payment terms', '/v1/docs/vocabulary#payment-terms'],
  ['key store', '/v1/docs/libraries#libraries-key-stores'],
  ['python', '/v1/docs/libraries#libraries-python'],
  ['typescript', '/v1/docs/libraries#libraries-typescript'],
  ['construct_event', '/v1/docs/verification'],
  ['demo counterparty scenario', '/v1/docs/practice#played-counterparty'],
]

for (const [query, address] of expected) {
  test(`${query} finds ${address} first`, () => assert.equal(firstOf(query), address))
}

test('an error code finds its section first, and a status those that have it', () => {
  for (const code of errorCodes) {
    assert.equal(firstOf(code), `/v1/docs/errors#errors-${code}`)
    const found = find(index, String(errors[code].status)).map(({ title }) => title)
    assert(found.includes(code), `${errors[code].status}: ${found}`)
    assert.equal(errors[found[0] as ErrorCode].status, errors[code].status)
  }
})

test('what newcomers call something finds it first, also while it is typed', () => {
  const addresses = addressesOf(docs)
  const words = Object.entries(searchWords).flatMap(([id, all]) =>
    all.map((one): [string, string] => [one, id]),
  )
  assert.deepEqual(new Set(words.map(([one]) => one)).size, words.length, 'each has one section')
  for (const [word, id] of words) assert.equal(firstOf(word), addresses.get(id), word)
  assert.equal(firstOf('test mo'), addresses.get('practice'))
  assert.equal(firstOf('password res'), addresses.get('signing-in'))
})

test('three letters find the beginnings of words, and not their middle', () => {
  const entry = { page: '', address: '', text: 'A processor moves the money.' }
  assert.equal(find([{ title: 'Payments', ...entry }], 'sso').length, 0)
  assert.equal(find([{ title: 'Payments', ...entry }], 'cess').length, 1)
  assert.equal(find([{ title: 'Payments', ...entry }], 'mon').length, 1)
})

test('an operation is found first by its id, its tool and its call', () => {
  const addresses = addressesOf(docs)
  for (const { id, method, path } of operations.filter(isVersioned)) {
    for (const name of [id, id.replaceAll('.', '_'), `${method} ${path}`])
      assert.equal(firstOf(name), addresses.get(id), name)
  }
})

test('every word must be found, and no words find nothing', () => {
  assert.deepEqual(find(index, 'webhooks xyzzyplugh'), [])
  assert.deepEqual(find(index, '  '), [])
})

test('the excerpt shows the text around a word', () => {
  const [first] = find(index, 'HMAC-SHA256')
  assert.match(first?.excerpt ?? '', /HMAC-SHA256/)
})
