/**
 * Passwords are hashed with argon2id and stored as PHC strings
 * ($argon2id$v=19$m=…,t=…,p=…$salt$hash), so the cost can rise later while older hashes still
 * verify.
 *
 * A hash costs 19 MiB and some ten milliseconds of a thread, so sign-ins take turns (sessions.ts).
 * Invariant: a user without a password costs the same work as any other, so timing does not reveal
 * who exists.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

interface PasswordHash {
  memoryKib: number
  passes: number
  parallelism: number
  salt: Buffer
  hash: Buffer
}

/** The second of OWASP's equivalent settings (Password Storage Cheat Sheet). */
const cost = { memoryKib: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const hashBytes = 32

/** Returns a PHC string. */
export const hashPassword = async (password: string): Promise<string> => {
  const fresh = { ...cost, salt: randomBytes(saltBytes), hash: Buffer.alloc(hashBytes) }
  return formatPhc({ ...fresh, hash: await deriveHash(password, fresh) })
}

/** Whether the password matches; null (no user or no password) never does, and takes as long. */
export const verifyPassword = async (password: string, phc: string | null): Promise<boolean> => {
  const stored = phc === null ? dummyHash : parsePhc(phc)
  const hash = await deriveHash(password, stored)
  return timingSafeEqual(hash, stored.hash) && stored !== dummyHash
}

const dummyHash: PasswordHash = {
  ...cost,
  salt: Buffer.alloc(saltBytes),
  hash: Buffer.alloc(hashBytes),
}

/** Unpadded base64, as the PHC format requires. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const formatPhc = ({ memoryKib, passes, parallelism, salt, hash }: PasswordHash): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`

const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

const parsePhc = (phc: string): PasswordHash => {
  const [, memory, passes, parallelism, salt, hash] = phcPattern.exec(phc) ?? []
  if (salt === undefined || hash === undefined) {
    throw new Error('a stored password is not an argon2id PHC string')
  }
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

const argon2Async = promisify(argon2)

/** NFKC, so a password typed on another keyboard or system still matches. */
const deriveHash = (
  password: string,
  { memoryKib, passes, parallelism, salt, hash }: PasswordHash,
) =>
  argon2Async('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    memory: memoryKib,
    passes,
    parallelism,
    tagLength: hash.length,
  })
