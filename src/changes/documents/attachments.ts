/**
 * Attaches a file to a document. Every party that sees the document may attach files in any state,
 * and sees all of them: the issuer alone for a draft, both parties once it is issued. A frozen
 * document takes no more.
 */
import assert from 'node:assert/strict'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { UploadedFile } from '../../contract/shapes/attachments.ts'
import { encodeId } from '../../core/ids.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/documents/attachments.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { frozen } from './document-access.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'

export interface NewAttachment {
  /** Also the file's name in the file store. */
  id: string
  organization: string
  document: string
  file: UploadedFile
  /** False in a dry run, which stores no file. */
  isStored: boolean
}

export const attachFile = async (
  tx: Queryable,
  input: NewAttachment,
): Promise<store.AttachmentView> => {
  const { id, organization, document: documentId, file, isStored } = input
  const document = await store.attachableForUpdate(tx, organization, documentId)
  const side = document === undefined ? undefined : sideOf(document, organization)
  if (document === undefined || side === undefined) {
    throw await notFoundOrIsolated(tx, organization, 'doc', encodeId('doc', documentId))
  }
  if (document.integrity_hold) {
    throw refuse('conflict', 'The document is on hold: its record does not match its proofs.', {
      reason: 'integrity_hold',
    })
  }
  if (document.is_frozen) throw frozen()
  if ((await store.countAttachments(tx, documentId)) >= limits.attachmentsPerDocumentMax) {
    throw invalidRequest(tooManyAttachments)
  }
  if (isStored && (await store.claimPendingFile(tx, id)) === 0) {
    throw refuse('service_unavailable', 'Receiving the file took too long. Send it again.')
  }

  // From here the change must succeed.
  const row = {
    id,
    mode: document.mode,
    document_id: documentId,
    uploaded_by: organization,
    filename: file.filename,
    content_type: file.content_type,
    size: BigInt(file.size),
    sha256: Buffer.from(file.sha256, 'hex'),
    created_at: await databaseNow(tx),
  }
  assert.equal(await store.insertAttachment(tx, row), 1)
  return { ...row, is_by_issuer: side === 'issuer' }
}

const tooManyAttachments = {
  param: '/file',
  code: 'out_of_range',
  message: `A document has at most ${limits.attachmentsPerDocumentMax} attachments.`,
  fix: 'send several files as one archive',
} as const
