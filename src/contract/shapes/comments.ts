/** Comments on documents, which only the own side sees (contract 12). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Id, NonBlankText, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

export const DocumentComment = OutputObject(
  {
    id: Id('cmt', 'The comment.'),
    text: Type.String(),
    author: OutputObject(
      {
        kind: StringEnum(['user', 'api_key'], 'A person, or a program.'),
        id: Type.String({ description: 'The user or the key.' }),
        name: Type.String({ description: 'Its name now.' }),
      },
      'Who wrote it.',
    ),
    created_at: Timestamp('When it was written.'),
  },
  "A comment of the caller's organization on a document; the other side never sees it.",
)
export type DocumentComment = Static<typeof DocumentComment>

export const CommentPage = PageOf(DocumentComment, 'Comments, the newest first.')

export const CommentFilters = InputObject(pageParameters, 'The page of comments.')

export const CommentCreate = InputObject(
  { text: NonBlankText(limits.commentMaxLength, 'What your colleagues should know.') },
  'A new comment. It can be neither changed nor deleted.',
)
