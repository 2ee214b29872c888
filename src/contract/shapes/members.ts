/** The members of an organization and their roles (contract 12). */
import { type Static, Type } from 'typebox'
import { roleNames } from '../role-names.ts'
import { type Role, roles } from '../roles.ts'
import { Id, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { CommaList, InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

const MemberRole = StringEnum(
  roleNames,
  roleNames.map((role) => `\`${role}\`: ${roles[role].allows}`).join('. ') + '.',
)

export const Member = OutputObject(
  {
    user_id: Id('usr', 'The user.'),
    email: Type.String(),
    name: Type.String(),
    role: StringEnum(roleNames, 'The role of the user in the organization.'),
    created_at: Timestamp('When the user became a member.'),
    last_used_at: Nullable(Timestamp('When the user last signed in or switched here.')),
  },
  'A user who may act for the organization.',
)
export type Member = Omit<Static<typeof Member>, 'role'> & { role: Role }

export const MemberPage = PageOf(Member, 'Members, the newest first.')

export const MemberFilters = InputObject(
  { ...pageParameters, role: Type.Optional(CommaList(StringEnum(roleNames, 'A role.'), 'Roles.')) },
  'Filters of the members.',
)

export const MemberUpdate = InputObject({ role: MemberRole }, 'A change of a member’s role.')
