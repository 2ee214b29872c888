/**
 * Connections and the moves of both sides: accepting, declining, ending. A connection is one row
 * for two organizations; what an invitation by e-mail is until then, is in invitations.ts.
 *
 * Every move locks the row first and then reads it: of two answers at once one finds the state that
 * the other left. Ending also locks both heads, so that no document is created or issued on a
 * connection that has ended (the write engine reads it below the same locks).
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import {
  type ConnectionSide,
  type ConnectionStatus,
  connectionTargets,
} from '../../core/identity/connection-lifecycle.ts'
import type { Mode } from '../../core/identity/credentials.ts'
import { encodeId } from '../../core/ids.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type ConnectionRow,
  type ConnectionViewer,
  type ConnectionView,
  connectionVisibleTo,
  insertConnection,
  lockConnection,
  lockCountersOfParties,
  openConnectionBetween,
  setConnectionStatus,
  setInvitationStatus,
} from '../../store/identity/connections.ts'
import type { OrganizationRow } from '../../store/identity/organizations.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'

export interface NewConnection {
  a: string
  b: string
  mode: Mode
  /** `a` or `b`. */
  invitedBy: string
  terms: string | null
  currency: string
  status: 'invited' | 'active'
}

/** Two organizations as the table wants them: the smaller id first. */
export const orderedPair = (one: string, other: string): { a: string; b: string } =>
  one < other ? { a: one, b: other } : { a: other, b: one }

/** The id of a new connection; the parties may be given in either order. */
export const createConnection = async (tx: Queryable, input: NewConnection): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { a, b } = orderedPair(input.a, input.b)
  const inserted = await insertConnection(tx, {
    id,
    mode: input.mode,
    a_id: a,
    b_id: b,
    invited_by: input.invitedBy,
    status: input.status,
    default_payment_terms: input.terms,
    currency: input.currency,
    created_at: now,
    updated_at: now,
  })
  assert.equal(inserted, 1, 'the two had no open connection')
  return id
}

/** An active connection that nobody had to accept: an operator vouches for both. */
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
    throw refuse('sandbox_isolation', 'One of the two is live and the other a sandbox.')
  }
  const { a, b } = orderedPair(inviting.id, invited.id)
  const open = await openConnectionBetween(tx, a, b)
  if (open !== undefined) {
    const id = encodeId('con', open.id)
    throw refuse('conflict', `The two have connection ${id} already, ${open.status}.`)
  }

  // From here the change must succeed.
  const mode = inviting.mode === 'live' ? 'live' : 'test'
  return createConnection(tx, {
    a,
    b,
    mode,
    invitedBy: inviting.id,
    terms,
    currency,
    status: 'active',
  })
}

/** The insert is the check, so that of two invitations at once one is told of the other. */
export const insertUnlessConnected = async (
  tx: Queryable,
  mover: string,
  row: ConnectionRow,
): Promise<void> => {
  // What was in the way may end before it is read: then there is nothing in the way any more.
  while ((await insertConnection(tx, row)) === 0) {
    const open = await openConnectionBetween(tx, row.a_id, row.b_id)
    if (open === undefined) continue
    throw alreadyConnected(open, sideOf(open.invited_by === mover))
  }
}

/** Accept, decline or end; answers the connection as the one who moved it sees it. */
export const moveConnection = async (
  tx: Queryable,
  viewer: ConnectionViewer,
  id: string,
  to: ConnectionStatus,
): Promise<ConnectionView> => {
  await lockConnection(tx, id)
  const seen = await connectionVisibleTo(tx, viewer, id)
  if (seen === undefined)
    throw await notFoundOrIsolated(tx, viewer.organization, 'con', encodeId('con', id))
  const side = sideOf(seen.is_inviter)
  const allowed = connectionTargets(seen.status, side)
  if (!allowed.includes(to)) {
    throw refuse(
      'conflict',
      `A connection that is ${seen.status} cannot become ${to} by this side.`,
      {
        reason: 'illegal_transition',
        allowed,
        from: seen.status,
        to,
        side,
      },
    )
  }

  // The time of the end is read below the heads' locks: whatever was made before it is older.
  if (to === 'ended') await lockCountersOfParties(tx, id)
  const at = await databaseNow(tx)
  if (seen.email === null) {
    await setConnectionStatus(tx, id, to, at)
  } else {
    await setInvitationStatus(tx, id, to === 'active' ? 'accepted' : to, at)
    if (to === 'active') await activateInvitation(tx, viewer, seen, at)
  }
  const moved = await connectionVisibleTo(tx, viewer, id)
  assert.equal(moved?.status, to, 'the connection moved')
  return moved
}

/** The two may have been connected otherwise since the invitation was sent: then this refuses. */
const activateInvitation = async (
  tx: Queryable,
  { organization }: ConnectionViewer,
  { id, mode, party_id, default_payment_terms, currency, created_at }: ConnectionView,
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
  return refuse('conflict', `There is connection ${id} already, and it is ${open.status}.`, {
    reason: 'illegal_transition',
    allowed: connectionTargets(open.status, side),
    from: open.status,
    to: 'invited',
    side,
    connection_id: id,
  })
}
