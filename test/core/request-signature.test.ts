/** Signatures of requests (RFC 9421): the vectors of the RFC, and which keys can sign. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isSignedBy,
  parseSigningKey,
  signatureBase,
} from '../../src/core/identity/request-signature.ts'

/** RFC 9421, appendix B.1.4 and B.2.6. */
const key = Buffer.from('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', 'base64url')
const params =
  '("date" "@method" "@path" "@authority" "content-type" "content-length")' +
  ';created=1618884473;keyid="test-key-ed25519"'
const lines = [
  ['date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
  ['@method', 'POST'],
  ['@path', '/foo'],
  ['@authority', 'example.com'],
  ['content-type', 'application/json'],
  ['content-length', '18'],
] as const
const signature =
  'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='

test('RFC 9421 B.2.6: the base of the vector has its signature, and no other base does', () => {
  const base = signatureBase(lines, params)
  const value = Buffer.from(signature, 'base64')
  assert(isSignedBy(key, base, value))
  assert(!isSignedBy(key, base.replace('POST', 'PUT'), value))
  assert(!isSignedBy(key, base, value.fill(0, 0, 1)))
  assert(!isSignedBy(key, base, value.subarray(1)))
})

test('a signing key is the 32 bytes of a sound point, in canonical base64', () => {
  const text = key.toString('base64')
  assert.deepEqual(parseSigningKey(text), key)
  const small = Buffer.alloc(32)
  small[0] = 1
  const [weak, long] = [small.toString('base64'), Buffer.alloc(33, 7).toString('base64')]
  const offCurve = Buffer.alloc(32, 2).fill(0, 1).toString('base64')
  const wrongs = ['', text.slice(0, -1), `${text}\n`, text.replace('+', '-'), weak, offCurve, long]
  for (const wrong of wrongs) {
    if (wrong !== text) assert.equal(parseSigningKey(wrong), undefined, JSON.stringify(wrong))
  }
})
