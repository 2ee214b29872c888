/**
 * Proves that no attachment has a stored file, before the file is removed for good: what the
 * database loses can be restored, and the file cannot.
 */
import { recordedAttachments } from '../../core/provenance/recorded-attachments.ts'
import type { Database } from '../../database/pool.ts'
import { BrokenSeal, missingRow } from '../../database/row-seals.ts'
import { hasAttachmentRow } from '../../store/documents/attachments.ts'
import { type PendingFileRow, checkPendingFile } from '../../store/documents/pending-files.ts'
import { modeOfDocument } from '../../store/provenance/stored-record.ts'
import type { Notary } from '../../notary/notary.ts'
import { type LogVerifierDependencies, withLogSnapshot } from './verified-log.ts'
import { verifiedRecord } from './verified-record.ts'

/**
 * Whether a process that knew no seals yet has written the row; `server-key forget` may have sealed
 * it since. Whether its file is attached cannot be proven.
 */
export const isOfOlderProcess = ({ document_id, seal }: PendingFileRow): boolean =>
  document_id === null || seal.length === 0

interface ProofDependencies extends LogVerifierDependencies {
  database: Pick<Database, 'background' | 'snapshot'>
  notary: Notary
}

/**
 * Throws BrokenSeal if the pending row is false, and IntegrityFailure if the history that would
 * name the attachment does not verify.
 */
export const checkUnattached = async (
  dependencies: ProofDependencies,
  row: PendingFileRow,
): Promise<void> => {
  const { database, notary } = dependencies
  const { id, document_id: document } = row
  if (await hasAttachmentRow(database.background, id))
    throw new BrokenSeal('pending_files', id, 'an attachment has the file')
  if (isOfOlderProcess(row)) return
  checkPendingFile(database.background, row)
  const mode = await modeOfDocument(database.background, document!)
  const log = { snapshot: database.snapshot, notary }
  const record =
    mode &&
    (await withLogSnapshot(log, mode, (snapshot) =>
      verifiedRecord(snapshot, dependencies, document!),
    ))
  if (record === undefined) throw missingRow('documents', document!)
  if (recordedAttachments(record.history.events).has(id))
    throw new BrokenSeal('pending_files', id, 'the history has the file')
}
