/**
 * Download links: contract 4, reliability 2. Anyone who has the link may read the file until
 * it expires, without a key.
 *
 *   token = base64url(mac || attachment || organization || expiry in milliseconds, 6 bytes)
 *   mac   = the first 16 bytes of HMAC-SHA256(key, label || the rest)
 *
 * The label names the method, so a token can never authorize anything but reading.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface DownloadLink {
  attachment: string
  /** The organization to which the link was issued. */
  organization: string
  expiresAtMs: number
}

const label = 'svc-file/1 GET\n'
const macBytes = 16
const uuidBytes = 16
const expiryBytes = 6
const tokenBytes = macBytes + 2 * uuidBytes + expiryBytes

export const signDownloadLink = (key: Buffer, link: DownloadLink): string => {
  const body = Buffer.alloc(tokenBytes - macBytes)
  body.write(link.attachment.replaceAll('-', ''), 0, 'hex')
  body.write(link.organization.replaceAll('-', ''), uuidBytes, 'hex')
  body.writeUIntBE(link.expiresAtMs, 2 * uuidBytes, expiryBytes)
  return Buffer.concat([macOf(key, body), body]).toString('base64url')
}

/** The link in a valid token; undefined for any other text. Does not check the expiry. */
export const verifyDownloadLink = (key: Buffer, token: string): DownloadLink | undefined => {
  const bytes = Buffer.from(token, 'base64url')
  // Node ignores invalid characters and spare bits, so compare with the text that we would write.
  if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return undefined
  const body = bytes.subarray(macBytes)
  if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(key, body))) return undefined
  return {
    attachment: uuidAt(body, 0),
    organization: uuidAt(body, uuidBytes),
    expiresAtMs: body.readUIntBE(2 * uuidBytes, expiryBytes),
  }
}

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(label).update(body).digest().subarray(0, macBytes)

const uuidAt = (bytes: Buffer, offset: number): string => {
  const hex = bytes.toString('hex', offset, offset + uuidBytes)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
