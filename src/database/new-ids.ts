/** Randomness in bulk: one call to the system's generator serves many ids and salts. */
import { randomBytes } from 'node:crypto'
import { uuidRandomBytes, uuidv7 } from '../core/ids.ts'

const poolBytes = 8_192
let pool = Buffer.alloc(0)
let at = 0

/** Where so many bytes of the pool begin, each handed out once. */
const reserveBytes = (count: number): number => {
  if (at + count > pool.length) {
    pool = randomBytes(Math.max(poolBytes, count))
    at = 0
  }
  at += count
  return at - count
}

/** Bytes of the CSPRNG. A view: copy what must outlive the turn. */
export const pooledRandomBytes = (count: number): Buffer => {
  const from = reserveBytes(count)
  return pool.subarray(from, from + count)
}

/** A new time-ordered id. */
export const newId = (nowMs = Date.now()): string => {
  const from = reserveBytes(uuidRandomBytes)
  return uuidv7(nowMs, pool, from)
}
