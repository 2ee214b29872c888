/** The verified history and the proof bundles of a document (provenance 2 and 4). */
import { Failure } from '../../../verifier/verify-bundle.mjs'
import type { Call, Context } from '../../context.ts'
import { notFound } from '../../contract/errors.ts'
import { History, ProofBundle } from '../../contract/shapes/provenance.ts'
import { notFoundOrIsolated } from '../../changes/identity/sandbox-isolation.ts'
import { type VerifiedRecord, verifiedRecord } from '../../changes/provenance/verified-record.ts'
import type { LogSnapshot } from '../../changes/provenance/verified-log.ts'
import { IntegrityFailure } from '../../changes/provenance/integrity-failure.ts'
import { type BundleContents, bundleText } from '../../core/provenance/proof-bundle.ts'
import { historyEntries, isPartyInHistory } from '../../core/provenance/history-entries.ts'
import { encodeId } from '../../core/ids.ts'
import { sideOf, visibleSideOf } from '../../core/documents/document-visibility.ts'
import { inTurns } from '../../database/in-turns.ts'
import type { Rows } from '../../database/rows.ts'
import { eventBodies } from '../../store/provenance/stored-record.ts'
import { documentOf } from '../documents/document-lookup.ts'
import {
  type CoveredRecord,
  type DocumentProof,
  checkedProof,
  coveredRecord,
  loggedHistory,
  proofReply,
} from './covered-records.ts'
import { readVerified } from './logged-events.ts'
import { operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'

/**
 * The verified record and the caller's side; refused if it is missing, isolated or tampered with.
 */
export const verifiedRecordFor = async (
  call: Call,
  snapshot: LogSnapshot,
  id: string,
): Promise<{ record: VerifiedRecord; side: 'issuer' | 'counterparty' }> => {
  const { context, organization } = call
  const visibleSide = (document: Rows['documents']) => visibleSideOf(document, organization)
  const isVisible = (document: Rows['documents']) => visibleSide(document) !== undefined
  const record = await verifiedRecord(snapshot, context, id, isVisible)
  const side = record === undefined ? undefined : visibleSide(record.document)
  if (record === undefined || side === undefined) throw await missingDocument(call, id)
  return { record, side }
}

/**
 * A party that does not see the document has reset its sandbox since. If the row excludes the
 * caller but its events name the caller, the row was tampered with.
 */
const missingDocument = async (call: Call, id: string): Promise<Error> => {
  const { context, organization, read } = call
  const document = await documentOf(call, id)
  if (document !== undefined && sideOf(document, organization.id) !== undefined) {
    return notFound('document', encodeId('doc', id))
  }
  const events = await eventBodies(read, id)
  if (isPartyInHistory(events, organization.id)) {
    return new IntegrityFailure(id, new Failure('REPLAY', 'the parties'))
  }
  return notFoundOrIsolated(context.database.read, organization.id, 'doc', encodeId('doc', id))
}

export const provenance = {
  family: 'provenance',
  since: '1.5.0',
  allowed: 'scoped',
  scopes: ['provenance:read'],
  errors: ['not_found', 'sandbox_isolation', 'integrity_failure'],
} as const

export const history = operation({
  ...provenance,
  id: 'documents.history',
  method: 'GET',
  path: '/v1/documents/{id}/history',
  summary: 'Retrieve the verified history',
  description:
    'Returns every change to the document, oldest first, verified for this very response: the hash chain, the commitments, a replay against the current record, and the inclusion in the signed log. A step that only the other side may read is sealed: you learn that it exists. A record that does not verify is not returned: the response is 500 `integrity_failure`, and the document is put on hold.',
  response: History,
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('doc', params.id)
  const body = await readVerified(call, async (snapshot) => {
    const { record, side } = await verifiedRecordFor(call, snapshot, id)
    const { history: verified, indexes } = record
    const head = verified.events.at(-1)!
    return {
      document_id: params.id,
      verified: true,
      verification: {
        events: verified.events.length,
        head: { seq: head.header.seq, hash: head.hash.toString('hex') },
        checks: ['canonical', 'commitments', 'chain', 'replay', 'inclusion', 'checkpoint'],
        logged_through_seq: indexes.length,
        checkpoint: checkpointView(record),
      },
      entries: historyEntries(verified, side, indexes),
    }
  })
  return { body }
})

export const checkpointView = ({ log, checkpoint }: VerifiedRecord) =>
  checkpoint === undefined
    ? null
    : {
        origin: log.origin,
        size: Number(checkpoint.size),
        root: checkpoint.root.toString('base64'),
        as_of: checkpoint.as_of,
      }

export const exportBundle = operation({
  ...provenance,
  id: 'documents.export',
  method: 'GET',
  path: '/v1/documents/{id}/export',
  summary: 'Export a proof bundle',
  description:
    'Returns one canonical JSON file that anyone can verify offline with the published `verify-bundle.mjs` or `verify_bundle.py`. The same head of the document and the same viewer always result in the same bytes. `Svc-Bundle-Digest` is the SHA-256 of the exact bytes in hex, and so is the `ETag`. If the last change is not in the log yet, the request waits for it for up to 5 seconds.',
  response: ProofBundle,
  errors: [...provenance.errors, 'service_unavailable'],
}).reads(async (call, { params }) => {
  const { text, seq } = await proofBundle(call, uuidOrNotFound('doc', params.id))
  return proofReply(text, `${params.id}.${seq}`)
})

/** The bundle of a document as the caller sees it, and its last event. */
export const proofBundle = (call: Call, id: string): Promise<{ text: string; seq: number }> =>
  checkedProof(
    call,
    (snapshot) => visibleRecord(call, snapshot, id),
    (visible) => buildBundle(call.context, visible),
  )

interface VisibleRecord extends CoveredRecord {
  side: 'issuer' | 'counterparty'
  organization: string
}

/** Undefined while an event is not in the log yet. */
export const visibleRecord = async (
  call: Call,
  snapshot: LogSnapshot,
  id: string,
): Promise<VisibleRecord | undefined> => {
  const { record, side } = await verifiedRecordFor(call, snapshot, id)
  const covered = await coveredRecord(call, snapshot, record)
  const organization = encodeId('org', call.organization.id)
  return covered && { ...covered, side, organization }
}

/** The record as its bundle shows it to the caller. */
export const bundleContents = async (
  context: Context,
  visible: VisibleRecord,
): Promise<BundleContents> => ({
  ...(await loggedHistory(context, visible)),
  organizationId: visible.organization,
  role: visible.side,
  state: visible.record.history.states[visible.side],
})

const buildBundle = async (
  context: Context,
  visible: VisibleRecord,
): Promise<DocumentProof & { seq: number }> => {
  const { document, history: verified, log } = visible.record
  const text = await inTurns(bundleText(await bundleContents(context, visible), verified.textOf))
  const seq = verified.events.length
  return { kind: 'bundle', document: document.id, text, trust: log.trust, seq }
}
