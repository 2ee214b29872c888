/** A browser accepts the same signatures as the published verifier in Node.js. */
import assert from 'node:assert/strict'
import * as crypto from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { isWeakPoint } from '../../verifier/verify-bundle.mjs'
import { buildConsole } from '../support/console/browser.ts'
import vectors from '../vectors/external/ed25519-cctv.json' with { type: 'json' }

buildConsole()
/** Its packages are those of the console. */
const proofFolder = join(import.meta.dirname, '../../console/src/proof')
const browser = (await import(join(proofFolder, 'node-crypto.ts'))) as typeof crypto

const jwkOf = (key: string) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(key, 'hex').toString('base64url'),
})

const isValid = (by: typeof crypto, { key, sig, msg }: (typeof vectors.tests)[number]): boolean => {
  const publicKey = by.createPublicKey({ key: jwkOf(key), format: 'jwk' })
  return by.verify(null, Buffer.from(msg), publicKey, Buffer.from(sig, 'hex'))
}

test('Ed25519: every case with a key that the verifier takes has the same answer', () => {
  const taken = vectors.tests.filter(({ key }) => !isWeakPoint(Buffer.from(key, 'hex')))
  assert(taken.length > 20)
  for (const one of taken) assert.equal(isValid(browser, one), isValid(crypto, one), one.flags)
})

test('Ed25519: signatures of Node.js are valid, and not for other bytes', () => {
  for (let i = 0; i < 20; i += 1) {
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519')
    const message = crypto.randomBytes(i * 7)
    const signature = crypto.sign(null, message, privateKey)
    const key = browser.createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' })
    assert(browser.verify(null, message, key, signature))
    assert(!browser.verify(null, Buffer.concat([message, Buffer.of(0)]), key, signature))
  }
})

test('SHA-256 is that of Node.js, of texts and of bytes', () => {
  for (const data of ['', 'Größe 😀', crypto.randomBytes(10_000)]) {
    assert.equal(browser.hash('sha256', data), crypto.hash('sha256', data))
  }
})
