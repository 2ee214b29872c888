/** Connections: what an admin sends and what is shown (contract 4). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import {
  InputObject,
  CommaList,
  PageOf,
  OutputObject,
  pageParameters,
} from './objects-and-pages.ts'
import { Id, Nullable, StringEnum, Text, Timestamp } from './field-types.ts'

const Status = StringEnum(['invited', 'active', 'declined', 'ended'], 'Where it stands.')

const Currency = (description: string) => StringEnum(currencies, `ISO 4217. ${description}`)

export const ConnectionCreate = InputObject(
  {
    organization_id: Type.Optional(Id('org', 'Who is invited; or `email`.')),
    email: Type.Optional(
      Type.String({
        maxLength: limits.emailMaxLength,
        pattern: '^[^\\s@]+@[^\\s@]+$',
        description:
          'Who is invited; or `organization_id`. Seen by whoever signs in with it, for an organization of the same mode.',
        examples: ['orders@harbour-cafe.example'],
      }),
    ),
    default_payment_terms: Type.Optional(
      Nullable(
        Text(limits.paymentTermsMaxLength, 'For documents that name no terms, like `Net 30`.'),
      ),
    ),
    currency: Type.Optional(
      Currency("For documents that name none. Defaults to the inviter's own currency."),
    ),
  },
  'An invitation: to an organization by its id, or to a person by e-mail.',
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
        'The other side. Null to the inviter until an invitation by e-mail is accepted.',
      ),
    ),
    invited_by: StringEnum(['you', 'counterparty'], 'Who asked for the connection.'),
    invited_email: Nullable(
      Type.String({ description: 'Whom an invitation by e-mail that is not accepted is for.' }),
    ),
    default_payment_terms: Nullable(Type.String()),
    currency: Currency('For documents that name none.'),
    allowed_transitions: Type.Array(Status, {
      description: 'Where an admin of the calling organization can move it now.',
    }),
    sandbox: Type.Boolean(),
    created_at: Timestamp('When it was asked for.'),
    updated_at: Timestamp('When its status last changed.'),
  },
  'A connection as the calling organization sees it.',
)
export type Connection = Static<typeof Connection>

export const ConnectionPage = PageOf(Connection, 'Connections, newest first.')

export const ConnectionFilters = InputObject(
  { ...pageParameters, status: Type.Optional(CommaList(Status, 'States.')) },
  'Filters of the connection list.',
)
