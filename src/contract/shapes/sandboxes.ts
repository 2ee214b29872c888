/** Practice pairs: what an admin asks for and what is shown (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Body, Page, View, paging } from './envelopes.ts'
import { FilledText, Id, Nullable, Timestamp } from './values.ts'

export const SandboxCreate = Body(
  {
    name: Type.Optional(
      FilledText(limits.organizationNameMaxLength, 'Of the practice organization.'),
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
  View(
    { id: Id('org', 'The organization.'), name: Type.String(), verified: Type.Boolean() },
    description,
  )

const sandbox = {
  sandbox_id: Id('sbx', 'The pair.'),
  organization: Organization('The side to build for.'),
  demo_organization: Organization('The other side.'),
  connection_id: Id('con', 'What joins the two.'),
  created_at: Timestamp('When it was provisioned.'),
}

export const Sandbox = View(sandbox, 'A practice pair, without its credentials.')
export type Sandbox = Static<typeof Sandbox>

const Secret = (description: string) =>
  Nullable(Type.String({ description: `${description} Only in this answer; null in a dry run.` }))

export const MintedSandbox = View(
  {
    ...sandbox,
    api_key: Secret('A key with every scope.'),
    demo_api_key: Secret('The same for the other side.'),
    admin_session_token: Secret('A session of the calling user for the organization.'),
    demo_admin_session_token: Secret('The same for the other side.'),
  },
  'A practice pair with its credentials.',
)

export const SandboxPage = Page(Sandbox, 'Practice pairs, newest first.')

export const SandboxPaging = Body(paging, 'Which page.')
