/** Connections between organizations, from the invitation to the end. */
import type { Call } from '../../context.ts'
import { type Refusal, refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import {
  Connection,
  ConnectionCreate,
  ConnectionFilters,
  ConnectionPage,
} from '../../contract/shapes/connections.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { connectionObstacle } from '../../changes/documents/draft-references.ts'
import { moveConnection } from '../../changes/identity/connections.ts'
import {
  type Invitation,
  defaultTermsProblems,
  invite,
} from '../../changes/identity/connection-invitations.ts'
import { notFoundOrIsolated } from '../../changes/identity/sandbox-isolation.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { queueForAddress } from '../../changes/notices/queue-notices.ts'
import {
  type ConnectionStatus,
  connectionStatuses,
  connectionTargets,
} from '../../core/identity/connection-lifecycle.ts'
import { dateOf, firstDate } from '../../core/dates.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import {
  type ConnectionViewer,
  type ConnectionView,
  connectionVisibleTo,
  connectionsOf,
} from '../../store/identity/connections.ts'
import { openPage } from '../paging.ts'
import { type SemanticContext, operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'

const toConnection = (row: ConnectionView): Connection => ({
  id: encodeId('con', row.id),
  status: row.status as ConnectionStatus,
  counterparty:
    row.party_id === null
      ? null
      : {
          organization_id: encodeId('org', row.party_id),
          name: row.party_name!,
          verified: row.party_is_verified!,
        },
  invited_by: row.is_inviter ? 'you' : 'counterparty',
  invited_email: row.email,
  default_payment_terms: row.default_payment_terms,
  currency: row.currency as Connection['currency'],
  allowed_transitions: connectionTargets(row.status, row.is_inviter ? 'inviter' : 'invitee'),
  sandbox: row.mode === 'test',
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const viewerOf = ({
  organization,
  credential,
}: Pick<Call, 'organization' | 'credential'>): ConnectionViewer => ({
  organization: organization.id,
  mode: organization.mode,
  email: credential.user?.isEmailVerified === true ? normalizeEmail(credential.user.email) : null,
})

/**
 * Throws why an invitation by e-mail takes no document, if that is the connection that a write has
 * not found: it becomes a connection only once it is accepted.
 */
export const checkIsNoInvitation = async (
  call: Pick<Call, 'organization' | 'credential' | 'read'>,
  refusal: Refusal,
): Promise<void> => {
  const { resource, id: publicId, param } = refusal.details ?? {}
  if (resource !== 'connection' || param !== '/connection_id') return
  const id = decodeId('con', publicId as string)
  const row =
    id === undefined ? undefined : await connectionVisibleTo(call.read, viewerOf(call), id)
  const obstacle = row === undefined ? undefined : connectionObstacle(row.status)
  if (obstacle !== undefined) throw obstacle
}

export const list = operation({
  id: 'connections.list',
  method: 'GET',
  path: '/v1/connections',
  family: 'documents',
  summary: 'List connections, newest first',
  description:
    'Returns connections and invitations, sent or received. A session also sees the invitations to the e-mail address of its user.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: ConnectionFilters,
  response: ConnectionPage,
  summaryFields: ['id', 'status', 'counterparty', 'currency', 'default_payment_terms'],
  toolFields: [
    'id',
    'status',
    'counterparty.name',
    'counterparty.verified',
    'currency',
    'default_payment_terms',
  ],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'connections', query)
  const statuses = query.status ?? connectionStatuses
  const rows = await connectionsOf(call.read, viewerOf(call), { statuses, ...page })
  return { body: page.of(rows, toConnection, (row) => row.id) }
})

export const get = operation({
  id: 'connections.get',
  method: 'GET',
  path: '/v1/connections/{id}',
  family: 'documents',
  summary: 'Retrieve a connection',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Connection,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('con', params.id)
  const viewer = viewerOf(call)
  const row = await connectionVisibleTo(call.read, viewer, id)
  if (row === undefined)
    throw await notFoundOrIsolated(call.read, viewer.organization, 'con', params.id)
  return { body: toConnection(row) }
})

const invitationProblems = (
  { organization_id, email, default_payment_terms: terms }: ConnectionCreate,
  { today, isSound }: SemanticContext,
): Problem[] => {
  const problems = terms == null ? [] : defaultTermsProblems(terms, today)
  const names = [organization_id, email].filter((name) => name !== undefined).length
  if (names === 1 || !isSound('/organization_id') || !isSound('/email')) return problems
  const invitee: Problem = {
    param: names === 0 ? '/organization_id' : '/email',
    code: names === 0 ? 'required' : 'invalid_value',
    message: 'Invite either an organization by its id or a person by e-mail.',
    fix: 'send either organization_id or email',
  }
  return [invitee, ...problems]
}

const inviteeOf = ({ organization_id, email }: ConnectionCreate): Invitation['to'] =>
  email === undefined ? { organization: decodeId('org', organization_id!)! } : { email }

export const create = operation({
  id: 'connections.create',
  method: 'POST',
  path: '/v1/connections',
  family: 'documents',
  summary: 'Send an invitation',
  description:
    'Invites an organization by its id, or a person by e-mail, who sees the invitation after signing in, and gets a notice where the deployment has a mail server. Documents can be exchanged once the invitation is accepted.',
  since: '1.15.0',
  allowed: 'admin',
  scopes: ['documents:write'],
  body: ConnectionCreate,
  response: Connection,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(
  async (tx, call, { body }) => {
    const { default_payment_terms: terms = null, currency } = body
    // Only terms are read as of a day.
    const today = terms === null ? firstDate : dateOf(await databaseNow(tx))
    refuseProblems(invitationProblems(body, { today, isSound: () => true }))
    const row = await invite(tx, viewerOf(call), { to: inviteeOf(body), terms, currency })
    const { config, keyring } = call.context
    if (row.email !== null && config.smtp !== undefined) {
      const { id, email } = row
      const { id: organization } = call.organization
      const queued = { kind: 'connection_invitation', organization, id, email } as const
      await queueForAddress(tx, keyring.notices, queued)
    }
    const connection = toConnection(row)
    const location = `/v1/connections/${connection.id}`
    return { body: connection, location, resourceId: connection.id }
  },
  { problems: invitationProblems },
)

/** Declares an operation that changes the status of a connection. */
const statusOperation = (
  verb: 'accept' | 'decline' | 'end',
  to: ConnectionStatus,
  { summary, description }: { summary: string; description: string },
) =>
  operation({
    id: `connections.${verb}`,
    method: 'POST',
    path: `/v1/connections/{id}/${verb}`,
    family: 'documents',
    summary,
    description,
    since: '1.15.0',
    allowed: 'admin',
    scopes: ['documents:write'],
    body: NoBody,
    response: Connection,
    errors: ['not_found', 'conflict', 'sandbox_isolation'],
  }).transacts(async (tx, call, { params }) => {
    const row = await moveConnection(tx, viewerOf(call), uuidOrNotFound('con', params.id), to)
    return { body: toConnection(row), resourceId: encodeId('con', row.id) }
  })

export const accept = statusOperation('accept', 'active', {
  summary: 'Accept an invitation',
  description:
    'Only the invited side can accept. From then on, both sides can create documents on the connection.',
})

export const decline = statusOperation('decline', 'declined', {
  summary: 'Decline an invitation',
  description:
    'Only the invited side can decline. Declining is final: a later invitation creates a new connection.',
})

export const end = statusOperation('end', 'ended', {
  summary: 'End a connection or withdraw an invitation',
  description:
    'Either side can end a connection. An ended connection accepts no new documents, and its drafts cannot be issued; documents that both sides have seen continue.',
})
