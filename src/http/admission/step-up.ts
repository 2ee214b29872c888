/** Step-up: who has to sign in again, or needs a second factor, before an operation runs. */
import { refuse } from '../../contract/errors.ts'
import { isRecentSignIn, recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import type { Operation } from '../../operations/operation.ts'
import type { AuthenticatedCaller } from './authenticator.ts'

/** Approvals and their rules are decided by a person who is there, with whatever program. */
export const checkStepUp = (
  operation: Operation,
  caller: AuthenticatedCaller,
  address: string,
): void => {
  const isNeededInBrowser = caller.credential.isBrowser && outlastsTheBrowser(operation)
  if (isNeededInBrowser || rulesOnApprovals(operation)) checkRecentlyAuthenticated(caller, address)
  if (movesMoney(operation) || operation.allowed === 'approver') checkMayMoveMoney(caller, address)
}

/**
 * Whoever is let in, by a key or as a member, needs this browser no more, and the profile has the
 * bank account to which invoices ask to be paid.
 */
const outlastsTheBrowser = ({ method, path }: Operation): boolean =>
  method !== 'GET' && /^\/v1\/(?:keys|members|invitations|organization)\b/.test(path)

/** Whoever can take the rules away needs no approval. */
const rulesOnApprovals = ({ allowed, method, path }: Operation): boolean =>
  allowed === 'approver' ||
  (method !== 'GET' && path.startsWith('/v1/approval_rules') && !path.endsWith('/test'))

const movesMoney = ({ method, scopes = [] }: Operation): boolean =>
  method !== 'GET' && scopes.includes('payments:write')

/**
 * Somebody else may sit at a browser that has been open for a while. Console 2.3: its person has a
 * second factor before live money moves.
 */
export const checkMayMoveMoney = (caller: AuthenticatedCaller, address: string): void => {
  const { organization, credential } = caller
  if (!credential.isBrowser) return
  checkRecentlyAuthenticated(caller, address)
  if (organization.mode !== 'live' || credential.user?.hasSecondFactor === true) return
  throw refuse(
    'forbidden',
    'Live money needs a second factor: turn one on, or add a passkey, in the settings of the console.',
    { address, reason: 'second_factor_required' },
  )
}

const checkRecentlyAuthenticated = (
  { organization, credential }: AuthenticatedCaller,
  address: string,
): void => {
  const { authenticatedAgeMs: ageMs, isBrowser } = credential
  if (ageMs === null || organization.mode !== 'live') return
  if (isRecentSignIn(ageMs)) return
  throw refuse('forbidden', isBrowser ? stepUpInBrowser : signInAgain, {
    address,
    reason: 'step_up_required',
  })
}

const stepUpInBrowser =
  'Live money, keys, members and the profile need a recent sign-in: call POST /auth/session/step-up with the password or the second factor, and repeat this.'

const signInAgain = `Live approvals are decided, and their rules changed, within ${recentSignInMinutes} minutes of a sign-in: sign in again (docex login), or call POST /auth/session/step-up with the password or the second factor, and repeat this.`
