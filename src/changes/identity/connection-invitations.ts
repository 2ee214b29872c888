/**
 * Invitations to an organization or an e-mail address. One to an address has no second organization
 * yet, so it waits in its own table and becomes the connection with the same id when somebody who
 * signed in with that e-mail accepts.
 */
import { invalidRequest, notFound, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { dayMs } from '../../core/dates.ts'
import { encodeId, firstUuidAt } from '../../core/ids.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import {
  type ConnectionView,
  type ConnectionViewer,
  connectionVisibleTo,
} from '../../store/identity/connections.ts'
import * as store from '../../store/identity/connection-invitations.ts'
import { defaultCurrencyOf } from '../../store/identity/organizations.ts'
import { alreadyConnected, insertUnlessConnected, notifyOfChange } from './connections.ts'
import { isolationRefusal } from './sandbox-isolation.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { orderedPair } from '../../core/identity/connection-lifecycle.ts'

export interface Invitation {
  to: { organization: string } | { email: string }
  terms: string | null
  currency: string | undefined
}

/** Returns the new connection as the inviter sees it. */
export const invite = async (
  tx: Queryable,
  inviter: ConnectionViewer,
  { to, terms, currency: requestedCurrency }: Invitation,
): Promise<ConnectionView> => {
  const currency = requestedCurrency ?? (await defaultCurrencyOf(tx, inviter.organization))
  const id =
    'email' in to
      ? await inviteByEmail(tx, inviter, { email: normalizeEmail(to.email), terms, currency })
      : await inviteOrganization(tx, inviter, { invitee: to.organization, terms, currency })
  const connection = (await connectionVisibleTo(tx, inviter, id))!
  await notifyOfChange(tx, inviter, connection)
  return connection
}

const inviteOrganization = async (
  tx: Queryable,
  { organization, mode }: ConnectionViewer,
  { invitee, terms, currency }: { invitee: string; terms: string | null; currency: string },
): Promise<string> => {
  if (invitee === organization) throw invalidRequest(selfInvitation)
  const target = await store.invitationTarget(tx, invitee, organization)
  if (target !== undefined && target.mode !== mode && target.is_own) throw isolationRefusal()
  if (target === undefined || target.mode !== mode) {
    throw notFound('organization', encodeId('org', invitee))
  }
  const now = await databaseNow(tx)
  const before = { inviter: organization, since: sinceOf(now) }
  checkNotTooMany(await store.countEndedConnections(tx, before, invitee))
  const id = newId(Date.parse(now))
  const parties = orderedPair(organization, invitee)
  await insertUnlessConnected(tx, organization, {
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

const inviteByEmail = async (
  tx: Queryable,
  { organization, mode }: ConnectionViewer,
  { email, terms, currency }: { email: string; terms: string | null; currency: string },
): Promise<string> => {
  const now = await databaseNow(tx)
  const before = { inviter: organization, since: sinceOf(now) }
  checkNotTooMany(await store.countEndedInvitations(tx, before, email))
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
  while ((await store.insertInvitation(tx, invitation)) === 0) {
    const open = await store.openInvitationTo(tx, organization, email)
    if (open !== undefined) throw alreadyConnected(open, 'inviter')
  }
  return id
}

const sinceOf = (now: string): string =>
  firstUuidAt(Date.parse(now) - limits.endedInvitationsDays * dayMs)

/** Whoever is invited sees each of them in their list, however soon it is withdrawn. */
const checkNotTooMany = (ended: number): void => {
  const { endedInvitationsMax: most, endedInvitationsDays: days } = limits
  if (ended < most) return
  const message = `Within ${days} days, ${ended} invitations to the same invitee were declined, withdrawn or ended: wait, or be invited.`
  throw refuse('conflict', message, { reason: 'too_many_invitations' })
}

const selfInvitation: Problem = {
  param: '/organization_id',
  code: 'invalid_value',
  message: 'An organization cannot be connected to itself.',
  fix: 'name the other organization',
}

/** Default terms apply to documents of every date, so they cannot name one. */
export const defaultTermsProblems = (terms: string, today: string): Problem[] => {
  const derived = deriveTerms({ payment_terms: terms, document_date: today })
  const problem = (message: string, code: Problem['code']): Problem => ({
    param: '/default_payment_terms',
    code,
    message,
    fix: 'send terms that count from the document date, like Net 30',
  })
  if (!derived.ok) return derived.problems.map(({ message, code }) => problem(message, code))
  const namesADate = /\d{4}-\d\d-\d\d/.test(terms)
  return namesADate ? [problem('Must not name a date.', 'invalid_value')] : []
}
