/** Remembers by which number of its file a draft was imported. */
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { NewDocumentRow } from '../change-context.ts'

export const recordImport = (
  unit: UnitOfWork,
  { id, issuer_id, connection_id, type }: NewDocumentRow,
  number: string | undefined,
): void => {
  if (number === undefined) return
  unit.insert('document_imports', { document_id: id, issuer_id, connection_id, type, number })
}
