/**
 * Attaches a file to a document. Every party that sees the document may attach files in any state,
 * and sees all of them: the issuer alone for a draft, both parties once it is issued. A frozen
 * document takes no more. The history records the name, size and hash of the file, so that a later
 * download proves that it is the one that was attached.
 */
import assert from 'node:assert/strict'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { UploadedFile } from '../../contract/shapes/attachments.ts'
import { encodeId } from '../../core/ids.ts'
import type { EventSlots } from '../../core/provenance/history-event.ts'
import { type RequestSignature, signedSlots } from '../../core/provenance/signed-slots.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/documents/attachments.ts'
import { claimPendingFile } from '../../store/documents/pending-files.ts'
import { nextChangeTime } from '../../store/provenance/changed-documents.ts'
import { repetitionOf } from '../../store/provenance/used-signatures.ts'
import {
  type Actor,
  type DocumentRow,
  actorForBoth,
  actorForOwnSide,
  draftSlots,
} from '../change-context.ts'
import { type AppendDependencies, appendEvent } from '../provenance/append-event.ts'
import { frozen } from './document-access.ts'
import { lockVisibleDocument } from './locked-document.ts'

export interface NewAttachment {
  /** Also the file's name in the file store. */
  id: string
  organization: string
  actor: Actor
  signature: RequestSignature | null
  document: string
  file: UploadedFile
  /** False in a dry run, which stores no file. */
  isStored: boolean
}

export const attachFile = async (
  tx: Queryable,
  input: NewAttachment,
  dependencies: AppendDependencies,
): Promise<{ row: store.AttachmentView; document: DocumentRow }> => {
  const { id, organization, document: documentId, file, isStored } = input
  const { document, side } = await lockVisibleDocument(tx, organization, documentId)
  if (document.is_frozen) throw frozen()
  const attached = await store.countAttachments(tx, { document: documentId, organization })
  if (attached >= limits.attachmentsPerSideMax) throw invalidRequest(tooManyAttachments)
  if (isStored && (await claimPendingFile(tx, id)) === 0) {
    throw refuse('service_unavailable', 'Receiving the file took too long. Send it again.')
  }
  // Under the lock: the other party may send the same signed request at once.
  const repetition = await repetitionOf(tx, input, [documentId])
  if (repetition !== undefined) throw repetition

  // From here the change must succeed.
  const changed = { ...document, updated_at: await nextChangeTime(tx, document) }
  const slots = signedSlots(
    slotsOf(changed, side, input),
    { id: changed.id, side },
    input.signature,
  )
  const saved = await appendEvent(tx, dependencies, { document: changed, columns: [] }, slots)
  const row = {
    id,
    mode: document.mode,
    document_id: documentId,
    uploaded_by: organization,
    filename: file.filename,
    content_type: file.content_type,
    size: BigInt(file.size),
    sha256: Buffer.from(file.sha256, 'hex'),
    created_at: saved.updated_at,
    seq: saved.head_seq,
  }
  assert.equal(await store.insertAttachment(tx, row), 1)
  return { row: { ...row, is_by_issuer: side === 'issuer' }, document: saved }
}

/** What both parties see of the event; of a draft, the issuer alone. */
const slotsOf = (
  document: DocumentRow,
  side: 'issuer' | 'counterparty',
  { id, actor, file }: NewAttachment,
): EventSlots => {
  const attachment = {
    id: encodeId('att', id),
    name: file.filename,
    sha256: file.sha256,
    size: file.size,
  }
  const event = { type: 'attachment.added', attachment }
  if (document.issued_at === null) return draftSlots(actor, event)
  const ownSlots = { issuer: null, counterparty: null, [side]: { actor: actorForOwnSide(actor) } }
  return { shared: { ...event, actor: actorForBoth(actor) }, ...ownSlots }
}

const tooManyAttachments = {
  param: '/file',
  code: 'out_of_range',
  message: `A document has at most ${limits.attachmentsPerSideMax} attachments from one side.`,
  fix: 'send several files as one archive',
} as const
