/** Invitations of people to be members of the calling organization. */
import type { Call } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import type { Role } from '../../contract/roles.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  InvitationCreate,
  InvitationFilters,
  InvitationPage,
  MemberInvitation,
  MintedInvitation,
} from '../../contract/shapes/member-invitations.ts'
import {
  inviteMember,
  revokeInvitation,
  statusOfInvitation,
} from '../../changes/identity/member-invitations.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { queueForAddress } from '../../changes/notices/queue-notices.ts'
import { encodeId } from '../../core/ids.ts'
import { type InvitationWithNow, invitationsOf } from '../../store/identity/member-invitations.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { uuidOrNotFound } from '../path-ids.ts'

const toInvitation = (row: InvitationWithNow): MemberInvitation => ({
  id: encodeId('inv', row.id),
  email: row.email,
  role: row.role as Role,
  status: statusOfInvitation(row),
  invited_by: encodeId('usr', row.invited_by),
  accepted_by: row.accepted_by === null ? null : encodeId('usr', row.accepted_by),
  created_at: row.created_at,
  expires_at: row.expires_at,
})

const invitationDefaults = { family: 'keys', since: '1.16.0', allowed: 'admin' } as const

const callerOf = ({ organization, credential }: Call) => ({
  organization: organization.id,
  by: credential.user!.id,
})

export const list = operation({
  ...invitationDefaults,
  id: 'invitations.list',
  method: 'GET',
  path: '/v1/invitations',
  summary: 'List invitations of members, newest first',
  description: 'Returns invitations until a month after they expire.',
  query: InvitationFilters,
  response: InvitationPage,
  summaryFields: ['id', 'email', 'role', 'status', 'expires_at'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'invitations', query)
  const rows = await invitationsOf(call.read, call.organization.id, page)
  return { body: page.of(rows, toInvitation, ({ id }) => id) }
})

export const create = operation({
  ...invitationDefaults,
  id: 'invitations.create',
  workClass: 'credentials',
  method: 'POST',
  path: '/v1/invitations',
  summary: 'Invite a person to be a member',
  description: `Replaces an open invitation of the same person. The token is shown once, in this response: pass it on, and the person accepts at \`POST /auth/invitations/accept\` within ${limits.invitationLifetimeDays} days. Where the deployment has a mail server, the person also gets it by e-mail. Connection invitations to an address are shown only to users for whose address the operator vouches.`,
  body: InvitationCreate,
  response: MintedInvitation,
  status: 201,
  errors: ['conflict'],
  showsSecret: true,
}).transacts(async (tx, call, { body }) => {
  const email = normalizeEmail(body.email)
  const created = await inviteMember(tx, { ...callerOf(call), email, role: body.role })
  const invitation = toInvitation(created.invitation)
  const { config, keyring } = call.context
  if (config.smtp !== undefined) {
    const { id, organization_id: organization } = created.invitation
    const { token } = created
    const queued = { kind: 'member_invitation', organization, id, email, token } as const
    await queueForAddress(tx, keyring.notices, queued)
  }
  return {
    body: { ...invitation, token: call.dryRun ? null : created.token },
    resourceId: invitation.id,
  }
})

export const revoke = operation({
  ...invitationDefaults,
  id: 'invitations.revoke',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/v1/invitations/{id}',
  summary: 'Revoke an invitation',
  description: 'Immediate. Revoking again returns the same record.',
  body: NoBody,
  response: MemberInvitation,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params }) => {
  const id = uuidOrNotFound('inv', params.id)
  return { body: toInvitation(await revokeInvitation(tx, { ...callerOf(call), id })) }
})
