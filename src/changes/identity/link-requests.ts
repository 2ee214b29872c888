/**
 * Sign-in links that people ask for (console 2.3). The request is stored the same way for every
 * address, and answered before anybody has looked whether there is such a user, so neither the
 * answer nor its timing reveals it. A task then makes the link, and puts its mail into the outbox,
 * in one transaction.
 *
 * Invariants: a link needs the browser that asked for it as well as the mail; it lasts a quarter of
 * an hour, and works once; an address is sent five of them in an hour, and more only where its user
 * has signed in before, so that strangers keep nobody out there.
 */
import { randomBytes } from 'node:crypto'
import { rateLimited } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { networkOf } from '../../core/identity/ip-addresses.ts'
import {
  browserHashOf,
  isBrowserSecret,
  linkRandomBytes,
} from '../../core/identity/sign-in-links.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/identity/link-requests.ts'
import { type Membership, membershipsOf, userByEmail } from '../../store/identity/users.ts'
import { queueForAddress } from '../notices/queue-notices.ts'
import { chooseMembership } from './membership-choice.ts'
import { isKnownPlace } from './sign-in-failures.ts'
import { createSignInLink } from './sign-in-links.ts'
import { later } from '../../core/dates.ts'

export interface NewLinkRequest {
  /** Normalized. */
  email: string
  address: string
  /** What the browser keeps of an earlier link that it asked for. */
  kept: string | undefined
}

/** Returns the secret that the browser keeps: the same for all links that it waits for. */
export const requestLink = async (
  tx: Queryable,
  { email, address, kept }: NewLinkRequest,
): Promise<string> => {
  const network = networkOf(address)
  const now = await databaseNow(tx)
  const since = later(now, -limits.linkRequestWindowMs)
  const counts = await store.countLinkRequests(tx, { email, network }, since)
  const { ofNetwork, waiting } = counts
  if (ofNetwork >= limits.linkRequestsPerNetworkMax || waiting >= limits.linkRequestsWaitingMax) {
    throw tooManyRequests()
  }
  const isKnown = await isKnownPlace(tx, { address, email })
  const ofEmail = isKnown ? counts.ofEmailOnNetwork : counts.ofEmail
  const isKept = kept !== undefined && isBrowserSecret(kept)
  const secret = isKept ? kept : randomBytes(linkRandomBytes).toString('base64url')

  // From here the change must succeed.
  const isBeyond = ofEmail >= limits.linkRequestsPerEmailMax
  await store.insertLinkRequest(tx, {
    id: newId(Date.parse(now)),
    email,
    network,
    browser_hash: browserHashOf(secret),
    created_at: now,
    answered_at: isBeyond ? now : null,
  })
  return secret
}

/** What is said does not depend on the address, whose own limit nobody is told of. */
const tooManyRequests = () => {
  const windowSeconds = limits.linkRequestWindowMs / 1000
  return rateLimited(
    'Too many sign-in links were asked for from your network. Sign in another way, or ask again later.',
    {
      policy: 'sign_in_links',
      limit: limits.linkRequestsPerNetworkMax,
      windowSeconds,
      retryAfterSeconds: windowSeconds,
    },
  )
}

export interface MadeLink {
  email: string
  link: string
  expires_at: string
}

/** With keys, the link goes into the outbox. Null: nobody is sent anything. */
export const answerLinkRequest = async (
  tx: Queryable,
  { id, email, browser_hash: browserHash, created_at }: store.LinkRequest,
  keys: ServerKeys | undefined,
): Promise<MadeLink | null> => {
  const user = await userByEmail(tx, email)
  const memberships = user === undefined ? [] : await membershipsOf(tx, user.id)
  const isTooOld = created_at < later(await databaseNow(tx), -limits.requestedLinkLifetimeMs)
  if (user === undefined || isTooOld || !memberships.some(isOpen)) return null

  // From here the change must succeed.
  const bound = { browserHash, lifetimeMs: limits.requestedLinkLifetimeMs }
  const { token: link, expires_at } = await createSignInLink(tx, user.id, bound)
  if (keys !== undefined) {
    const { organization_id: organization } = chooseMembership(memberships, undefined)
    const mail = { kind: 'sign_in_link', organization, id, email, token: link } as const
    await queueForAddress(tx, keys, mail)
  }
  return { email, link, expires_at }
}

const isOpen = ({ is_suspended }: Membership): boolean => !is_suspended
