/** Who signed the notes: SIGNATURE, KEY_WINDOW and WITNESS of section 9 of FORMAT.md. */

import { isSignature } from './ed25519.ts'
import { ensure } from './json.ts'
import type { Checkpoint, Note, SignatureLine } from './note.ts'
import type { Log, LogKey, VerifierKey } from './trust.ts'

function isInForce(key: LogKey, size: number): boolean {
  return key.fromSize <= size && size < key.untilSize
}

/** The lines are exactly those of the keys in force at that size, all of them valid (section 8). */
export function checkLogLines(note: Note, size: number, log: Log): void {
  for (const line of note.logLines) {
    const key = log.keys.find((candidate) => candidate.keyId === line.keyId)
    ensure(key !== undefined, 'SIGNATURE')
    ensure(isSignature(key.publicKey, note.signed, line.payload), 'SIGNATURE')
    ensure(isInForce(key, size), 'KEY_WINDOW')
  }
  const signers = new Set(note.logLines.map((line) => line.keyId))
  const missing = log.keys.some((key) => isInForce(key, size) && !signers.has(key.keyId))
  ensure(!missing, 'SIGNATURE')
}

/** Whether the line is a right `cosignature/v1` of the witness, section 6. */
function isCosignature(witness: VerifierKey, line: SignatureLine, signed: string): boolean {
  if (line.payload.length !== 72) {
    return false
  }
  const seconds = line.payload.readBigUInt64BE(0)
  if (seconds >= 2n ** 63n) {
    return false
  }
  const message = `cosignature/v1\ntime ${seconds}\n${signed}`
  return isSignature(witness.publicKey, message, line.payload.subarray(8))
}

/** Cosignatures of trusted witnesses are right, and enough of them are there (sections 6, 8). */
export function checkWitnesses(checkpoint: Checkpoint, log: Log): void {
  const cosigners = new Set<VerifierKey>()
  for (const line of checkpoint.witnessLines) {
    const witnesses = log.witnesses.filter(
      (witness) => witness.name === line.name && witness.keyId === line.keyId,
    )
    if (witnesses.length > 0) {
      const cosigner = witnesses.find((witness) => isCosignature(witness, line, checkpoint.signed))
      ensure(cosigner !== undefined, 'WITNESS')
      cosigners.add(cosigner)
    }
  }
  const isAsked = checkpoint.size >= log.witnessedFromSize
  ensure(!isAsked || cosigners.size >= log.quorum, 'WITNESS')
}
