/** The parts of the fraud proof that tests use. */
import type { Trust } from './verify-bundle.mjs'

export function verifyFraudProof(
  bytes: Uint8Array,
  trust?: readonly Trust[],
): { origin: string; reason: string }
export function findFraud(
  one: Uint8Array,
  other: Uint8Array,
  trust?: readonly Trust[],
): string | undefined
export function fraudOutcomeOf(argv: readonly string[]): { exit: 0 | 1 | 2; text: string }
