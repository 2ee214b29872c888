/** Practice pairs (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { InputObject, PageOf, OutputObject, pageParameters } from './objects.ts'
import { NonBlankLine, Id, Nullable, Timestamp } from './field-types.ts'

export const SandboxCreate = InputObject(
  {
    name: Type.Optional(
      NonBlankLine(limits.organizationNameMaxLength, 'The name of the practice organization.'),
    ),
    verified: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False to test what an unverified organization is refused.',
      }),
    ),
  },
  'A new practice pair.',
)

const Organization = (description: string) =>
  OutputObject(
    { id: Id('org', 'The organization.'), name: Type.String(), verified: Type.Boolean() },
    description,
  )

const sandboxFields = {
  sandbox_id: Id('sbx', 'The pair.'),
  organization: Organization('Your side.'),
  demo_organization: Organization('The counterparty.'),
  connection_id: Id('con', 'The connection between the two.'),
  created_at: Timestamp('When it was provisioned.'),
}

export const Sandbox = OutputObject(sandboxFields, 'A practice pair, without its credentials.')
export type Sandbox = Static<typeof Sandbox>

const Secret = (description: string) =>
  Nullable(Type.String({ description: `${description} Only in this response; null in a dry run.` }))

export const MintedSandbox = OutputObject(
  {
    ...sandboxFields,
    api_key: Secret('A key with every scope.'),
    demo_api_key: Secret('The same for the counterparty.'),
    admin_session_token: Secret(
      'A session of the calling user for the organization, and for no other one.',
    ),
    demo_admin_session_token: Secret('The same for the counterparty.'),
  },
  'A practice pair with its credentials.',
)

export const SandboxPage = PageOf(Sandbox, 'Practice pairs, newest first.')

export const SandboxFilters = InputObject(pageParameters, 'Paging.')
