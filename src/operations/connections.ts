/** Who an organization exchanges documents with: invitations, and what becomes of them. */
import type { Call } from '../context.ts'
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import {
  Connection,
  ConnectionCreate,
  ConnectionFilters,
  ConnectionPage,
} from '../contract/shapes/connections.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import { moveConnection } from '../changes/identity/connections.ts'
import { type Invitation, invite } from '../changes/identity/invitations.ts'
import { notFoundOrIsolated } from '../changes/identity/sandbox-isolation.ts'
import {
  type ConnectionStatus,
  connectionStatuses,
  connectionTargets,
} from '../core/identity/connection-lifecycle.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import {
  type ConnectionViewer,
  type ConnectionView,
  connectionVisibleTo,
  connectionsOf,
} from '../store/identity/connections.ts'
import { cursorsOf } from './paging.ts'
import { operation } from './operation.ts'
import { uuidOrNotFound } from './path-ids.ts'

const view = (seen: ConnectionView): Connection => ({
  id: encodeId('con', seen.id),
  status: seen.status as ConnectionStatus,
  counterparty:
    seen.party_id === null
      ? null
      : {
          organization_id: encodeId('org', seen.party_id),
          name: seen.party_name!,
          verified: seen.party_is_verified!,
        },
  invited_by: seen.is_inviter ? 'you' : 'counterparty',
  invited_email: seen.email,
  default_payment_terms: seen.default_payment_terms,
  currency: seen.currency as Connection['currency'],
  allowed_transitions: connectionTargets(seen.status, seen.is_inviter ? 'inviter' : 'invitee'),
  sandbox: seen.mode === 'test',
  created_at: seen.created_at,
  updated_at: seen.updated_at,
})

const viewerOf = ({ organization, credential }: Call): ConnectionViewer => ({
  organization: organization.id,
  mode: organization.mode,
  email: credential.user?.email ?? null,
})

export const list = operation({
  id: 'connections.list',
  method: 'GET',
  path: '/v1/connections',
  family: 'documents',
  summary: 'List connections, newest first',
  description:
    'Active ones, and invitations that were sent or received. A session also sees those that name the e-mail of its user.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: ConnectionFilters,
  response: ConnectionPage,
}).reads(async (call, { query }) => {
  const { cursor, limit = limits.pageDefault, ...filters } = query
  const cursors = cursorsOf(call, 'connections', filters)
  const rows = await connectionsOf(call.read, viewerOf(call), {
    statuses: filters.status ?? connectionStatuses,
    before: cursors.open(cursor),
    limit: limit + 1,
  })
  return { body: cursors.page(rows, limit, view, (row) => row.id) }
})

export const get = operation({
  id: 'connections.get',
  method: 'GET',
  path: '/v1/connections/{id}',
  family: 'documents',
  summary: 'Read a connection',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Connection,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('con', params.id)
  const viewer = viewerOf(call)
  const seen = await connectionVisibleTo(call.read, viewer, id)
  if (seen === undefined)
    throw await notFoundOrIsolated(call.read, viewer.organization, 'con', params.id)
  return { body: view(seen) }
})

export const create = operation({
  id: 'connections.create',
  method: 'POST',
  path: '/v1/connections',
  family: 'documents',
  summary: 'Invite somebody to connect',
  description:
    'An organization by its id, or a person by e-mail, who sees the invitation when signed in. Documents can be exchanged once it is accepted.',
  since: '1.15.0',
  allowed: 'admin',
  scopes: ['documents:write'],
  body: ConnectionCreate,
  response: Connection,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(async (tx, call, { body }) => {
  const { default_payment_terms: terms = null, currency } = body
  const seen = await invite(tx, viewerOf(call), { to: inviteeOf(body), terms, currency })
  const shown = view(seen)
  return { body: shown, location: `/v1/connections/${shown.id}`, resourceId: shown.id }
})

const inviteeOf = ({ organization_id, email }: ConnectionCreate): Invitation['to'] => {
  const problem = (param: string, code: Problem['code']): Problem => ({
    param,
    code,
    message: 'Invite either an organization by its id or a person by e-mail.',
    fix: 'send one of organization_id and email',
  })
  if (organization_id !== undefined && email !== undefined) {
    throw invalidRequest([problem('/email', 'invalid_value')])
  }
  if (email !== undefined) return { email }
  if (organization_id === undefined) throw invalidRequest([problem('/organization_id', 'required')])
  return { organization: decodeId('org', organization_id)! }
}

/** What the three answers to an invitation have in common. */
const moveOperation = (
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
    const seen = await moveConnection(tx, viewerOf(call), uuidOrNotFound('con', params.id), to)
    return { body: view(seen), resourceId: encodeId('con', seen.id) }
  })

export const accept = moveOperation('accept', 'active', {
  summary: 'Accept an invitation',
  description:
    'The invited side only. From now on both sides can create documents on the connection.',
})

export const decline = moveOperation('decline', 'declined', {
  summary: 'Decline an invitation',
  description: 'The invited side only, and final: a later invitation is a connection of its own.',
})

export const end = moveOperation('end', 'ended', {
  summary: 'End a connection, or withdraw an invitation',
  description:
    'Either side. An ended connection takes no new documents and no draft on it can be issued; documents that both sides have seen run on.',
})
