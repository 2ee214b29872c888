/** Draws randomness in bulk: one call to the system's generator serves many ids and salts. */
import { randomBytes } from 'node:crypto'
import { uuidRandomBytes, uuidv7 } from '../core/ids.ts'

const poolBytes = 8_192
let pool = Buffer.alloc(0)
let at = 0

/** Returns the offset of `count` unused bytes of the pool. */
const reserveBytes = (count: number): number => {
  if (at + count > pool.length) {
    pool = randomBytes(Math.max(poolBytes, count))
    at = 0
  }
  at += count
  return at - count
}

/** Returns a view of random bytes: copy what must outlive the current turn. */
export const pooledRandomBytes = (count: number): Buffer => {
  const from = reserveBytes(count)
  return pool.subarray(from, from + count)
}

/** From 0 to 1, for jitter. */
export const randomFraction = (): number => pooledRandomBytes(4).readUInt32BE() / 2 ** 32

/** A new time-ordered id. */
export const newId = (nowMs = Date.now()): string => {
  const from = reserveBytes(uuidRandomBytes)
  return uuidv7(nowMs, pool, from)
}
