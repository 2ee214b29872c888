/** What is proven of events once they are in the log; until then, a request waits for them. */
import type { Call } from '../../context.ts'
import { unavailable } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { integrateUnlessWaiting } from '../../changes/provenance/paced-integration.ts'
import { inclusionPathsAt } from '../../changes/provenance/verified-record.ts'
import { type LogSnapshot, withLogSnapshot } from '../../changes/provenance/verified-log.ts'
import { IntegrityFailure } from '../../changes/provenance/integrity-failure.ts'
import { failClosed } from '../../changes/provenance/verified-read.ts'
import type { StoredCheckpoint } from '../../core/provenance/inclusion.ts'
import { firstCheckpointCovering } from '../../store/provenance/transparency-log.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'

/** Runs `work` in one snapshot of the caller's log, in the caller's turn. */
const withLog = <T>(call: Call, work: (snapshot: LogSnapshot) => Promise<T>): Promise<T> => {
  const { context, snapshot, organization } = call
  return withLogSnapshot({ snapshot, notary: context.notary }, organization.mode, work)
}

/** The same for a verified read, which fails closed. */
export const readVerified = <T>(
  call: Call,
  work: (snapshot: LogSnapshot) => Promise<T>,
): Promise<T> => failClosed(call.context, () => withLog(call, work))

/**
 * Runs `work` with what `find` returns of a snapshot, which is undefined while an event is not in
 * the log yet. Waits for it, then refuses.
 */
export const onceLogged = <F, R>(
  call: Call,
  find: (snapshot: LogSnapshot) => Promise<F | undefined>,
  work: (found: F) => R | Promise<R>,
): Promise<R> =>
  failClosed(call.context, async () => {
    const deadline = performance.now() + limits.exportWaitMs
    for (;;) {
      const done = await withLog(call, async (snapshot) => {
        const found = await find(snapshot)
        return found && { result: await work(found) }
      })
      if (done !== undefined) return done.result
      if (performance.now() > deadline) throw provenancePending()
      await integratePending(call)
    }
  })

export interface FirstProof {
  /** The first one that covers all of the events; later ones do not change the proof. */
  checkpoint: StoredCheckpoint
  paths: readonly (readonly Buffer[])[]
}

/** The first proof of logged events of a document, by their leaf indexes in ascending order. */
export const firstProof = async (
  { context: { keyring, tileTree } }: Call,
  { tx, log }: LogSnapshot,
  { id, indexes }: { id: string; indexes: readonly number[] },
): Promise<FirstProof> => {
  const last = indexes.at(-1)!
  const checkpoint = await firstCheckpointCovering(tx, log.id, last)
  const isAuthentic =
    checkpoint !== undefined && keyring.history!.holdsCheckpoint(checkpoint, log.id)
  if (!isAuthentic) throw new IntegrityFailure(id, new Failure('MAC', 'the time of the checkpoint'))
  if (Number(checkpoint.previous_size ?? -1n) > last) {
    throw new IntegrityFailure(id, new Failure('CHECKPOINT', 'the first one that covers the head'))
  }
  const size = Number(checkpoint.size)
  const paths = await inclusionPathsAt(tx, log.id, indexes, { size, tileTree })
  return { checkpoint, paths }
}

const integrationPollMs = 20

/**
 * Integrates pending events into the log, unless another process is already doing so. If the log
 * cannot grow, the record is still intact: its proof is pending.
 */
const integratePending = async ({ context, organization }: Call): Promise<void> => {
  const integrated = await integrateUnlessWaiting(context, organization.mode).catch(
    (error: unknown) => {
      context.log.error({ error, log: organization.mode }, 'log_not_signed')
      return undefined
    },
  )
  if (integrated === undefined) throw provenancePending()
  if (!integrated.isBusy) return
  await new Promise((resolve) => setTimeout(resolve, integrationPollMs))
}

export const provenancePending = (
  what = 'The last change of the document is not in the log yet.',
): Error => unavailable(`${what} Repeat the request in a second.`, { reason: 'provenance_pending' })
