/** Practice pairs: what an admin asks for and what is shown (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { InputObject, PageOf, OutputObject, pageParameters } from './objects-and-pages.ts'
import { NonBlankText, Id, Nullable, Timestamp } from './field-types.ts'

export const SandboxCreate = InputObject(
  {
    name: Type.Optional(
      NonBlankText(limits.organizationNameMaxLength, 'Of the practice organization.'),
    ),
    verified: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False to try what an organization that is not verified is refused.',
      }),
    ),
  },
  'One more practice pair.',
)

const Organization = (description: string) =>
  OutputObject(
    { id: Id('org', 'The organization.'), name: Type.String(), verified: Type.Boolean() },
    description,
  )

const sandboxFields = {
  sandbox_id: Id('sbx', 'The pair.'),
  organization: Organization('The side to build for.'),
  demo_organization: Organization('The other side.'),
  connection_id: Id('con', 'What joins the two.'),
  created_at: Timestamp('When it was provisioned.'),
}

export const Sandbox = OutputObject(sandboxFields, 'A practice pair, without its credentials.')
export type Sandbox = Static<typeof Sandbox>

const Secret = (description: string) =>
  Nullable(Type.String({ description: `${description} Only in this answer; null in a dry run.` }))

export const MintedSandbox = OutputObject(
  {
    ...sandboxFields,
    api_key: Secret('A key with every scope.'),
    demo_api_key: Secret('The same for the other side.'),
    admin_session_token: Secret('A session of the calling user for the organization.'),
    demo_admin_session_token: Secret('The same for the other side.'),
  },
  'A practice pair with its credentials.',
)

export const SandboxPage = PageOf(Sandbox, 'Practice pairs, newest first.')

export const SandboxFilters = InputObject(pageParameters, 'Which page.')
