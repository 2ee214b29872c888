/** Connections between organizations (contract 4). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import { InputObject, CommaList, PageOf, OutputObject, pageParameters } from './objects.ts'
import { EmailAddress, Id, Nullable, StringEnum, Timestamp, Line } from './field-types.ts'

const Status = StringEnum(['invited', 'active', 'declined', 'ended'], 'The current status.')

const Currency = (description: string) => StringEnum(currencies, `ISO 4217. ${description}`)

export const ConnectionCreate = InputObject(
  {
    organization_id: Type.Optional(Id('org', 'The organization to invite; or send `email`.')),
    email: Type.Optional(
      EmailAddress(
        'The person to invite; or send `organization_id`. The user who signs in with this address sees the invitation, in an organization of the same mode.',
        'orders@harbour-cafe.example',
      ),
    ),
    default_payment_terms: Type.Optional(
      Nullable(
        Line(limits.paymentTermsMaxLength, 'Default for documents without terms, like `Net 30`.'),
      ),
    ),
    currency: Type.Optional(
      Currency("Default currency of documents. Absent = the inviter's own currency."),
    ),
  },
  'An invitation of an organization by its id, or of a person by e-mail address.',
)
export type ConnectionCreate = Static<typeof ConnectionCreate>

export const Connection = OutputObject(
  {
    id: Id('con', 'The connection.'),
    status: Status,
    counterparty: Nullable(
      OutputObject(
        {
          organization_id: Id('org', 'The organization.'),
          name: Type.String(),
          verified: Type.Boolean(),
        },
        'The other side. Null for the inviter until an invitation by e-mail is accepted.',
      ),
    ),
    invited_by: StringEnum(['you', 'counterparty'], 'Who sent the invitation.'),
    invited_email: Nullable(
      Type.String({ description: 'The address of an e-mail invitation that is not accepted yet.' }),
    ),
    default_payment_terms: Nullable(Type.String()),
    currency: Currency('Default currency of documents.'),
    allowed_transitions: Type.Array(Status, {
      description: 'Statuses to which an admin of the calling organization can move it now.',
    }),
    sandbox: Type.Boolean(),
    created_at: Timestamp('When the invitation was sent.'),
    updated_at: Timestamp('When its status last changed.'),
  },
  'A connection as the calling organization sees it.',
)
export type Connection = Static<typeof Connection>

export const ConnectionPage = PageOf(Connection, 'Connections, newest first.')

export const ConnectionFilters = InputObject(
  { ...pageParameters, status: Type.Optional(CommaList(Status, 'Statuses.')) },
  'Filters of the connection list.',
)
