/**
 * Invitations, by organization or by e-mail. One by e-mail has no second organization yet, so it
 * waits in a table of its own and becomes the connection of the same id when somebody who signed in
 * with that e-mail accepts.
 */
import { invalid, notFound } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { encodeId } from '../../core/ids.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { newId } from '../../database/new-ids.ts'
import type { Session } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type Looking,
  type SeenConnection,
  connectionSeenBy,
  insertInvitation,
  invitable,
  openInvitationTo,
} from '../../store/identity/connections.ts'
import { defaultCurrencyOf } from '../../store/identity/organizations.ts'
import { alreadyOpen, openBetween, ordered } from './connections.ts'
import { isolated } from './sandbox-isolation.ts'
import { keptEmail } from './users.ts'

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
