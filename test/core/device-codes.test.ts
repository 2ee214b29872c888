/** RFC 8628 6.1: codes that people read and type. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  deviceCodeBytes,
  deviceCodeFrom,
  formatUserCode,
  isDeviceCode,
  readUserCode,
  userCodeFrom,
  userCodeRandomBytes,
} from '../../src/core/identity/device-codes.ts'

test('a code has eight consonants, and is shown in two halves', () => {
  const code = userCodeFrom(randomBytes(userCodeRandomBytes))
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
  assert.equal(formatUserCode('WDJBMJHT'), 'WDJB-MJHT')
})

test('every letter is as likely as any other: bytes beyond a multiple of twenty are skipped', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const counts = new Map<string, number>()
  for (let from = 0; from + 8 <= 240; from += 8) {
    for (const letter of userCodeFrom(all.subarray(from))) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
  }
  assert.deepEqual([...new Set(counts.values())], [12])
  assert.equal(counts.size, 20)
  assert.throws(() => userCodeFrom(all.subarray(240)), RangeError)
})

test('case, spaces and hyphens do not matter; what no code has is no code', () => {
  for (const text of ['WDJB-MJHT', 'wdjb mjht', ' wdjbmjht ', 'WDJB–MJHT']) {
    assert.equal(readUserCode(text), 'WDJBMJHT', text)
  }
  for (const text of ['', 'WDJB-MJH', 'WDJB-MJHTX', 'WDJB-MJHA', 'WDJB-MJH1', 'WDJB_MJHT']) {
    assert.equal(readUserCode(text), undefined, text)
  }
})

test('the code that the program keeps has 192 random bits, and a prefix', () => {
  const code = deviceCodeFrom(randomBytes(deviceCodeBytes))
  assert.match(code, /^dc_[0-9A-Za-z_-]{32}$/)
  assert(isDeviceCode(code))
  assert(!isDeviceCode(`${code}x`))
})
