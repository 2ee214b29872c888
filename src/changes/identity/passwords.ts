/**
 * Passwords are hashed with argon2id and stored as PHC strings
 * ($argon2id$v=19$m=…,t=…,p=…$salt$hash), so the cost can rise later while older hashes still
 * verify.
 *
 * Invariants: a hash costs 19 MiB and some ten milliseconds of a thread, so few run at once, few
 * wait, and the rest are refused at once; a user without a password costs the same work as any
 * other, so timing does not reveal who exists.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'

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
  return formatPhc({ ...fresh, hash: await withHashingSlot(() => deriveHash(password, fresh)) })
}

/** Whether the password matches; null (no user or no password) never does, and takes as long. */
export const verifyPassword = async (password: string, phc: string | null): Promise<boolean> => {
  const stored = phc === null ? dummyHash : parsePhc(phc)
  const hash = await withHashingSlot(() => deriveHash(password, stored))
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

const waitingChecks: (() => void)[] = []
let runningCount = 0

/** Runs in order of arrival; refuses rather than letting the queue grow. */
const withHashingSlot = async <T>(work: () => Promise<T>): Promise<T> => {
  if (runningCount < limits.passwordChecksConcurrentMax) {
    runningCount += 1
  } else {
    if (waitingChecks.length >= limits.passwordChecksQueuedMax) throw tooManyChecks()
    await new Promise<void>((resolve) => waitingChecks.push(resolve))
  }
  try {
    return await work()
  } finally {
    const next = waitingChecks.shift()
    // The slot passes to the next waiter or becomes free.
    if (next === undefined) runningCount -= 1
    else next()
  }
}

const tooManyChecks = () =>
  refuse(
    'service_unavailable',
    'Too many passwords are being checked right now. Try again in a moment.',
    undefined,
    { retryAfterSeconds: 1 },
  )
