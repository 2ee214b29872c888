/** What the published verifier uses of node:crypto, for a browser: SHA-256 and Ed25519. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

const bytesOf = (data: Uint8Array | string): Uint8Array =>
  typeof data === 'string' ? utf8ToBytes(data) : data

/** The verifier asks for no other algorithm. */
export const hash = (_: 'sha256', data: Uint8Array | string): string =>
  bytesToHex(sha256(bytesOf(data)))

/** Only of a Node.js that lacks `hash`. */
export const createHash = undefined

export const createPublicKey = ({ key }: { key: { x: string } }): Uint8Array =>
  Uint8Array.from(atob(key.x.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

const { Point } = ed25519
const order = Point.Fn.ORDER

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes.toReversed())}`)

/**
 * As OpenSSL has it: `S·B − k·A` is compared with R byte by byte, and R is not of small order. The
 * package multiplies both sides by the cofactor, and so takes signatures that Node.js refuses.
 */
export const verify = (
  _: null,
  data: Uint8Array,
  key: Uint8Array,
  signature: Uint8Array,
): boolean => {
  if (signature.length !== 64) return false
  const [r, s] = [signature.subarray(0, 32), littleEndian(signature.subarray(32))]
  if (s >= order) return false
  try {
    const a = Point.fromBytes(key)
    const k = littleEndian(sha512(concatBytes(r, key, data))) % order
    const expected = Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k))
    return !expected.isSmallOrder() && bytesToHex(expected.toBytes()) === bytesToHex(r)
  } catch {
    return false
  }
}
