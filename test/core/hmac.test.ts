/** MACs by two one-shot hashes are those of HMAC-SHA256 (docs/decisions/0049). */
import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import test from 'node:test'
import { hmacSha256, storedMac } from '../../src/core/hmac.ts'

const expected = (key: Buffer, message: string | Buffer) =>
  createHmac('sha256', key).update(message).digest()

test('a MAC is the HMAC-SHA256 that Node.js computes, for keys and messages of any length', () => {
  const keys = [32, 48, 64].map((length) => randomBytes(length))
  for (const length of [0, 1, 63, 64, 65, 1_365, 1_366, 4_095, 4_096, 4_097, 70_000]) {
    const bytes = randomBytes(length)
    const texts = ['a', 'é', '€', '😀', '\ud800'].map((character) => character.repeat(length))
    for (const key of keys) {
      for (const message of [bytes, ...texts]) {
        assert.deepEqual(hmacSha256(key, message), expected(key, message))
      }
    }
  }
})

test('a short message after a long one, and keys in turn, leave no trace in each other', () => {
  const keys = Array.from({ length: 4 }, () => randomBytes(32))
  const made = Array.from({ length: 1_000 }, () => {
    const key = keys[randomInt(keys.length)]!
    const message = randomBytes(randomInt(3_000)).toString('latin1')
    return { key, message, mac: hmacSha256(key, message) }
  })
  for (const { key, message, mac } of made) assert.deepEqual(mac, expected(key, message))
})

test('the stored MAC of parts begins that of the whole, and follows its header', () => {
  const key = randomBytes(32)
  for (const length of [0, 1, 63, 64, 1_000, 20_000]) {
    const parts = ['a', '€', '', '😀'].map((character) => character.repeat(length))
    const mac = expected(key, parts.join('')).subarray(0, 16)
    assert.deepEqual(storedMac(key, parts), mac)
    assert.deepEqual(storedMac(key, parts, [1, 255]), Buffer.from([1, 255, ...mac]))
  }
})

test('a key shorter than a digest or longer than a block is refused', () => {
  for (const length of [0, 16, 31, 65]) {
    assert.throws(() => hmacSha256(Buffer.alloc(length), 'text'), RangeError)
  }
})
