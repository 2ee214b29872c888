/** Invitations of people to be members of an organization (contract 12). */
import { type Static, Type } from 'typebox'
import { roleNames } from '../role-names.ts'
import type { Role } from '../roles.ts'
import { EmailAddress, Id, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

const invitation = {
  id: Id('inv', 'The invitation.'),
  email: Type.String(),
  role: StringEnum(roleNames, 'The role that the person gets.'),
  status: StringEnum(
    ['pending', 'accepted', 'revoked', 'expired'],
    'What became of it. Also `revoked` while the user who invited may not give its role.',
  ),
  invited_by: Id('usr', 'The user who invited.'),
  accepted_by: Nullable(Id('usr', 'The user who accepted.')),
  created_at: Timestamp('When it was made.'),
  expires_at: Timestamp('Until when it can be accepted.'),
}

export const MemberInvitation = OutputObject(invitation, 'An invitation to be a member.')
export type MemberInvitation = Omit<Static<typeof MemberInvitation>, 'role'> & { role: Role }

export const MintedInvitation = OutputObject(
  {
    ...invitation,
    token: Nullable(
      Type.String({
        description:
          'With it the person accepts at `POST /auth/invitations/accept`. Only in this response; null in a dry run.',
      }),
    ),
  },
  'An invitation with its token.',
)

export const InvitationPage = PageOf(MemberInvitation, 'Invitations, newest first.')

export const InvitationFilters = InputObject(pageParameters, 'Paging.')

export const InvitationCreate = InputObject(
  {
    email: EmailAddress('The address of the person.'),
    role: StringEnum(roleNames, 'The role that the person gets. Only owners invite owners.'),
  },
  'An invitation of a person.',
)
