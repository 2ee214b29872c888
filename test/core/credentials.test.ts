/** Credentials: format, checksum and entropy (contract 3, reliability 4.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  modeOfKey,
  modeOfSessionToken,
  keyRandomBytes,
  redactSecrets,
  mintKey,
  mintSessionToken,
  sessionRandomBytes,
} from '../../src/core/identity/credentials.ts'
import { signDownloadLink } from '../../src/core/attachments/download-links.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const counting = Uint8Array.from({ length: keyRandomBytes }, (_, index) => index)
const { key } = mintKey('live', counting)

const mode = fc.constantFrom('live' as const, 'test' as const)
const random = fc.uint8Array({ minLength: keyRandomBytes, maxLength: keyRandomBytes })
const enough = random.filter((bytes) => bytes.filter((byte) => byte < 248).length >= 43)

test('3 a key is rk_, mode, dx1_, 8 look-up and 35 secret characters, and 6 of checksum', () => {
  // The format is fixed, because keys that callers already hold must stay valid.
  assert.equal(key, 'rk_live_dx1_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg' + key.slice(-6))
  fc.assert(
    fc.property(mode, enough, (ofMode, bytes) => {
      const minted = mintKey(ofMode, bytes)
      assert.match(minted.key, new RegExp(`^rk_${ofMode}_dx1_[0-9A-Za-z]{8}[0-9A-Za-z]{41}$`))
      assert.equal(minted.prefix, minted.key.slice(0, 20))
      assert.equal(modeOfKey(minted.key), ofMode)
    }),
  )
})

/** Computes CRC-32 (ISO-HDLC) bit by bit, independently of the table in zlib. */
function bitwiseCrc32(text: string): bigint {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return BigInt((crc ^ 0xffffffff) >>> 0)
}

test('3 the checksum is the base62 CRC32 of all before it, padded to six digits', () => {
  assert.equal(bitwiseCrc32('123456789'), 0xcbf43926n)
  fc.assert(
    fc.property(mode, enough, (ofMode, bytes) => {
      const minted = mintKey(ofMode, bytes).key
      let value = 0n
      for (const digit of minted.slice(-6)) value = value * 62n + BigInt(base62.indexOf(digit))
      assert.equal(value, bitwiseCrc32(minted.slice(0, -6)))
    }),
  )
})

test('3 the checksum refuses every change of one character', () => {
  for (const minted of [key, mintKey('test', counting.toReversed()).key]) {
    for (let at = 0; at < minted.length; at += 1) {
      for (const character of base62 + '_- .é\0') {
        const changed = minted.slice(0, at) + character + minted.slice(at + 1)
        if (changed !== minted) assert.equal(modeOfKey(changed), undefined, changed)
      }
    }
  }
})

test('3 swapped, missing, doubled characters and the other mode are refused', () => {
  for (let at = 0; at < key.length; at += 1) {
    const [before, here, after] = [key.slice(0, at), key.charAt(at), key.slice(at + 1)]
    const swapped = before + after.charAt(0) + here + after.slice(1)
    for (const changed of [before + after, before + here + here + after, swapped]) {
      if (changed !== key) assert.equal(modeOfKey(changed), undefined)
    }
  }
  const texts = ['', 'rk_live_', key.replace('live', 'test'), key.toLowerCase(), key.toUpperCase()]
  const padded = [` ${key}`, `${key} `, `${key}\n`, `\n${key}`, `Bearer ${key}`, key + key]
  const others = [mintSessionToken('live', counting.subarray(0, 24)), 'x'.repeat(1_000_000)]
  for (const text of [...texts, ...padded, ...others]) assert.equal(modeOfKey(text), undefined)
})

test('3 another length is refused, even with the right checksum', () => {
  for (const body of [key.slice(0, -7), `${key.slice(0, -6)}A`, `${key.slice(0, -6)}AAAAAA`]) {
    let rest = bitwiseCrc32(body)
    let checksum = ''
    for (; checksum.length < 6; rest /= 62n) checksum = base62.charAt(Number(rest % 62n)) + checksum
    assert.equal(modeOfKey(body + checksum), undefined)
  }
})

test('3 characters come from bytes below 248, so that all 62 are equally likely', () => {
  const counts = new Map<string, number>()
  for (let byte = 0; byte < 248; byte += 1) {
    const minted = mintKey('live', Uint8Array.of(...Array(30).fill(255), ...Array(43).fill(byte)))
    const character = minted.key.charAt(12)
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  assert.deepEqual(new Set(counts.keys()), new Set(base62))
  assert.deepEqual(new Set(counts.values()), new Set([4]))
})

test('3 too few random bytes throw instead of making a weaker key', () => {
  const tooMany = keyRandomBytes - 42
  const short = Uint8Array.from({ length: keyRandomBytes }, (_, at) => (at < tooMany ? 248 : 1))
  assert.throws(() => mintKey('live', short), /64 random bytes gave 42 of 43 characters/)
  assert.throws(() => mintKey('test', new Uint8Array(42)), /42 of 43/)
  assert.throws(() => mintKey('test', new Uint8Array(0)), RangeError)
})

test('3 a session token is rs_, mode and 192 random bits', () => {
  const ones = new Uint8Array(sessionRandomBytes).fill(0xff)
  assert.equal(mintSessionToken('test', ones), `rs_test_${'_'.repeat(32)}`)
  fc.assert(
    fc.property(mode, fc.uint8Array({ minLength: 24, maxLength: 24 }), (ofMode, bytes) => {
      const token = mintSessionToken(ofMode, bytes)
      assert.equal(token.length, 40)
      assert.deepEqual(Buffer.from(token.slice(8), 'base64url'), Buffer.from(bytes))
      assert.equal(modeOfSessionToken(token), ofMode)
      assert.equal(modeOfKey(token), undefined)
      for (const text of [`${token}\n`, token.slice(1), `${token}A`, token.slice(0, -1)]) {
        assert.equal(modeOfSessionToken(text), undefined)
      }
    }),
  )
  for (const count of [0, 23, 25, 32]) {
    assert.throws(() => mintSessionToken('live', new Uint8Array(count)), RangeError)
  }
  for (const text of ['', key, `rs_prod_${'A'.repeat(32)}`, `rs_live_${'='.repeat(32)}`]) {
    assert.equal(modeOfSessionToken(text), undefined)
  }
})

test('4.1 a secret in a text is masked, whole or truncated, at any position', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  const token = signDownloadLink(Buffer.alloc(32), {
    attachment: id,
    organization: id,
    expiresAtMs: 1,
  })
  const session = mintSessionToken('test', new Uint8Array(sessionRandomBytes))
  const masked: Record<string, string> = {
    [key]: `${key.slice(0, 20)}…`,
    [key.slice(0, 30)]: `${key.slice(0, 20)}…`,
    [`rk_test_${'a'.repeat(49)}`]: 'rk_test_aaaaaaaa…',
    [session]: 'rs_test_…',
    [session.slice(0, 12)]: 'rs_test_…',
    ...Object.fromEntries(
      ['sl', 'rf', 'st', 'mi', 'mt', 'dc'].map((kind) => [
        `${kind}_${'b'.repeat(32)}`,
        `${kind}_…`,
      ]),
    ),
    'whsec_ab+/cd%2Fef=': 'whsec_…',
    [token]: '…',
  }
  for (const [secret, shown] of Object.entries(masked)) {
    assert.equal(redactSecrets(secret), shown)
    assert.equal(redactSecrets(`/v1/x/${secret} y`), `/v1/x/${shown} y`)
    assert.equal(
      redactSecrets(`{"a":"${secret}","b":"${secret}"}`),
      `{"a":"${shown}","b":"${shown}"}`,
    )
  }
  // A router decodes a path, and so may whoever reads a log: every layer, each its own way.
  const encodedOnce = (text: string) =>
    text.replaceAll(/[^]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const encodings = [
    encodedOnce,
    (text: string) => encodedOnce(text).toUpperCase(),
    (text: string) => text.replace(/^./, encodedOnce),
    (text: string) => encodeURIComponent(encodedOnce(text)),
    (text: string) => encodeURIComponent(encodeURIComponent(encodedOnce(text))),
    (text: string) => encodedOnce(text).replaceAll('%', '%2%35'),
  ]
  for (const [secret, shown] of Object.entries(masked)) {
    for (const encode of encodings) {
      const path = redactSecrets(`/v1/x/${encode(secret.replaceAll('%2F', '/'))} y`)
      assert.equal(path, `/v1/x/${shown} y`)
    }
  }
  const line = redactSecrets(`{"path":"/v1/x/%22${encodedOnce(key)}"}`)
  assert.deepEqual(JSON.parse(line), { path: `/v1/x/%22${key.slice(0, 20)}…` })
  const untouched = '/v1/x/%E2%82%AC%20%41%2541 100%'
  assert.equal(redactSecrets(untouched), untouched)
  const plain = [key.slice(0, 20), '/v1/keys', 'vessl_in', id, 'x'.repeat(71), 'x'.repeat(500)]
  for (const text of plain) assert.equal(redactSecrets(text), text)
})
