/**
 * Invitations and what becomes of them. A connection is one row for two organizations; an
 * invitation by e-mail has no second organization yet, so it waits in a table of its own and
 * becomes the connection of the same id when somebody who signed in with that e-mail accepts.
 *
 * Every move locks the row first and then reads it: of two answers at once one finds the state that
 * the other left. Ending also locks both heads, so that no document is created or issued on a
 * connection that has ended (the write engine reads it below the same locks).
 */
import assert from 'node:assert/strict'
import { invalid, notFound, refuse } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import {
  type ConnectionSide,
  type ConnectionStatus,
  connectionTargets,
} from '../core/connections.ts'
import { encodeId } from '../core/ids.ts'
import { deriveTerms } from '../core/terms.ts'
import { newId } from '../randomness.ts'
import type { Session } from '../sql.ts'
import {
  type ConnectionRow,
  type Looking,
  type SeenConnection,
  connectionSeenBy,
  defaultCurrencyOf,
  insertConnection,
  insertInvitation,
  invitable,
  isOwnConnectionInOtherMode,
  lockConnection,
  lockHeadsOfParties,
  openConnectionBetween,
  openInvitationTo,
  setConnectionStatus,
  setInvitationStatus,
} from '../store/connections.ts'
import { databaseNow } from '../store/keys.ts'
import { isolated } from './isolation.ts'
import { keptEmail, ordered } from './organizations.ts'

export interface Invitation {
  to: { organization: string } | { email: string }
  terms: string | null
  currency: string | undefined
}

/** The new connection, as the inviter sees it. */
export const invite = async (
  tx: Session,
  inviter: Looking,
  { to, terms, currency: given }: Invitation,
): Promise<SeenConnection> => {
  if (terms !== null) checkTerms(terms, await databaseNow(tx))
  const currency = given ?? (await defaultCurrencyOf(tx, inviter.organization))
  const id =
    'email' in to
      ? await inviteByEmail(tx, inviter, { email: keptEmail(to.email), terms, currency })
      : await inviteOrganization(tx, inviter, { invitee: to.organization, terms, currency })
  return (await connectionSeenBy(tx, inviter, id))!
}

const inviteOrganization = async (
  tx: Session,
  { organization, mode }: Looking,
  { invitee, terms, currency }: { invitee: string; terms: string | null; currency: string },
): Promise<string> => {
  if (invitee === organization) throw invalid([toItself])
  const found = await invitable(tx, invitee, organization)
  if (found !== undefined && found.mode !== mode && found.is_own) throw isolated()
  if (found === undefined || found.mode !== mode) {
    throw notFound('organization', encodeId('org', invitee))
  }
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const parties = ordered(organization, invitee)
  await openBetween(tx, organization, {
    id,
    mode,
    a_id: parties.a,
    b_id: parties.b,
    invited_by: organization,
    status: 'invited',
    default_payment_terms: terms,
    currency,
    created_at: now,
    updated_at: now,
  })
  return id
}

/** The insert is the check, so that of two invitations at once one is told of the other. */
const openBetween = async (tx: Session, mover: string, row: ConnectionRow): Promise<void> => {
  // What was in the way may end before it is read: then there is nothing in the way any more.
  while ((await insertConnection(tx, row)) === 0) {
    const open = await openConnectionBetween(tx, row.a_id, row.b_id)
    if (open === undefined) continue
    throw alreadyOpen(open, sideOf(open.invited_by === mover))
  }
}

const inviteByEmail = async (
  tx: Session,
  { organization, mode }: Looking,
  { email, terms, currency }: { email: string; terms: string | null; currency: string },
): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const invitation = {
    id,
    mode,
    invited_by: organization,
    email,
    status: 'invited',
    default_payment_terms: terms,
    currency,
    created_at: now,
    updated_at: now,
  }
  while ((await insertInvitation(tx, invitation)) === 0) {
    const open = await openInvitationTo(tx, organization, email)
    if (open !== undefined) throw alreadyOpen(open, 'inviter')
  }
  return id
}

/** Accept, decline or end; answers the connection as the one who moved it sees it. */
export const moveConnection = async (
  tx: Session,
  looking: Looking,
  id: string,
  to: ConnectionStatus,
): Promise<SeenConnection> => {
  await lockConnection(tx, id)
  const seen = await connectionSeenBy(tx, looking, id)
  if (seen === undefined) throw await noSuchConnection(tx, looking, id)
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
  if (to === 'ended') await lockHeadsOfParties(tx, id)
  const at = await databaseNow(tx)
  if (seen.email === null) {
    await setConnectionStatus(tx, id, to, at)
  } else {
    await setInvitationStatus(tx, id, to === 'active' ? 'accepted' : to, at)
    if (to === 'active') await becomeConnection(tx, looking, seen, at)
  }
  const moved = await connectionSeenBy(tx, looking, id)
  assert.equal(moved?.status, to, 'the connection moved')
  return moved
}

/** The two may have been connected otherwise since the invitation was sent: then this refuses. */
const becomeConnection = async (
  tx: Session,
  { organization }: Looking,
  { id, mode, party_id, default_payment_terms, currency, created_at }: SeenConnection,
  at: string,
): Promise<void> => {
  const { a, b } = ordered(organization, party_id!)
  await openBetween(tx, organization, {
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

export const noSuchConnection = async (
  session: Session,
  { organization }: Looking,
  id: string,
): Promise<Error> =>
  (await isOwnConnectionInOtherMode(session, organization, id))
    ? isolated()
    : notFound('connection', encodeId('con', id))

const sideOf = (isInviter: boolean): ConnectionSide => (isInviter ? 'inviter' : 'invitee')

const alreadyOpen = (open: { id: string; status: string }, side: ConnectionSide): Error => {
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

const toItself: Problem = {
  param: '/organization_id',
  code: 'invalid_value',
  message: 'An organization cannot be connected to itself.',
  fix: 'name the other organization',
}

/** They hold for documents of every date, so they cannot name one. */
const checkTerms = (terms: string, now: string): void => {
  const derived = deriveTerms({ payment_terms: terms, document_date: now.slice(0, 10) })
  const problem = (message: string, code: Problem['code']): Problem => ({
    param: '/default_payment_terms',
    code,
    message,
    fix: 'send terms that count from the document date, like Net 30',
  })
  const namesADate = derived.ok && /\d{4}-\d\d-\d\d/.test(terms)
  const problems = derived.ok
    ? []
    : derived.problems.map(({ message, code }) =>
        problem(message.replace('`payment_terms`', '`default_payment_terms`'), code),
      )
  if (namesADate) {
    problems.push(problem('A date cannot be the default of all later documents.', 'invalid_value'))
  }
  if (problems.length > 0) throw invalid(problems)
}
