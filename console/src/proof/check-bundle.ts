/**
 * Checks a proof bundle with the published verifier, in the browser: what the service says of
 * itself is not asked. Only the keys of the log come from it, unless the person has others.
 */
import './buffer-global.ts'
import { Buffer } from 'buffer/'
import { Failure, readTrust, verifyBundle } from '../../../verifier/verify-bundle.mjs'
import type { LogKeys } from '../api/types.ts'
import { hash } from './node-crypto.ts'

export type CheckResult =
  | {
      isValid: true
      events: number
      complete: string
      origin: string
      size: number
      digest: string
    }
  | { isValid: false; check: string; seq?: number; message: string; digest: string }

/** A verifier key that somebody trusts, as the log's operator has published it. */
const trustOfKey = (vkey: string): LogKeys => ({
  origin: vkey.slice(0, Math.max(0, vkey.indexOf('+'))),
  keys: [vkey],
  windows: {},
})

export const checkBundle = (
  bytes: Uint8Array,
  { keys, ownKey }: { keys: LogKeys | undefined; ownKey: string },
): CheckResult => {
  const digest = hash('sha256', bytes)
  try {
    const trust = [readTrust(keys ?? trustOfKey(ownKey))]
    const { hashes, checkpoint, head } = verifyBundle(Buffer.from(bytes), { trust })
    const { origin, size } = checkpoint
    return { isValid: true, events: hashes.length, complete: head.asOf, origin, size, digest }
  } catch (error) {
    // An unexpected error never counts as valid.
    const { message } = error as Error
    if (!(error instanceof Failure)) return { isValid: false, check: 'INTERNAL', message, digest }
    const { check, seq } = error
    return { isValid: false, check, ...(seq === undefined ? {} : { seq }), message, digest }
  }
}
