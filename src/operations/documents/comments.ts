/** Comments on a document, for the people of one side (contract 12). */
import type { Call } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import {
  CommentCreate,
  CommentFilters,
  CommentPage,
  DocumentComment,
} from '../../contract/shapes/comments.ts'
import { addComment } from '../../changes/documents/comments.ts'
import { encodeId } from '../../core/ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { type CommentRow, authorNames, commentsOf } from '../../store/documents/comments.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { uuidOrNotFound } from '../path-ids.ts'
import { visibleDocumentId } from './document-lookup.ts'

const commentDefaults = {
  path: '/v1/documents/{id}/comments',
  family: 'documents',
  since: '1.16.0',
  allowed: 'scoped',
  errors: ['not_found', 'sandbox_isolation'],
} as const

const toComments = async (db: Queryable, rows: readonly CommentRow[]) => {
  const names = await authorNames(db, rows)
  return ({ id, text, created_at, user_id, key_id }: CommentRow): DocumentComment => ({
    id: encodeId('cmt', id),
    text,
    author:
      user_id === null
        ? { kind: 'api_key', id: encodeId('key', key_id!), name: names.get(key_id!)! }
        : { kind: 'user', id: encodeId('usr', user_id), name: names.get(user_id)! },
    created_at,
  })
}

export const list = operation({
  ...commentDefaults,
  id: 'documents.comments.list',
  method: 'GET',
  summary: 'List the comments on a document, newest first',
  description: 'Those of your own organization; the other side has its own.',
  scopes: ['documents:read'],
  query: CommentFilters,
  response: CommentPage,
  summaryFields: ['id', 'text', 'author', 'created_at'],
  toolFields: ['id', 'text', 'author.name', 'created_at'],
  toolPageDefault: limits.toolPageCommentsDefault,
}).reads(async (call, { params, query }) => {
  const document = await visibleDocumentId(call, params.id)
  const page = openPage(call, 'comments', { ...query, document })
  const own = { document, organization: call.organization.id }
  const rows = await commentsOf(call.read, own, page)
  return { body: page.of(rows, await toComments(call.read, rows), ({ id }) => id) }
})

const newCommentOf = ({ organization, credential }: Call, document: string, text: string) => ({
  organization: organization.id,
  actor: credential.actor,
  document,
  text,
})

export const create = operation({
  ...commentDefaults,
  id: 'documents.comments.create',
  method: 'POST',
  summary: 'Comment on a document',
  description:
    'Only your own organization sees it, in any state of the document. It is no part of the record: the revision stays, and nobody is told.',
  scopes: ['documents:write'],
  body: CommentCreate,
  response: DocumentComment,
  status: 201,
}).transacts(async (tx, call, { params, body }) => {
  const document = uuidOrNotFound('doc', params.id)
  const row = await addComment(tx, newCommentOf(call, document, body.text))
  const comment = (await toComments(tx, [row]))(row)
  return { body: comment, resourceId: comment.id }
})
