/** The log of calls, as admins read it (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import {
  InputObject,
  CommaList,
  PageOf,
  OutputObject,
  pageParameters,
} from './objects-and-pages.ts'
import { DateOrTimestamp, Id, Nullable, Timestamp } from './field-types.ts'

const RequestLogEntry = OutputObject(
  {
    id: Id('req', 'The Request-Id of the call.'),
    method: Type.String({ examples: ['POST'] }),
    path: Type.String({
      description: `Without the query; at most ${limits.requestPathMaxLength} characters.`,
      examples: ['/v1/documents'],
    }),
    status: Type.Integer({ description: 'Of the answer.' }),
    key_id: Nullable(Id('key', 'The calling key; null for a session.')),
    duration_ms: Type.Integer({ description: 'Until the answer was written.' }),
    idempotency_key: Nullable(
      Type.String({
        description: 'As sent with a write; null where the answer shows a secret.',
      }),
    ),
    created_at: Timestamp('When the call came.'),
  },
  'An answered call, whether or not it succeeded.',
)
export type RequestLogEntry = Static<typeof RequestLogEntry>

export const RequestPage = PageOf(RequestLogEntry, 'Calls of the last 30 days, newest first.')

export const RequestFilters = InputObject(
  {
    ...pageParameters,
    key: Type.Optional(CommaList(Id('key', 'A key.'), 'Keys that called.')),
    status: Type.Optional(
      CommaList(Type.Integer({ minimum: 100, maximum: 599 }), 'Statuses of the answers.'),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: limits.requestPathMaxLength,
        description: 'This path; `/v1/documents/*` means all that begin so.',
      }),
    ),
    since: Type.Optional(DateOrTimestamp('Calls from here on, inclusive.')),
  },
  'Filters of the log of calls.',
)
