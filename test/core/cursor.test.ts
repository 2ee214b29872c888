/** Cursors are opaque, authenticated and bound to organization and filters (contract 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { verifyCursor, signCursor } from '../../src/core/cursor.ts'

const key = Buffer.alloc(32, 7)
const scope = Buffer.alloc(32, 1)
const position = '2026-11-21T01:40:00.123456Z/1234567'

test('6 a cursor verifies to its position under the same key and scope', () => {
  const anyPosition = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => text.isWellFormed() && Buffer.byteLength(text) <= 134)
  const anyScope = fc.oneof(
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  )
  fc.assert(
    fc.property(anyPosition, anyScope, (place, ofScope) => {
      const cursor = signCursor(key, ofScope, place)
      assert.match(cursor, /^[0-9A-Za-z_-]{23,200}$/)
      assert.equal(verifyCursor(key, ofScope, cursor), place)
      assert.equal(signCursor(key, ofScope, place), cursor)
    }),
  )
})

test('6 every single-bit flip of the bytes or of the text is refused', () => {
  for (const place of ['1', '12', '123', position, 'x'.repeat(134)]) {
    const cursor = signCursor(key, scope, place)
    const bytes = Buffer.from(cursor, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(verifyCursor(key, scope, flipped.toString('base64url')), undefined)
    }
    for (let bit = 0; bit < cursor.length * 8; bit += 1) {
      const text = Buffer.from(cursor, 'latin1')
      text[bit >> 3] = (text[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(verifyCursor(key, scope, text.toString('latin1')), undefined)
    }
  }
})

test('6 a variant in alphabet, padding, spare bits or blanks is refused', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const place of ['1', '12', '123', '\u{10ffff}~~~???']) {
    const cursor = signCursor(key, scope, place)
    for (let at = 0; at < cursor.length; at += 1) {
      for (const character of `${alphabet}+/= \n.`) {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
        if (changed !== cursor) assert.equal(verifyCursor(key, scope, changed), undefined)
        const longer = cursor.slice(0, at) + character + cursor.slice(at)
        assert.equal(verifyCursor(key, scope, longer), undefined)
      }
      assert.equal(verifyCursor(key, scope, cursor.slice(0, at)), undefined)
      assert.equal(verifyCursor(key, scope, cursor.slice(at + 1)), undefined)
    }
    const base64 = Buffer.from(cursor, 'base64url').toString('base64')
    if (base64 !== cursor) assert.equal(verifyCursor(key, scope, base64), undefined)
    for (const text of [`${cursor}=`, `${cursor}==`, ` ${cursor}`, `${cursor}\n`, `${cursor}A`]) {
      assert.equal(verifyCursor(key, scope, text), undefined)
    }
  }
})

test('6 a cursor of another organization, other filters or another server is refused', () => {
  const cursor = signCursor(key, scope, position)
  const otherScopes = [
    Buffer.alloc(32, 2),
    Buffer.alloc(31, 1),
    Buffer.alloc(33, 1),
    '',
    'org/status',
  ]
  for (const other of otherScopes) assert.equal(verifyCursor(key, other, cursor), undefined)
  assert.equal(verifyCursor(Buffer.alloc(32, 8), scope, cursor), undefined)
  assert.equal(verifyCursor(Buffer.alloc(33, 7), scope, cursor), undefined)
})

test('6 no byte can move from the scope into the position', () => {
  const mac = Buffer.from(signCursor(key, 'ab', 'c'), 'base64url').subarray(0, 16)
  const moved = Buffer.concat([mac, Buffer.from('bc')]).toString('base64url')
  assert.equal(verifyCursor(key, 'a', moved), undefined)
})

test('6 forged and oversized cursors are refused without an exception', () => {
  const built = [
    '',
    'A',
    'abc',
    '{}',
    '1',
    'null',
    'A'.repeat(22),
    'A'.repeat(200),
    'A'.repeat(1e6),
  ]
  const encoded = Buffer.from('{"position":1}').toString('base64url')
  for (const text of [...built, encoded, '\0', '😀']) {
    assert.equal(verifyCursor(key, scope, text), undefined)
  }
  fc.assert(fc.property(fc.string(), (text) => verifyCursor(key, scope, text) === undefined))
})

test('6 a cursor has at most 200 characters; a longer position or a weak key throws', () => {
  assert.equal(signCursor(key, scope, 'x'.repeat(134)).length, 200)
  assert.throws(() => signCursor(key, scope, 'x'.repeat(135)), RangeError)
  assert.throws(() => signCursor(key, scope, 'ü'.repeat(68)), RangeError)
  assert.throws(() => signCursor(key, scope, ''), RangeError)
  assert.throws(() => signCursor(Buffer.alloc(31), scope, position), RangeError)
})
