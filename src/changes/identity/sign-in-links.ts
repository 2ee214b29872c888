/** Links that sign a user in, once. A link bound to a browser works there alone (contract 3). */
import { randomBytes } from 'node:crypto'
import { unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import {
  boundLink,
  browserHashOf,
  isLinkToken,
  linkRandomBytes,
  linkTokenOf,
} from '../../core/identity/sign-in-links.ts'
import { consumeSignInLink, insertSignInLink } from '../../store/identity/sign-in-links.ts'
import { type UserRow, userForShare } from '../../store/identity/users.ts'
import { later } from '../../core/dates.ts'

export interface ShownLink {
  link: string
  /** What the browser keeps of the links that it has asked for. */
  browser?: string | undefined
}

/** Creates a link for one sign-in; its token appears only in the response. */
export const createSignInLink = async (
  tx: Queryable,
  user: string,
  bound?: { browserHash: Buffer; lifetimeMs: number },
): Promise<{ token: string; expires_at: string }> => {
  const { version: user_version } = (await userForShare(tx, user))!
  const now = await databaseNow(tx)
  const part = linkTokenOf(randomBytes(linkRandomBytes))
  const token = bound === undefined ? part : boundLink(part, bound.browserHash)
  const lifetimeMs = bound?.lifetimeMs ?? limits.signInLinkLifetimeMs
  const expires_at = later(now, lifetimeMs)
  const hash = tx.seals.credentialMac(token)
  await insertSignInLink(tx, { hash, user_id: user, user_version, expires_at })
  return { token, expires_at }
}

/** Uses the link up. */
export const userOfLink = async (tx: Queryable, { link, browser }: ShownLink): Promise<UserRow> => {
  const whole = browser === undefined ? [link] : [link, boundLink(link, browserHashOf(browser))]
  const macs = whole.flatMap((one) => tx.seals.credentialMacs(one))
  const user = isLinkToken(link) ? await consumeSignInLink(tx, macs) : undefined
  if (user !== undefined) return (await userForShare(tx, user))!
  const message =
    'The link is unknown, used or expired, or another browser has asked for it: it works once, and in the same browser. Ask for a new one.'
  throw unauthorized(message)
}
