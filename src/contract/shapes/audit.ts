/** What people did in an organization (contract 12). */
import { type Static, Type } from 'typebox'
import { DateOrTimestamp, Id, Nullable, Timestamp } from './field-types.ts'
import { CommaList, InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

export const AuditEntry = OutputObject(
  {
    id: Id('aud', 'The entry.'),
    seq: Type.Integer({ description: 'From 1, without a gap in an organization.' }),
    user: OutputObject(
      { id: Id('usr', 'The person.'), email: Type.String(), name: Type.String() },
      'Who did it, with the e-mail and the name of now.',
    ),
    operation: Type.String({ examples: ['documents.pay'] }),
    summary: Type.String({ examples: ['Pay a document'] }),
    path: Type.String({ examples: ['/v1/documents/doc_01kbm9s346q3d25vt4f5v37e3s/pay'] }),
    resource_id: Nullable(Type.String({ description: 'What it created or changed.' })),
    request_id: Id('req', 'The request; GET /v1/requests/{request_id} shows it for 30 days.'),
    address: Type.String({ description: 'From where.' }),
    created_at: Timestamp('When.'),
  },
  'Something that a signed-in person did.',
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = PageOf(AuditEntry, 'What people did, the newest first.')

export const AuditFilters = InputObject(
  {
    ...pageParameters,
    user: Type.Optional(CommaList(Id('usr', 'A user.'), 'People.')),
    operation: Type.Optional(
      CommaList(Type.String({ maxLength: 100, examples: ['documents.pay'] }), 'Operation ids.'),
    ),
    since: Type.Optional(DateOrTimestamp('At or after this time.')),
    until: Type.Optional(DateOrTimestamp('At or before this time.')),
  },
  'Filters of the audit log.',
)
