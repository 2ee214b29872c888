/** The request log, as admins read it (contract 4). */
import { type Static, Type } from 'typebox'
import { errorCodes } from '../error-codes.ts'
import { limits } from '../limits.ts'
import { InputObject, CommaList, PageOf, OutputObject, pageParameters } from './objects.ts'
import { InputProblem } from './error-details.ts'
import { DateOrTimestamp, Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

/** Problems of one request that the log keeps. */
export const loggedProblemsMax = 20

const entry = {
  id: Id('req', 'The Request-Id of the call.'),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({
    description: `Without the query string; at most ${limits.requestPathMaxLength} characters.`,
    examples: ['/v1/documents'],
  }),
  status: Type.Integer({ description: 'HTTP status of the response.' }),
  error_code: Nullable(
    Type.String({
      description: 'The code of the error; null if the request was not refused.',
      examples: ['invalid_request'],
    }),
  ),
  key_id: Nullable(Id('key', 'The calling key; null for a session.')),
  duration_ms: Type.Integer({ description: 'Time until the response was written.' }),
  idempotency_key: Nullable(
    Type.String({ description: 'As sent with a write; null where the response shows a secret.' }),
  ),
  user_id: Nullable(Id('usr', 'The calling person; null for a key.')),
  address: Nullable(
    Type.String({ description: 'From where; null in old entries.', examples: ['203.0.113.7'] }),
  ),
  original_request_id: Nullable(
    Id('req', 'The request that was executed, if its response was replayed.'),
  ),
  document_id: Nullable(Id('doc', 'The document that the call was about, if it was found.')),
  event_ids: Type.Array(Id('evt', 'An event.'), { description: 'The events that it wrote.' }),
  created_at: Timestamp('When the request arrived.'),
}

export const RequestLogEntry = OutputObject(
  entry,
  'A request that was answered, whether or not it succeeded.',
)
export type RequestLogEntry = Static<typeof RequestLogEntry>

export const RequestLogDetail = OutputObject(
  {
    ...entry,
    error: Nullable(
      OutputObject(
        {
          code: Type.String({ description: 'The error code.', examples: ['invalid_request'] }),
          message: Type.String({ description: 'What was answered.' }),
          problems: Type.Array(InputProblem, {
            description: `The problems of an invalid request, at most ${loggedProblemsMax}.`,
          }),
        },
        'Why the request was refused.',
      ),
    ),
  },
  'A request with the reason for which it was refused; null if it was not.',
)

export const RequestPage = PageOf(RequestLogEntry, 'Requests of the last 30 days, newest first.')

export const RequestFilters = InputObject(
  {
    ...pageParameters,
    key: Type.Optional(CommaList(Id('key', 'A key.'), 'Calling keys.')),
    status: Type.Optional(
      CommaList(Type.Integer({ minimum: 100, maximum: 599 }), 'Response statuses.'),
    ),
    error_code: Type.Optional(
      CommaList(StringEnum(errorCodes, 'The code of an error.'), 'Codes of errors.'),
    ),
    replayed: Type.Optional(StringEnum(['true', 'false'], 'Whether the response was a replay.')),
    path: Type.Optional(
      Type.String({
        maxLength: limits.requestPathMaxLength,
        description: 'An exact path, or a prefix: `/v1/documents/*`.',
      }),
    ),
    since: Type.Optional(DateOrTimestamp('Requests at or after this time.')),
    until: Type.Optional(DateOrTimestamp('Requests at or before this time.')),
  },
  'Filters of the request log.',
)
