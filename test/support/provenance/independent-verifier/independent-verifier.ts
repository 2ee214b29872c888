/**
 * An independent verifier of one proof bundle, written from FORMAT.md alone.
 *
 * Run it with `node independent-verifier.ts BUNDLE [TRUST]`, or call `verify`.
 */

import { readFileSync } from 'node:fs'

import { checkBodies, checkWithheld } from './body.ts'
import { checkChain, checkHead, checkInclusion, checkOpenings } from './events.ts'
import { ensure, Failure, parseCanonical } from './json.ts'
import { parseCheckpoint, parseHead, type Checkpoint, type Head } from './note.ts'
import { checkParties } from './party.ts'
import { checkViewer, replay } from './replay.ts'
import { readBundle } from './shape.ts'
import { checkLogLines, checkWitnesses } from './signatures.ts'
import { readTrust, type Trust } from './trust.ts'

export type Result = { exitCode: 0 | 1 | 2; check?: string }

/** ORIGIN, SIGNATURE, KEY_WINDOW and WITNESS, in the order of section 9. */
function checkNotes(checkpoint: Checkpoint, head: Head, trust: Trust | undefined): void {
  ensure(checkpoint.origin === head.origin, 'ORIGIN')
  if (trust !== undefined) {
    const log = trust.logs.get(checkpoint.origin)
    ensure(log !== undefined, 'ORIGIN')
    checkLogLines(checkpoint, checkpoint.size, log)
    checkWitnesses(checkpoint, log)
    checkLogLines(head, head.keySize, log)
  }
}

/** All checks of section 9 on one bundle, in this order. The first that fails is thrown. */
function runChecks(bytes: Uint8Array, trust: Trust | undefined): void {
  const bundle = readBundle(parseCanonical(bytes))
  const checkpoint = parseCheckpoint(bundle.checkpoint)
  const head = parseHead(bundle.head, bundle.version)
  checkNotes(checkpoint, head, trust)
  const stream = checkChain(bundle)
  checkOpenings(bundle)
  checkBodies(bundle)
  checkWithheld(bundle)
  const state = replay(bundle)
  checkViewer(bundle, state)
  checkParties(bundle, state, trust?.parties ?? new Map())
  checkInclusion(bundle, checkpoint)
  checkHead(bundle, stream, head, checkpoint.size)
}

/**
 * Verifies one bundle. Section 15: 0 is valid, 1 invalid, and 2 consistent, but without a trust
 * file nobody vouches for the log. `check` is the name of the first failing check in section 9.
 */
export function verify(bundle: Uint8Array, options: { trust?: string } = {}): Result {
  try {
    const trust = options.trust === undefined ? undefined : readTrust(options.trust)
    runChecks(bundle, trust)
    return { exitCode: trust === undefined ? 2 : 0 }
  } catch (error) {
    if (error instanceof Failure) {
      return { exitCode: 1, check: error.check }
    }
    throw error
  }
}

if (import.meta.main) {
  const [bundlePath, trustPath] = process.argv.slice(2)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const options = trustPath === undefined ? {} : { trust: decoder.decode(readFileSync(trustPath)) }
  const result = verify(readFileSync(bundlePath!), options)
  console.log(JSON.stringify(result))
  process.exitCode = result.exitCode
}
