/**
 * The credential of a call, as it stands at this instant (specification 5, contract 3). Missing,
 * malformed, unknown, revoked, expired and rotated out all get one and the same answer.
 */
import type { CallingOrganization, Credential } from '../context.ts'
import { refuse } from '../contract/errors.ts'
import { type Scope, scopesOfRole, usableScopes } from '../contract/scopes.ts'
import { type Cidr, contains, parseAddress, parseCidr } from '../core/addresses.ts'
import { checkKey, checkSessionToken, hashCredential } from '../core/credentials.ts'
import type { Session } from '../sql.ts'
import { type KeyCaller, type SessionCaller, keyCallers, sessionCallers } from '../store/callers.ts'
import { gather } from '../store/gather.ts'
import { remembered } from './remembered.ts'

export interface Caller {
  organization: CallingOrganization
  credential: Credential
  /** Granted and usable by the organization now. */
  scopes: ReadonlySet<Scope>
}

export type Authenticate = (authorization: string | undefined) => Promise<Caller>

const unauthorized = () =>
  refuse('unauthorized', 'Send `Authorization: Bearer <API_KEY>` with an active key.', undefined, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

export const openAuthentication = (read: Session): Authenticate => {
  const keys = gather((hashes: readonly Buffer[]) => keyCallers(read, hashes))
  const sessions = gather((hashes: readonly Buffer[]) => sessionCallers(read, hashes))
  return async (authorization) => {
    const token = bearerOf(authorization)
    if (checkKey(token) !== undefined) {
      const found = await keys(hashCredential(token))
      if (found !== undefined) return asKeyCaller(found)
    } else if (checkSessionToken(token) !== undefined) {
      const found = await sessions(hashCredential(token))
      if (found !== undefined) return asSessionCaller(found)
    }
    throw unauthorized()
  }
}

const bearerOf = (authorization: string | undefined): string => {
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '')
  if (match === null) throw unauthorized()
  return match[1]!
}

const organizationOf = (row: KeyCaller | SessionCaller): CallingOrganization => ({
  id: row.organization_id,
  mode: row.mode as 'live' | 'test',
  name: row.organization_name,
  isVerified: row.is_verified,
  sandboxOf: row.sandbox_of,
  clockOffsetSeconds: row.clock_offset_seconds,
})

const asKeyCaller = (row: KeyCaller): Caller => ({
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
    granted: wordsOf(row.scopes) as readonly Scope[],
    allowedCidrs: rangesOf(row.allowed_cidrs),
    user: null,
  },
  scopes: (row.is_verified ? usableWhenVerified : usableOtherwise)(row.scopes),
})

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

const wordsOf = remembered((text): readonly string[] =>
  text.split(' ').filter((word) => word !== ''),
)

const usableBy = (isVerified: boolean) =>
  remembered(
    (text): ReadonlySet<Scope> =>
      new Set(usableScopes(wordsOf(text) as readonly Scope[], isVerified)),
  )
const usableWhenVerified = usableBy(true)
const usableOtherwise = usableBy(false)

const rangesOf = remembered((text): readonly Cidr[] =>
  wordsOf(text).map((word) => {
    const range = parseCidr(word)
    // A range that we stored and cannot read must not open the key to everybody.
    return range.ok ? range.cidr : { base: new Uint8Array(4), prefixBits: 32 }
  }),
)

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
