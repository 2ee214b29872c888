/**
 * Runs the published verifier on a proof before it is sent. A long one is checked in a thread of
 * its own, since the verifier checks a proof in one piece: in turns of the organizations, each
 * within a deadline.
 */
import { unavailable } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { turns } from '../contract/work-classes.ts'
import { FairQueue, type Requester } from '../database/fair-queue.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { type Proof, type ProofFailure, verifyProof } from './proofs.ts'
import { openThreads } from './threads.ts'

export interface ProofChecks {
  /** Throws the Failure of the verifier. */
  check(requester: Requester, proof: Proof): Promise<void>
  stop(): Promise<void>
}

export const openProofChecks = (): ProofChecks => {
  const queue = new FairQueue(turns.proofChecks)
  const threads = openThreads<Proof, ProofFailure>({
    program: new URL('./proof-worker.ts', import.meta.url),
    maxMs: limits.proofCheckMaxMs,
    maxMegabytes: limits.proofThreadMaxMegabytes,
    idleMs: limits.proofThreadIdleMs,
    tookTooLong: () =>
      unavailable('The proof was not checked in time. Send the same request again.'),
  })
  return {
    check: async (requester, proof) => {
      if (proof.text.length <= limits.proofCheckedAtOnceMaxLength) return verifyProof(proof)
      const failure = await queue.run(requester, () => threads.ask(proof))
      if (failure !== null) throw new Failure(failure.check, failure.message, failure.place)
    },
    stop: () => threads.stop(),
  }
}
