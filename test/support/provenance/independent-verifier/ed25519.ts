/** Hashes and Ed25519 with the restrictions of section 6 of FORMAT.md. */

import { createHash, createPublicKey, verify } from 'node:crypto'

const P = 2n ** 255n - 19n
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const D = modulo(-121665n * inverse(121666n))

/** SHA-256 of the joined parts, texts as UTF-8 (section 1). */
export function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) {
    hash.update(part)
  }
  return hash.digest()
}

function modulo(n: bigint): bigint {
  const rest = n % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = modulo(base)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) {
      result = modulo(result * square)
    }
    square = modulo(square * square)
  }
  return result
}

function inverse(n: bigint): bigint {
  return power(n, P - 2n)
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

/** The square of x where the curve −x² + y² = 1 + d·x²·y² has this y. */
function squareOfX(y: bigint): bigint {
  return modulo((y * y - 1n) * inverse(D * y * y + 1n))
}

/**
 * Whether 32 bytes are the canonical encoding of a point (y < 2^255 − 19) that is not of small
 * order, section 6.
 */
export function isStrongPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) {
    return false
  }
  let y = littleEndian(bytes) & (2n ** 255n - 1n)
  if (y >= P) {
    return false
  }
  const xx = squareOfX(y)
  // x = 0 is a point of small order, so the sign bit of it needs no attention.
  if (xx === 0n || power(xx, (P - 1n) / 2n) !== 1n) {
    return false
  }
  // Double it three times; a point whose order divides 8 becomes the neutral one, y = 1.
  for (let i = 0; i < 3; i++) {
    const square = squareOfX(y)
    y = modulo((y * y + square) * inverse(2n + square - y * y))
  }
  return y !== 1n
}

/** Whether the signature of the message is right: RFC 8032 without the cofactor, section 6. */
export function isSignature(
  publicKey: Uint8Array,
  message: string | Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== 64 || !isStrongPoint(publicKey)) {
    return false
  }
  if (!isStrongPoint(signature.subarray(0, 32))) {
    return false
  }
  if (littleEndian(signature.subarray(32)) >= GROUP_ORDER) {
    return false
  }
  const x = Buffer.from(publicKey).toString('base64url')
  const key = createPublicKey({ key: { crv: 'Ed25519', kty: 'OKP', x }, format: 'jwk' })
  return verify(null, Buffer.from(message), key, signature)
}
