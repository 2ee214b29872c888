/** Proves that an attachment is the one that its document's history records. */
import { encodeId } from '../../core/ids.ts'
import { attachmentIn, bodyOf } from '../../core/provenance/recorded-attachments.ts'
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import { IntegrityFailure, attributeFailure } from './integrity-failure.ts'
import { type HistoryDependencies, recordedHistory } from './recorded-history.ts'

export type AttachedFile = Pick<
  Rows['attachments'],
  'id' | 'document_id' | 'seq' | 'filename' | 'size' | 'sha256'
>

/** Throws an IntegrityFailure unless the event of the attachment says what its row says. */
export const checkAttachment = (
  db: Queryable,
  dependencies: HistoryDependencies,
  attachment: AttachedFile,
): Promise<void> =>
  attributeFailure(attachment.document_id, async () => {
    const { document_id: document, seq } = attachment
    const { events } = await recordedHistory(db, dependencies, document)
    const event = events[seq - 1]
    const said = event && attachmentIn(bodyOf(event))
    const { id, filename: name, sha256, size } = attachment
    const expected = {
      id: encodeId('att', id),
      name,
      sha256: sha256.toString('hex'),
      size: Number(size),
    }
    if (JSON.stringify(said) !== JSON.stringify(expected))
      throw new Failure('ATTACHMENT', 'the record of the file is not what was attached', { seq })
  })

/** The failure of a stored file that is not the one that was attached. */
export const anotherFile = ({ document_id, seq }: AttachedFile): IntegrityFailure => {
  const message = 'the stored file is not the one that was attached'
  return new IntegrityFailure(document_id, new Failure('ATTACHMENT', message, { seq }))
}

/** The record itself verifies, and a volume may be missing for a while: there is no hold. */
export const missingFile = ({ document_id, seq }: AttachedFile): IntegrityFailure => {
  const message = `the file that was attached to ${encodeId('doc', document_id)} is gone from the file store`
  const failure = new Failure('ATTACHMENT', message, { seq })
  return new IntegrityFailure(undefined, failure, { requestedId: document_id })
}
