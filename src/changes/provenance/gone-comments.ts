/**
 * Comments that were deleted in the database (docs/decisions/0213). Nothing counts them, but the
 * audit log names each one that a person has written, and no entry of it is gone unnoticed. An
 * erasure deletes the comments on its document, whose history tells of it for good.
 */
import { decodeId } from '../../core/ids.ts'
import { type BrokenSeal, missingRow } from '../../database/row-seals.ts'
import type { Queryable } from '../../database/sql.ts'
import { missingComments } from '../../store/documents/comments.ts'
import type { AuditRow } from '../../store/identity/audit-entries.ts'
import { modeOfDocument } from '../../store/provenance/stored-record.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import { type HistoryDependencies, recordedHistory } from './recorded-history.ts'

const commentsPath = /^\/v1\/documents\/(doc_[0-9a-z]+)\/comments$/

/** An error for each comment that one of these entries names and that is gone. */
export const goneComments = async (
  db: Queryable,
  dependencies: HistoryDependencies,
  entries: readonly AuditRow[],
): Promise<BrokenSeal[]> => {
  const named = entries.flatMap(commentOf)
  const gone = new Set(
    await missingComments(
      db,
      named.map(({ comment }) => comment),
    ),
  )
  const errors: BrokenSeal[] = []
  const missing = named.filter(({ comment }) => gone.has(comment))
  for (const [document, comments] of Map.groupBy(missing, (one) => one.document)) {
    if (await wasErased(db, dependencies, document)) continue
    errors.push(...comments.map(({ comment }) => missingRow('document_comments', comment)))
  }
  return errors
}

interface NamedComment {
  document: string
  comment: string
}

const commentOf = ({ operation, path, resource_id }: AuditRow): NamedComment[] => {
  if (operation !== 'documents.comments.create') return []
  const document = decodeId('doc', commentsPath.exec(path)?.[1] ?? '')
  const comment = decodeId('cmt', resource_id ?? '')
  return document === undefined || comment === undefined ? [] : [{ document, comment }]
}

/** A history that does not verify excuses nothing. Without its keys, nothing is known. */
const wasErased = async (
  db: Queryable,
  dependencies: HistoryDependencies,
  document: string,
): Promise<boolean> => {
  if (dependencies.keyring.history === null) return true
  if ((await modeOfDocument(db, document)) === undefined) return false
  try {
    const { events } = await recordedHistory(db, dependencies, document)
    return events.some(({ open: { shared, issuer } }) =>
      [shared, issuer].some((slot) => slot?.body?.type === 'content.erased'),
    )
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
