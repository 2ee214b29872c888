/** The stored form of event envelopes, responses and bodies of history. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import {
  compactText,
  contentMark,
  dictionaries,
  fullText,
  historyDictionary,
  knownText,
  markContent,
} from '../../src/core/compact-text.ts'

const content = '{"notes":"Thank you","total":10}'
const text =
  '{"id":"evt_1","data":{"document":{"id":"doc_1","notes":"Thank you","total":10,"rev":1}}}'

test('a text comes back with the content that it showed', () => {
  const marked = markContent(text, content)
  assert.equal(marked, `{"id":"evt_1","data":{"document":{"id":"doc_1",${contentMark},"rev":1}}}`)
  assert.equal(fullText(compactText(marked), content), text)
})

test('a text that does not show the content is stored as it is', () => {
  assert.equal(fullText(compactText(markContent(text, '{"notes":"Other"}')), null), text)
  assert.equal(fullText(compactText(markContent('{}', '{}')), null), '{}')
})

test('a tiny text grows by one byte, and any other is compressed with the dictionary of its kind', () => {
  assert.equal(compactText('null', { dictionary: historyDictionary }).length, 5)
  const body = '{"actor":{"kind":"system"},"set":{"status":"approved"}}'
  for (const number of dictionaries.keys()) {
    for (let length = 0; length <= body.length; length += 1) {
      const stored = compactText(body.slice(0, length), { dictionary: number })
      assert.equal(fullText(stored, null), body.slice(0, length))
      assert(stored.length <= length + 8, `${length} become ${stored.length}`)
    }
    assert.equal(compactText(body, { dictionary: number })[0], number)
  }
})

test('a text whose content is missing fails, as does one of a dictionary that is not known', () => {
  const stored = compactText(markContent(text, content))
  assert.throws(() => fullText(stored, null), /content is missing/)
  stored[0] = 255
  assert.throws(() => fullText(stored, content), /newer release/)
})

test('a stored text that was changed fails, or comes back as another text, without much memory', () => {
  const stored = compactText(markContent(text, content))
  const before = process.memoryUsage.rss()
  for (let at = 1; at < stored.length; at += 1) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const changed = Buffer.from(stored)
      changed[at] = value
      try {
        fullText(changed, content)
      } catch (error) {
        assert(error instanceof Error)
      }
    }
    assert.throws(() => fullText(stored.subarray(0, at), content))
  }
  assert(process.memoryUsage.rss() - before < 64 * 1024 * 1024)
})

test('a dictionary never changes, since stored texts depend on it: a new one gets a new number', () => {
  const hashes = [...dictionaries].map(([number, bytes]) => [number, hash('sha256', bytes)])
  assert.deepEqual(hashes, [
    [1, '8071b7ed3e1979c938b8473cb3d952f42c3b748315c54b7f9cbc7ad354e6a496'],
    [2, '67e145aed02e1c677bf38818a37136e28202d7395cfdcd305a2416a9dc9bd043'],
  ])
})

test('a text leaves out what the rows beside it say, and comes back with the same', () => {
  const uuid = (n: number) => `01890000-0000-7000-8000-00000000000${n}`
  const known = knownText(
    {
      id: uuid(1),
      connection_id: uuid(2),
      issuer_id: uuid(3),
      counterparty_id: uuid(4),
      issuer_number: 'INV-000001',
      created_at: '2026-11-23T09:00:00.000Z',
    },
    { id: uuid(5), created_at: '2026-11-23T09:01:00.000Z' },
  )
  assert.equal(
    known,
    'con_01h4000000e008000000000002INV-0000012026-11-23T09:00:00.000Z' +
      'org_01h4000000e008000000000003org_01h4000000e008000000000004' +
      'doc_01h4000000e008000000000001evt_01h4000000e0080000000000052026-11-23T09:01:00.000Z',
    'stored texts depend on it',
  )
  const stored = compactText(known, { known })
  assert(stored.length < 30, `${stored.length} bytes`)
  assert.equal(fullText(stored, null, known), known)
  assert.notEqual(fullText(stored, null), known)
})
