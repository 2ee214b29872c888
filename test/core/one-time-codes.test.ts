/** The codes of second factors: the vectors of RFC 6238, the window, and what a person types. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import {
  formatRecoveryCode,
  formatSecret,
  otpauthUrl,
  readCode,
  recoveryMac,
  stepOfCode,
  waitAfterWrongCodesMs,
} from '../../src/core/identity/one-time-codes.ts'

/** Appendix B of RFC 6238, SHA-1: the last six of its eight digits. */
const vectors: readonly [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]
const secret = formatSecret(Buffer.from('12345678901234567890'))

const stepAt = (seconds: number, code: string, lastStep = 0n) =>
  stepOfCode(secret, code, { nowMs: seconds * 1000, lastStep })

test('RFC 6238: the codes of its vectors are right at their times', () => {
  assert.equal(secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  for (const [seconds, code] of vectors) {
    assert.equal(stepAt(seconds, code), BigInt(Math.floor(seconds / 30)), code)
  }
})

test('a code is right one step early or late, and no more', () => {
  const [seconds, code] = vectors[3]!
  const step = Math.floor(seconds / 30)
  const offsets = [-2, -1, 0, 1, 2]
  const found = offsets.map((offset) => stepAt((step + offset) * 30, code))
  const own = BigInt(step)
  assert.deepEqual(found, [undefined, own, own, own, undefined])
  const lastSeconds = offsets.map((offset) => stepAt((step + offset) * 30 + 29.999, code))
  assert.deepEqual(lastSeconds, [undefined, own, own, own, undefined])
})

test('a step that was used, and every earlier one, is wrong', () => {
  const [seconds, code] = vectors[3]!
  const step = BigInt(Math.floor(seconds / 30))
  assert.equal(stepAt(seconds, code, step - 1n), step)
  for (const used of [step, step + 1n, step + 1_000n]) {
    assert.equal(stepAt(seconds, code, used), undefined)
  }
})

test('what a person types is read without spaces and hyphens', () => {
  const typed: readonly [string, string, string][] = [
    ['123456', 'totp', '123456'],
    [' 123 456 ', 'totp', '123456'],
    ['9f04c-11ab2-77d0e-3b5c8', 'recovery', '9f04c11ab277d0e3b5c8'],
    ['9F04C 11AB2 77D0E 3B5C8', 'recovery', '9f04c11ab277d0e3b5c8'],
    ['12345', 'none', '12345'],
    ['١٢٣٤٥٦', 'none', '١٢٣٤٥٦'],
    ['', 'none', ''],
  ]
  for (const [text, kind, code] of typed) assert.deepEqual(readCode(text), { kind, code })
})

test('a recovery code is read back, and its MAC depends on the secret', () => {
  const code = formatRecoveryCode(Buffer.alloc(limits.recoveryCodeBytes, 0x9f))
  assert.equal(code, '9f9f9-f9f9f-9f9f9-f9f9f')
  assert.equal(readCode(code).kind, 'recovery')
  const other = formatSecret(Buffer.alloc(limits.totpSecretBytes))
  assert.notEqual(recoveryMac(secret, code), recoveryMac(other, code))
})

test('the address for an app names the service and the person', () => {
  const url = new URL(otpauthUrl(secret, 'ada+1@example.com'))
  assert.equal(url.protocol, 'otpauth:')
  assert.equal(decodeURIComponent(url.pathname), '/Document Exchange:ada+1@example.com')
  assert.equal(url.searchParams.get('secret'), secret)
  assert.equal(url.searchParams.get('issuer'), 'Document Exchange')
})

test('each wrong code beyond the free ones doubles the wait, up to its most', () => {
  const free = limits.wrongCodesFree
  const seconds = [0, free - 1, free, free + 1, free + 4, free + 5, 10_000].map(
    (wrongCodes) => waitAfterWrongCodesMs(wrongCodes) / 1000,
  )
  assert.deepEqual(seconds, [0, 0, 30, 60, 480, 900, 900])
})
