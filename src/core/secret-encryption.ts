/**
 * A secret that must be read again, kept so that the database alone does not reveal it (reliability
 * 4.5): AES-256-GCM under a key of its own record, derived from a key that the database never sees.
 *
 *   sealed = version 1 || nonce (12 bytes) || tag (16 bytes) || ciphertext
 *
 * The label names the record and is authenticated: a ciphertext that was moved to another record
 * does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const cipher = 'aes-256-gcm'
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
  const sealing = createCipheriv(cipher, deriveKey(key, label), nonce)
  sealing.setAAD(Buffer.from(label))
  const sealed = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()])
  return Buffer.concat([Buffer.of(version), nonce, sealing.getAuthTag(), sealed])
}

/** Undefined when it was not sealed with this key for this label, or was changed since. */
export const decryptSecret = (key: Buffer, label: string, sealed: Buffer): string | undefined => {
  if (sealed.length <= headBytes || sealed[0] !== version) return undefined
  const opening = createDecipheriv(
    cipher,
    deriveKey(key, label),
    sealed.subarray(1, 1 + nonceBytes),
  )
  opening.setAAD(Buffer.from(label))
  opening.setAuthTag(sealed.subarray(1 + nonceBytes, headBytes))
  const opened = opening.update(sealed.subarray(headBytes))
  try {
    return Buffer.concat([opened, opening.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const deriveKey = (key: Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, label, 'sealed secret', 32))
