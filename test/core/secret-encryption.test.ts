/** Encryption of signing secrets at rest (reliability 4.5). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decryptSecret, encryptSecret, nonceBytes } from '../../src/core/secret-encryption.ts'

const key = randomBytes(32)
const encrypt = (label: string, secret: string) =>
  encryptSecret(key, label, secret, randomBytes(nonceBytes))

test('an encrypted secret decrypts under its own label and does not contain the plaintext', () => {
  const encrypted = encrypt('one', 'whsec_secret')
  assert.equal(decryptSecret(key, 'one', encrypted), 'whsec_secret')
  assert(!encrypted.includes('secret'))
  assert.notDeepEqual(
    encrypt('one', 'whsec_secret'),
    encrypted,
    'each encryption has its own nonce',
  )
})

test('two encrypted secrets that were swapped do not decrypt', () => {
  const [one, other] = [encrypt('one', 'whsec_1'), encrypt('other', 'whsec_2')]
  assert.equal(decryptSecret(key, 'other', one), undefined)
  assert.equal(decryptSecret(key, 'one', other), undefined)
})

test('a wrong key, a changed byte or a truncated text does not decrypt', () => {
  const encrypted = encrypt('one', 'whsec_secret')
  assert.equal(decryptSecret(randomBytes(32), 'one', encrypted), undefined)
  for (let at = 0; at < encrypted.length; at += 1) {
    const changed = Buffer.from(encrypted)
    changed[at]! ^= 1
    assert.equal(decryptSecret(key, 'one', changed), undefined, `byte ${at}`)
    assert.equal(decryptSecret(key, 'one', encrypted.subarray(0, at)), undefined, `cut at ${at}`)
  }
})
