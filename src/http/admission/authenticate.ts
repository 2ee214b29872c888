/**
 * The credential of a call, as it stands at this instant (specification 5, contract 3). Missing,
 * malformed, unknown, revoked, expired and rotated out all get one and the same answer.
 */
import type { Socket } from 'node:net'
import type { CallingOrganization, Credential } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { type Scope, scopesOfRole, usableScopes } from '../../contract/scopes.ts'
import { type Cidr, contains, parseAddress, parseCidr } from '../../core/identity/ip-addresses.ts'
import { checkKey, checkSessionToken, hashCredential } from '../../core/identity/credentials.ts'
import type { Session } from '../../database/sql.ts'
import {
  type KeyCaller,
  type SessionCaller,
  keyCallers,
  readKeyCaller,
  sessionCallers,
} from '../../store/identity/credential-lookup.ts'
import { gather } from '../../database/batch-loader.ts'

export interface Caller {
  organization: CallingOrganization
  credential: Credential
  /** Granted and usable by the organization now. */
  scopes: ReadonlySet<Scope>
}

export interface Authentication {
  /** What the Authorization header of this connection names; noise is refused unread. */
  presented(authorization: string | undefined, on: Socket): Presented
  /** Whose it is at this instant. */
  callerWith(presented: Presented): Promise<Caller>
}

const unauthorized = () =>
  refuse('unauthorized', 'Send `Authorization: Bearer <API_KEY>` with an active key.', undefined, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

export const openAuthentication = (read: Session): Authentication => {
  const keys = gather((hashes: readonly Buffer[]) => keyCallers(read, hashes))
  const sessions = gather((hashes: readonly Buffer[]) => sessionCallers(read, hashes))
  const known = new WeakMap<Socket, Presented>()
  return {
    presented: (authorization, on) => {
      let presented = known.get(on)
      if (presented === undefined || presented.authorization !== authorization) {
        presented = presentedIn(authorization)
        known.set(on, presented)
      }
      return presented
    },
    callerWith: async (presented) => {
      const { kind, hash } = presented
      if (kind === 'key') {
        const found = await keys(hash)
        if (found !== undefined) return meantBy(found, presented)
      } else {
        const found = await sessions(hash)
        if (found !== undefined) return asSessionCaller(found)
      }
      throw unauthorized()
    },
  }
}

/** What a header names; a connection that sends the same one again names the same. */
export interface Presented {
  authorization: string
  kind: Credential['kind']
  hash: Buffer
  /** What the database said of the key the last time, and what that means. */
  last?: { packed: string; caller: Caller }
}

const presentedIn = (authorization = ''): Presented => {
  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized()
  const isKey = checkKey(token) !== undefined
  if (!isKey && checkSessionToken(token) === undefined) throw unauthorized()
  return { authorization, kind: isKey ? 'key' : 'session', hash: hashCredential(token) }
}

const organizationOf = (row: KeyCaller | SessionCaller): CallingOrganization => ({
  id: row.organization_id,
  mode: row.mode as 'live' | 'test',
  name: row.organization_name,
  isVerified: row.is_verified,
  sandboxOf: row.sandbox_of,
  clockOffsetSeconds: row.clock_offset_seconds,
  resetPosition: row.reset_position,
})

/** The database says the same again and again: what it means is worked out once a connection. */
const meantBy = (packed: string, presented: Presented): Caller => {
  const { last } = presented
  if (last?.packed === packed) return last.caller
  const caller = asKeyCaller(packed)
  presented.last = { packed, caller }
  return caller
}

const asKeyCaller = (packed: string): Caller => {
  const row = readKeyCaller(packed)
  const granted = wordsOf(row.scopes) as readonly Scope[]
  return {
    organization: organizationOf(row),
    credential: {
      kind: 'key',
      id: row.id,
      actor: {
        kind: 'api_key',
        organization_id: row.organization_id,
        key_id: row.id,
        key_prefix: row.prefix,
      },
      prefix: row.prefix,
      granted,
      allowedCidrs: rangesOf(row.allowed_cidrs),
      user: null,
    },
    scopes: new Set(usableScopes(granted, row.is_verified)),
  }
}

/** A session may do what a key with every grantable scope may do; key management is for admins. */
const asSessionCaller = (row: SessionCaller): Caller => {
  const granted = scopesOfRole(row.role)
  return {
    organization: organizationOf(row),
    credential: {
      kind: 'session',
      id: row.id,
      actor: { kind: 'user', organization_id: row.organization_id, user_id: row.user_id },
      prefix: null,
      granted,
      allowedCidrs: [],
      user: {
        id: row.user_id,
        email: row.email,
        name: row.user_name,
        role: row.role as 'owner' | 'admin' | 'member',
      },
    },
    scopes: new Set(usableScopes(granted, row.is_verified)),
  }
}

const wordsOf = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '')

const rangesOf = (text: string): readonly Cidr[] =>
  wordsOf(text).map((word) => {
    const range = parseCidr(word)
    // A range that we stored and cannot read must not open the key to everybody.
    return range.ok ? range.cidr : { base: new Uint8Array(4), prefixBits: 32 }
  })

/** An address outside of the key's ranges is refused before the request is looked at. */
export const checkAddress = ({ credential }: Caller, address: string): void => {
  if (credential.allowedCidrs.length === 0) return
  const bytes = parseAddress(address)
  const isAllowed = credential.allowedCidrs.some(
    (range) => bytes !== undefined && contains(range, bytes),
  )
  if (!isAllowed) {
    throw refuse('forbidden', `This key may not be used from ${address}.`, { address })
  }
}
