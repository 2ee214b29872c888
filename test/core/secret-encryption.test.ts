/** Signing secrets at rest (reliability 4.5). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decryptSecret, encryptSecret } from '../../src/core/secret-encryption.ts'

const key = randomBytes(32)
const seal = (label: string, secret: string) => encryptSecret(key, label, secret, randomBytes(12))

test('what was sealed opens under its own label, and holds nothing of the secret', () => {
  const sealed = seal('one', 'whsec_secret')
  assert.equal(decryptSecret(key, 'one', sealed), 'whsec_secret')
  assert(!sealed.includes('secret'))
  assert.notDeepEqual(seal('one', 'whsec_secret'), sealed, 'a nonce of its own each time')
})

test('two sealed secrets that were swapped do not open', () => {
  const [one, other] = [seal('one', 'whsec_1'), seal('other', 'whsec_2')]
  assert.equal(decryptSecret(key, 'other', one), undefined)
  assert.equal(decryptSecret(key, 'one', other), undefined)
})

test('another key, any changed byte and any cut do not open', () => {
  const sealed = seal('one', 'whsec_secret')
  assert.equal(decryptSecret(randomBytes(32), 'one', sealed), undefined)
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    assert.equal(decryptSecret(key, 'one', changed), undefined, `byte ${at}`)
    assert.equal(decryptSecret(key, 'one', sealed.subarray(0, at)), undefined, `cut at ${at}`)
  }
})
