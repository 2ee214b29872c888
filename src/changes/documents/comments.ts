/**
 * Comments on a document (contract 12). They belong to one side, so that the record, its revision
 * and its history stay as they are, and the other side hears nothing of them.
 */
import { invalidRequest } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/documents/comments.ts'
import type { Actor } from '../change-context.ts'
import { lockVisibleDocument } from './locked-document.ts'

export interface NewComment {
  organization: string
  actor: Exclude<Actor, { kind: 'system' }>
  /** The uuid of the document. */
  document: string
  text: string
}

export const addComment = async (
  tx: Queryable,
  { organization, actor, document, text }: NewComment,
): Promise<store.CommentRow> => {
  // Locked, so that two concurrent comments cannot both be the last one.
  await lockVisibleDocument(tx, organization, document)
  const { commentsPerDocumentMax: most } = limits
  if ((await store.countComments(tx, { document, organization })) >= most) {
    throw invalidRequest({
      param: '/text',
      code: 'out_of_range',
      message: `A document has at most ${most} comments from one side.`,
      fix: 'keep what is longer in a system of your own',
    })
  }

  // From here the change must succeed.
  const now = await databaseNow(tx)
  const row = {
    id: newId(Date.parse(now)),
    document_id: document,
    organization_id: organization,
    user_id: actor.kind === 'user' ? actor.user_id : null,
    key_id: actor.kind === 'api_key' ? actor.key_id : null,
    text,
    created_at: now,
  }
  await store.insertComment(tx, row as store.CommentRow)
  return row as store.CommentRow
}
