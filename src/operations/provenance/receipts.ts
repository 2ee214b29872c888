/** Signed receipts: the proof of one event, without any of its bodies (verifier/FORMAT.md, 15). */
import type { Call } from '../../context.ts'
import { notFound } from '../../contract/errors.ts'
import { Receipt } from '../../contract/shapes/provenance.ts'
import type { LogSnapshot } from '../../changes/provenance/verified-log.ts'
import { receiptText } from '../../core/provenance/proof-bundle.ts'
import { firstProof } from './logged-events.ts'
import { operation } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { uuidOrNotFound } from '../path-ids.ts'
import { provenance, verifiedRecordFor } from './provenance.ts'
import { type DocumentProof, checkedProof } from './covered-records.ts'

export const receipt = operation({
  ...provenance,
  id: 'documents.receipt',
  method: 'GET',
  path: '/v1/documents/{id}/receipts/{seq}',
  since: '1.15.0',
  summary: 'Retrieve the signed receipt of an event',
  description:
    'Returns the proof that one event of the document is in the log, in canonical JSON: its header, its place and the first checkpoint that covers it. The header is what `Svc-Event` has the hash of; it shows no content. Both sides get the same bytes, and they never change. If the event is not in the log yet, the request waits for it for up to 5 seconds.',
  response: Receipt,
  errors: [...provenance.errors, 'service_unavailable'],
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('doc', params.id)
  const { text } = await checkedProof(
    call,
    (snapshot) => signedReceipt(call, snapshot, { id, seq: params.seq }),
    (found) => found,
  )
  return { body: new JsonText(text), headers: { 'Cache-Control': 'private, no-transform' } }
})

/** Undefined while the event is not in the log yet. */
const signedReceipt = async (
  call: Call,
  snapshot: LogSnapshot,
  { id, seq: given }: { id: string; seq: string },
): Promise<DocumentProof | undefined> => {
  const { record } = await verifiedRecordFor(call, snapshot, id)
  const { history, indexes, log } = record
  const seq = /^[1-9][0-9]*$/.test(given) ? Number(given) : 0
  const event = history.events[seq - 1]
  if (event === undefined) throw notFound('event', given)
  const index = indexes[seq - 1]
  if (index === undefined) return undefined
  const { checkpoint, paths } = await firstProof(call, snapshot, { id, indexes: [index] })
  const text = receiptText({
    header: event.header,
    index,
    path: paths[0]!,
    checkpoint: checkpoint.note,
    textOf: history.textOf,
  })
  return { kind: 'receipt', document: id, text, trust: log.trust }
}
