/**
 * Connections and the moves of both sides: accepting, declining, ending. A connection is one row
 * for two organizations; connection-invitations.ts has those that nobody has accepted yet.
 *
 * Every move locks both organizations and the row before reading it, so the second of two
 * concurrent moves finds the state that the first one left. Ending also locks the counters of both
 * organizations, so no document is created or issued on an ended connection (the write engine reads
 * it under the same locks), and counts the end (docs/decisions/0144).
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import {
  type ConnectionSide,
  type ConnectionStatus,
  connectionTargets,
  orderedPair,
} from '../../core/identity/connection-lifecycle.ts'
import type { Mode } from '../../core/identity/credentials.ts'
import { encodeId } from '../../core/ids.ts'
import { joinedByOr } from '../../core/listed-words.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { notifyOfConnection } from '../../store/identity/connection-changes.ts'
import * as store from '../../store/identity/connections.ts'
import {
  countEndOfConnections,
  lockOpenConnections,
  lockOrganizations,
} from '../../store/identity/row-versions.ts'
import { setInvitationStatus } from '../../store/identity/connection-invitations.ts'
import type { OrganizationRow } from '../../store/identity/organizations.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'

export interface NewConnection {
  a: string
  b: string
  mode: Mode
  /** Either `a` or `b`. */
  invitedBy: string
  terms: string | null
  currency: string
  status: 'invited' | 'active'
}

/** Returns the id of the new connection; the parties may come in either order. */
export const createConnection = async (tx: Queryable, input: NewConnection): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { a, b } = orderedPair(input.a, input.b)
  const { mode, status } = input
  const inserted = await store.insertConnection(tx, {
    id,
    mode,
    a_id: a,
    b_id: b,
    invited_by: input.invitedBy,
    status,
    default_payment_terms: input.terms,
    currency: input.currency,
    created_at: now,
    updated_at: now,
  })
  assert.equal(inserted, 1, 'the two had no open connection')
  const change = { mode, status, updated_at: now, organizations: [a, b], email: null }
  await notifyOfConnection(tx, { id: encodeId('con', id), ...change })
  return id
}

/** Creates an active connection without an acceptance: an operator vouches for both. */
export const connectByOperator = async (
  tx: Queryable,
  inviting: OrganizationRow,
  invited: OrganizationRow,
  { terms, currency }: Pick<NewConnection, 'terms' | 'currency'>,
): Promise<string> => {
  if (inviting.id === invited.id) {
    throw refuse('conflict', 'An organization cannot be connected to itself.')
  }
  if (inviting.mode !== invited.mode) {
    throw refuse('sandbox_isolation', 'One organization is live and the other is a sandbox.')
  }
  const open = await store.openConnectionBetween(tx, inviting.id, invited.id)
  if (open !== undefined) {
    const id = encodeId('con', open.id)
    throw refuse('conflict', `The two already have connection ${id}, which is ${open.status}.`)
  }

  // From here the change must succeed.
  const mode = inviting.mode === 'live' ? 'live' : 'test'
  return createConnection(tx, {
    a: inviting.id,
    b: invited.id,
    mode,
    invitedBy: inviting.id,
    terms,
    currency,
    status: 'active',
  })
}

/** The insert is the check, so the second of two concurrent invitations is refused. */
export const insertUnlessConnected = async (
  tx: Queryable,
  mover: string,
  row: Parameters<typeof store.insertConnection>[1],
): Promise<void> => {
  // The connection in the way may end before it is read; then the insert can succeed.
  while ((await store.insertConnection(tx, row)) === 0) {
    const open = await store.openConnectionBetween(tx, row.a_id, row.b_id)
    if (open === undefined) continue
    throw alreadyConnected(open, sideOf(open.invited_by === mover))
  }
}

/** Accepts, declines or ends; returns the connection as the caller sees it. */
export const moveConnection = async (
  tx: Queryable,
  viewer: store.ConnectionViewer,
  id: string,
  to: ConnectionStatus,
): Promise<store.ConnectionView> => {
  const parties = await store.partiesOfConnection(tx, id, viewer.organization)
  await lockOrganizations(tx, parties)
  const isEnd = to === 'ended' || to === 'declined'
  if (isEnd) await lockOpenConnections(tx, [viewer.organization])
  await store.lockConnection(tx, id)
  const current = await store.connectionVisibleTo(tx, viewer, id)
  if (current === undefined)
    throw await notFoundOrIsolated(tx, viewer.organization, 'con', encodeId('con', id))
  if (current.email === null) await checkIsCurrent(tx, id)
  const side = sideOf(current.is_inviter)
  const allowed = connectionTargets(current.status, side)
  if (!allowed.includes(to)) {
    throw refuse(
      'conflict',
      `This side cannot move the connection from ${current.status} to ${to}${otherMoves(allowed)}.`,
      { reason: 'illegal_transition', allowed, from: current.status, to, side },
    )
  }

  // The end time is read under the counters' locks, so earlier documents are older than it.
  if (isEnd) await store.lockCountersOfParties(tx, id)
  const at = await databaseNow(tx)
  if (current.email === null) {
    await store.setConnectionStatus(tx, id, to, at)
    if (isEnd) await countEndOfConnections(tx, [viewer.organization])
  } else {
    // The connection locks the counters of both sides in order; the invitation those of one side.
    if (to === 'active') await activateInvitation(tx, viewer, current, at)
    await setInvitationStatus(tx, id, to === 'active' ? 'accepted' : to, at)
  }
  const moved = await store.connectionVisibleTo(tx, viewer, id)
  assert.equal(moved?.status, to, 'the connection moved')
  await notifyOfChange(tx, viewer, { ...moved, email: current.email })
  return moved
}

/** Tells both sides of what the viewer has changed. */
export const notifyOfChange = (
  tx: Queryable,
  viewer: store.ConnectionViewer,
  { id, mode, status, updated_at, party_id, email }: store.ConnectionView,
): Promise<unknown> => {
  const organizations = [viewer.organization, ...(party_id === null ? [] : [party_id])]
  return notifyOfConnection(tx, {
    id: encodeId('con', id),
    status: status as ConnectionStatus,
    mode,
    updated_at,
    organizations,
    email,
  })
}

/** An old row that is moved would be sealed again. */
const checkIsCurrent = async (tx: Queryable, id: string): Promise<void> => {
  const current = await store.currentConnection(tx, id)
  if (current instanceof BrokenSeal) throw current
}

const otherMoves = (allowed: readonly ConnectionStatus[]): string =>
  allowed.length === 0 ? ': no move is open to it' : `, only to ${joinedByOr(allowed)}`

/** Refuses if the two have become connected some other way since the invitation. */
const activateInvitation = async (
  tx: Queryable,
  { organization }: store.ConnectionViewer,
  { id, mode, party_id, default_payment_terms, currency, created_at }: store.ConnectionView,
  at: string,
): Promise<void> => {
  const { a, b } = orderedPair(organization, party_id!)
  await insertUnlessConnected(tx, organization, {
    id,
    mode,
    a_id: a,
    b_id: b,
    invited_by: party_id!,
    status: 'active',
    default_payment_terms,
    currency,
    created_at,
    updated_at: at,
  })
}

const sideOf = (isInviter: boolean): ConnectionSide => (isInviter ? 'inviter' : 'invitee')

export const alreadyConnected = (
  open: { id: string; status: string },
  side: ConnectionSide,
): Error => {
  const id = encodeId('con', open.id)
  return refuse('conflict', `Connection ${id} already exists and is ${open.status}.`, {
    reason: 'illegal_transition',
    allowed: connectionTargets(open.status, side),
    from: open.status,
    to: 'invited',
    side,
    connection_id: id,
  })
}
