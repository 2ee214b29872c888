/**
 * Encryption at rest, so that the database alone reveals no secret (reliability 4.5): AES-256-GCM
 * under keys that the database never sees.
 *
 *   encrypted bytes  = nonce (12 bytes) || tag (16 bytes) || ciphertext
 *   encrypted secret = version 1 || encrypted bytes, under a key per record
 *
 * The label of a secret names its record and is authenticated, so a ciphertext that is moved to
 * another record does not decrypt.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const version = 1
export const nonceBytes = 12
const tagBytes = 16
const headBytes = nonceBytes + tagBytes

/** The label is authenticated with the bytes; no key encrypts two of them with one nonce. */
export const encryptBytes = (key: Buffer, bytes: Buffer, nonce: Buffer, label = ''): Buffer => {
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(Buffer.from(label))
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/** Throws unless they were encrypted with this key and label and have not been changed. */
export const decryptBytes = (key: Buffer, encrypted: Buffer, label = ''): Buffer => {
  const decipher = createDecipheriv(algorithm, key, encrypted.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(label))
  decipher.setAuthTag(encrypted.subarray(nonceBytes, headBytes))
  return Buffer.concat([decipher.update(encrypted.subarray(headBytes)), decipher.final()])
}

export const encryptSecret = (key: Buffer, label: string, secret: string, nonce: Buffer): Buffer =>
  Buffer.concat([
    Buffer.of(version),
    encryptBytes(deriveKey(key, label), Buffer.from(secret), nonce, label),
  ])

/** Undefined unless it was encrypted with this key for this label and has not been changed. */
export const decryptSecret = (key: Buffer, label: string, sealed: Buffer): string | undefined => {
  const encrypted = sealed.subarray(1)
  if (encrypted.length <= headBytes || sealed[0] !== version) return undefined
  try {
    return decryptBytes(deriveKey(key, label), encrypted, label).toString('utf8')
  } catch {
    return undefined
  }
}

const deriveKey = (key: Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, label, 'sealed secret', 32))
