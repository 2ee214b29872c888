/**
 * Authenticates the credential of a call in its current state (specification 5, contract 3).
 * Unknown, revoked, expired and rotated credentials get the same refusal; the other messages
 * describe only what was sent (contract 2).
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { CallingOrganization, Credential } from '../../context.ts'
import { sessionNotActive, unauthorized } from '../../contract/errors.ts'
import { type Role, scopesOfRole } from '../../contract/roles.ts'
import { type Scope, effectiveScopes } from '../../contract/scopes.ts'
import { type Cidr, parseCidr } from '../../core/identity/ip-addresses.ts'
import { modeOfKey, modeOfSessionToken } from '../../core/identity/credentials.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import type { Queryable } from '../../database/sql.ts'
import {
  type KeyCaller,
  type MovedCredential,
  type SessionCaller,
  missingOfCredentials,
  sessionCallersByHash,
  unpackSessionCaller,
} from '../../store/identity/credential-lookup.ts'
import { type IsAbandoned, batchLoader } from '../../database/batch-loader.ts'
import { openKeyCallers } from './key-callers.ts'

export interface AuthenticatedCaller {
  organization: CallingOrganization
  credential: Credential
  /** Granted scopes that the organization can use now. */
  scopes: ReadonlySet<Scope>
}

export interface Authenticator {
  /** Parses the Authorization header, once per connection; refuses anything but a credential. */
  credentialIn(headers: IncomingHttpHeaders, socket: Socket): PresentedCredential
  /** Finds the caller in the database; refuses a credential that is not active. */
  callerOf(presented: PresentedCredential, isAbandoned?: IsAbandoned): Promise<AuthenticatedCaller>
}

/**
 * `moveCredential` is told of credentials whose MAC is under an older server key.
 */
export const openAuthenticator = (
  read: Queryable,
  moveCredential: (moved: MovedCredential) => void,
): Authenticator => {
  const keys = openKeyCallers(read, asKeyCaller)
  const sessions = batchLoader((hashes: readonly Buffer[]) => sessionCallersByHash(read, hashes))
  const missing = batchLoader((hashes: readonly Buffer[]) => missingOfCredentials(read, hashes), 1)
  // Whoever presents credentials that do not exist must not cost a statement each.
  const renewKeys = batchLoader(async (asked: readonly string[]) => {
    await read.seals.renew(read)
    return asked
  }, 1)
  const callerByHash = async (
    presented: PresentedCredential,
    hash: Buffer,
    isAbandoned: IsAbandoned,
  ): Promise<AuthenticatedCaller | undefined> => {
    if (presented.kind === 'key') return keys(hash, isAbandoned)
    const found = await sessions(hash, isAbandoned)
    return found && asSessionCaller(unpackSessionCaller(read.seals, found))
  }
  const bySocket = new WeakMap<Socket, PresentedCredential>()
  return {
    credentialIn: (headers, socket) => {
      let presented = bySocket.get(socket)
      if (presented === undefined || presented.authorization !== headers.authorization) {
        presented = parseAuthorization(headers)
        bySocket.set(socket, presented)
      }
      return presented
    },
    callerOf: async (presented, isAbandoned = () => false) => {
      // A key that is not found may have moved to a server key that this process has to learn of.
      let hashes: readonly Buffer[]
      do {
        hashes = hashesOf(presented, read.seals)
        // Another process may move it between two look-ups: the newest MAC is looked for once more.
        const tried = hashes.length === 1 ? hashes : [...hashes, hashes[0]!]
        for (const [i, hash] of tried.entries()) {
          const caller = await callerByHash(presented, hash, isAbandoned)
          if (caller === undefined) continue
          const isOlder = i > 0 && hash[0]! < read.seals.generation!
          const { id } = caller.credential
          if (isOlder) moveCredential({ kind: presented.kind, id, from: hash, to: hashes[0]! })
          return caller
        }
        await renewKeys('server keys')
      } while (hashesOf(presented, read.seals) !== hashes)
      for (const hash of hashes) {
        const brokenSeal = await missing(hash, isAbandoned)
        if (brokenSeal !== undefined) throw brokenSeal
      }
      throw presented.kind === 'session' ? sessionNotActive() : unauthorized()
    },
  }
}

/** A parsed header, reused while the connection sends the same one. */
export interface PresentedCredential {
  authorization: string
  kind: Credential['kind']
  token: string
  /** Its MACs under the server keys that were accepted at this time. */
  hashes?: readonly Buffer[]
}

const parseAuthorization = (headers: IncomingHttpHeaders): PresentedCredential => {
  const { authorization = '' } = headers
  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized(missingTokenMessage(headers))
  const isKey = modeOfKey(token) !== undefined
  if (!isKey && modeOfSessionToken(token) === undefined) {
    throw unauthorized(
      'The Bearer credential does not have the form of an API key (rk_live_… or rk_test_…) or of a session token (rs_live_… or rs_test_…), or some of its characters are missing. Copy the whole of it.',
    )
  }
  return { authorization, kind: isKey ? 'key' : 'session', token }
}

const missingTokenMessage = ({ authorization, ...headers }: IncomingHttpHeaders): string => {
  const send = 'Send `Authorization: Bearer <API_KEY>`'
  if (authorization === undefined) {
    return headers['x-api-key'] === undefined
      ? `The request has no credential. ${send}.`
      : `\`X-Api-Key\` is not read. ${send} instead.`
  }
  return /^Basic\b/i.test(authorization)
    ? `Basic authentication is not offered. ${send}, with the key as it is, not in Base64.`
    : `The Authorization header does not have the form \`Bearer <API_KEY>\`. ${send}.`
}

/** Computed again when the process has learnt of another server key. */
const hashesOf = (presented: PresentedCredential, seals: RowSeals): readonly Buffer[] => {
  const { hashes, token } = presented
  const isCurrent = hashes?.length === seals.acceptedCount && hashes[0]![0] === seals.generation
  return isCurrent ? hashes : (presented.hashes = seals.credentialMacs(token))
}

const organizationOf = (row: Rows['organizations']): CallingOrganization => ({
  id: row.id,
  mode: row.mode as 'live' | 'test',
  name: row.name,
  isVerified: row.verified_at !== null,
  sandboxOf: row.sandbox_of,
  clockOffsetSeconds: row.clock_offset_seconds,
  resetPosition: row.reset_position,
})

const asKeyCaller = ({ key, organization }: KeyCaller): AuthenticatedCaller => {
  const grantedScopes = key.scopes as readonly Scope[]
  return {
    organization: organizationOf(organization),
    credential: {
      kind: 'key',
      id: key.id,
      actor: {
        kind: 'api_key',
        organization_id: organization.id,
        key_id: key.id,
        key_prefix: key.prefix,
      },
      prefix: key.prefix,
      grantedScopes,
      allowedCidrs: cidrsOf(key.allowed_cidrs),
      signingKey: key.signing_key,
      hasPaymentLimit: key.max_per_payment !== null || key.daily_volume !== null,
      authenticatedAgeMs: null,
      isBrowser: false,
      requiresApproval: key.requires_approval || key.requires_approval_above !== null,
      personId: key.created_by,
      user: null,
    },
    scopes: new Set(effectiveScopes(grantedScopes, organization.verified_at !== null)),
  }
}

/** A session may do what its user's role allows. */
const asSessionCaller = (caller: SessionCaller): AuthenticatedCaller => {
  const { session, user, membership, organization, now } = caller
  const grantedScopes = scopesOfRole(membership.role as Role)
  return {
    organization: organizationOf(organization),
    credential: {
      kind: 'session',
      id: session.id,
      actor: { kind: 'user', organization_id: organization.id, user_id: user.id },
      prefix: null,
      grantedScopes,
      allowedCidrs: [],
      signingKey: null,
      hasPaymentLimit: false,
      authenticatedAgeMs: Date.parse(now) - Date.parse(session.authenticated_at),
      isBrowser: session.client === 'browser',
      requiresApproval: false,
      personId: user.id,
      user: {
        id: user.id,
        email: user.email,
        isEmailVerified: user.email_verified_at !== null,
        name: user.name,
        role: membership.role as Role,
        hasSecondFactor: user.second_factor_since !== null,
      },
    },
    scopes: new Set(effectiveScopes(grantedScopes, organization.verified_at !== null)),
  }
}

const cidrsOf = (ranges: readonly string[]): readonly Cidr[] =>
  ranges.map((text) => {
    const range = parseCidr(text)
    // A stored range that cannot be parsed must not open the key to every address.
    return range.ok ? range.cidr : { base: new Uint8Array(4), prefixBits: 32 }
  })
