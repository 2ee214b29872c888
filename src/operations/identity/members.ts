/** The members of the calling organization, and what each may do. */
import type { Call } from '../../context.ts'
import { notFound } from '../../contract/errors.ts'
import type { Role } from '../../contract/roles.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { Member, MemberFilters, MemberPage, MemberUpdate } from '../../contract/shapes/members.ts'
import {
  type MemberChange,
  changeMemberRole,
  removeMember,
} from '../../changes/identity/members.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { type MemberRow, membersOf } from '../../store/identity/members.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'

const toMember = ({ user_id, email, name, role, created_at, last_used_at }: MemberRow): Member => ({
  user_id: encodeId('usr', user_id),
  email,
  name,
  role: role as Role,
  created_at,
  last_used_at,
})

const memberDefaults = { family: 'keys', since: '1.16.0', allowed: 'admin' } as const

export const list = operation({
  ...memberDefaults,
  id: 'members.list',
  method: 'GET',
  path: '/v1/members',
  summary: 'List members, newest first',
  query: MemberFilters,
  response: MemberPage,
  summaryFields: ['user_id', 'email', 'name', 'role', 'last_used_at'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'members', query)
  const [created_at = '', user_id = ''] = page.before?.split(' ') ?? []
  const rows = await membersOf(call.read, call.organization.id, {
    roles: query.role,
    before: page.before === undefined ? undefined : { created_at, user_id },
    limit: page.limit,
  })
  return { body: page.of(rows, toMember, (row) => `${row.created_at} ${row.user_id}`) }
})

const changeOf = (call: Call, publicId: string): MemberChange => {
  const user = decodeId('usr', publicId)
  if (user === undefined) throw notFound('user', publicId)
  return { organization: call.organization.id, by: call.credential.user!.id, user }
}

export const update = operation({
  ...memberDefaults,
  id: 'members.update',
  workClass: 'credentials',
  method: 'PATCH',
  path: '/v1/members/{user_id}',
  summary: 'Change the role of a member',
  description:
    'Takes effect on the next request of every session of the member. Only owners make, change or remove owners, and the last owner stays.',
  body: MemberUpdate,
  response: Member,
  errors: ['not_found', 'sandbox_isolation', 'conflict'],
}).transacts(async (tx, call, { params, body }) => ({
  body: toMember(await changeMemberRole(tx, changeOf(call, params.user_id), body.role)),
}))

export const remove = operation({
  ...memberDefaults,
  id: 'members.remove',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/v1/members/{user_id}',
  summary: 'Remove a member',
  description:
    'Ends all sessions of the member for this organization and the open invitations to the address immediately, and returns the last record. Keys that the member created stay: revoke those that should not.',
  body: NoBody,
  response: Member,
  errors: ['not_found', 'sandbox_isolation', 'conflict'],
}).transacts(async (tx, call, { params }) => ({
  body: toMember(await removeMember(tx, changeOf(call, params.user_id))),
}))
