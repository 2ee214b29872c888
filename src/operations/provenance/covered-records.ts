/** Verified records of which every event is in the log, and the proofs that are made of them. */
import { hash } from 'node:crypto'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import type { Call, Context } from '../../context.ts'
import { IntegrityFailure } from '../../changes/provenance/integrity-failure.ts'
import { failClosed } from '../../changes/provenance/verified-read.ts'
import type { LogSnapshot } from '../../changes/provenance/verified-log.ts'
import type { VerifiedRecord } from '../../changes/provenance/verified-record.ts'
import { encodeId } from '../../core/ids.ts'
import type { StoredCheckpoint } from '../../core/provenance/inclusion.ts'
import type { LoggedHistory } from '../../core/provenance/proof-bundle.ts'
import { headNoteBody } from '../../core/provenance/signed-notes.ts'
import { saveHeadNote } from '../../store/provenance/stored-record.ts'
import type { Proof } from '../../threads/proofs.ts'
import { firstProof, onceLogged } from './logged-events.ts'
import type { Reply } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'

export interface CoveredRecord {
  record: VerifiedRecord
  /** The first checkpoint that covers the head; later checkpoints do not change the proof. */
  checkpoint: StoredCheckpoint
  paths: readonly (readonly Buffer[])[]
  /** The signed head, if it has been exported before. */
  note: string | undefined
}

/** Undefined while an event is not in the log yet. */
export const coveredRecord = async (
  call: Call,
  snapshot: LogSnapshot,
  record: VerifiedRecord,
): Promise<CoveredRecord | undefined> => {
  const { document, history, indexes, heads } = record
  if (indexes.length < history.events.length) return undefined
  const { checkpoint, paths } = await firstProof(call, snapshot, { id: document.id, indexes })
  const note = heads.find((head) => head.seq === history.events.length)?.note
  return { record, checkpoint, paths, note }
}

/** The history with its proof; signs its head when it is first exported. */
export const loggedHistory = async (
  context: Context,
  { record, checkpoint, paths, note }: CoveredRecord,
): Promise<LoggedHistory> => {
  const { document, history, indexes } = record
  return {
    documentId: encodeId('doc', document.id),
    streamSalt: document.stream_salt,
    events: history.events,
    indexes,
    paths,
    checkpoint: checkpoint.note,
    head: note ?? (await signHead(context, record, checkpoint)),
  }
}

const signHead = (
  { database }: Context,
  { document, history, log }: VerifiedRecord,
  checkpoint: StoredCheckpoint,
): Promise<string> => {
  const head = history.events.at(-1)!
  const { seq } = head.header
  const size = Number(checkpoint.size)
  const claim = {
    origin: log.origin,
    stream: history.stream,
    seq,
    hash: head.hash,
    size,
    asOf: checkpoint.as_of,
    keySize: log.keySize(size),
  }
  const note = log.sign(headNoteBody(claim), claim.keySize)
  return saveHeadNote(database.read, { document_id: document.id, seq, note })
}

/** A proof, with the document whose record is at fault if the proof does not hold. */
export interface DocumentProof extends Proof {
  document: string
}

/**
 * The proof that `work` makes of logged events; the published verifier checks it before it is sent.
 */
export const checkedProof = <F, P extends DocumentProof>(
  call: Call,
  find: (snapshot: LogSnapshot) => Promise<F | undefined>,
  work: (found: F) => Promise<P> | P,
): Promise<P> =>
  failClosed(call.context, async () => {
    const proof = await onceLogged(call, find, work)
    const { document, kind, text, trust } = proof
    await call.context.proofs
      .check(call.requester, { kind, text, trust })
      .catch(failureOf(document))
    return proof
  })

const failureOf =
  (document: string) =>
  (error: unknown): never => {
    throw error instanceof Failure ? new IntegrityFailure(document, error) : error
  }

/** A proof as a file; its exact bytes count, since their digest does. */
export const proofReply = <R>(text: string, name: string): Reply<R> => {
  const digest = hash('sha256', text, 'buffer')
  return {
    body: new JsonText(text),
    etag: `"${digest.toString('hex')}"`,
    headers: {
      'Svc-Bundle-Digest': digest.toString('hex'),
      'Repr-Digest': `sha-256=:${digest.toString('base64')}:`,
      'Cache-Control': 'private, no-transform',
      'Content-Disposition': `attachment; filename="${name}.svc-proof.json"`,
    },
  }
}
