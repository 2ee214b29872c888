/**
 * Encryption of stored secrets, so that the database alone does not reveal them (reliability 4.5):
 * AES-256-GCM under a key per record, derived from a key that the database never sees.
 *
 *   sealed = version 1 || nonce (12 bytes) || tag (16 bytes) || ciphertext
 *
 * The label names the record and is authenticated, so a ciphertext that is moved to another record
 * does not decrypt.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const version = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

export const encryptSecret = (
  key: Buffer,
  label: string,
  secret: string,
  nonce: Buffer,
): Buffer => {
  const cipher = createCipheriv(algorithm, deriveKey(key, label), nonce)
  cipher.setAAD(Buffer.from(label))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext])
}

/** Undefined unless it was encrypted with this key for this label and has not been changed. */
export const decryptSecret = (key: Buffer, label: string, sealed: Buffer): string | undefined => {
  if (sealed.length <= headBytes || sealed[0] !== version) return undefined
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const decipher = createDecipheriv(algorithm, deriveKey(key, label), nonce)
  decipher.setAAD(Buffer.from(label))
  decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
  const decrypted = decipher.update(sealed.subarray(headBytes))
  try {
    return Buffer.concat([decrypted, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const deriveKey = (key: Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, label, 'sealed secret', 32))
