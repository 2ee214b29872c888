/** Randomness in bulk: one call to the system's generator serves many ids and salts. */
import { randomBytes } from 'node:crypto'
import { uuidv7 } from './core/ids.ts'

const poolBytes = 8_192
let pool = Buffer.alloc(0)
let at = 0

/** Bytes of the CSPRNG, each handed out once. A view: copy what must outlive the turn. */
export const randomPart = (count: number): Buffer => {
  if (at + count > pool.length) {
    pool = randomBytes(Math.max(poolBytes, count))
    at = 0
  }
  return pool.subarray(at, (at += count))
}

/** A new time-ordered id. */
export const newId = (nowMs = Date.now()): string => uuidv7(nowMs, randomPart(10))
