/** Runs in a thread of its own: checks one proof after the other. */
import { parentPort } from 'node:worker_threads'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { type Proof, type ProofFailure, verifyProof } from './proofs.ts'

const failureOf = (proof: Proof): ProofFailure => {
  try {
    verifyProof(proof)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { check, message, seq, slot } = error
    const place = { ...(seq !== undefined && { seq }), ...(slot !== undefined && { slot }) }
    return { check, message, place }
  }
}

/** Any other failure ends the thread, which its owner notices. */
parentPort!.on('message', (proof: Proof) => parentPort!.postMessage(failureOf(proof)))
