/**
 * Looks up callers by the MAC of their credential, if it is valid by the database clock. A row that
 * is not as it was sealed fails the look-up of its own credential only.
 */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type WithOrdinal, inKeyOrder } from '../../database/batch-loader.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import type { RowSeals } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import {
  checkActiveKey,
  checkMembership,
  checkOrganization,
  checkSession,
  checkUser,
  joinCounters,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'

export interface KeyCaller {
  key: Rows['keys']
  organization: Rows['organizations']
}

/** The rows of a key caller as PostgreSQL prints them. */
export type PackedKeyCaller = Record<'key' | 'organization' | 'counters', string>

/**
 * The callers with these keys in the order of the MACs, packed: a few callers make most calls, so
 * the caller of this function unpacks each distinct text only once (`unpackKeyCaller`).
 */
export const keyCallersByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(PackedKeyCaller | undefined)[]> => {
  const rows = await db.rows<PackedKeyCaller & WithOrdinal>(sql`
    select u.ordinal::int, ${packedRow('keys', 'k')} as key, ${packedOrganization('o', 'h')}
    from ${hashesWithOrdinal(hashes)}
    join keys k on k.hash = u.hash
    join organizations o on o.id = k.organization_id
    ${joinCounters('o', 'h')}
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
      and o.suspended_at is null`)
  return inKeyOrder(rows, hashes.length, (row) => row)
}

/** Throws BrokenSeal if one of the rows is not as it was sealed, or an old one. */
export const unpackKeyCaller = (seals: RowSeals, packed: PackedKeyCaller): KeyCaller => {
  const key = unpackRow(seals, 'keys', packed.key)
  const organization = unpackOrganization(seals, packed)
  checkActiveKey(key, organization)
  return { key, organization }
}

/**
 * The counters change with every write of the organization, its other rows hardly ever: this checks
 * the counters alone, beside an organization that has been unpacked.
 */
export const checkCounters = (
  seals: RowSeals,
  organization: Rows['organizations'],
  counters: string,
): void => checkOrganization(organization, unpackRow(seals, 'organization_counters', counters))

export interface SessionCaller {
  session: Rows['sessions']
  user: Rows['users']
  membership: Rows['memberships']
  organization: Rows['organizations']
}

export type PackedSessionCaller = Record<keyof SessionCaller | 'counters', string>

export const sessionCallersByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(PackedSessionCaller | undefined)[]> => {
  const rows = await db.rows<PackedSessionCaller & WithOrdinal>(sql`
    select u.ordinal::int, ${packedRow('sessions', 's')} as session,
      ${packedRow('users', 'p')} as user, ${packedRow('memberships', 'm')} as membership,
      ${packedOrganization('o', 'h')}
    from ${hashesWithOrdinal(hashes)}
    join sessions s on s.hash = u.hash
    join users p on p.id = s.user_id
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join organizations o on o.id = s.organization_id
    ${joinCounters('o', 'h')}
    where s.revoked_at is null and s.expires_at > clock_timestamp() and o.suspended_at is null`)
  return inKeyOrder(rows, hashes.length, (row) => row)
}

/** Throws BrokenSeal if one of the rows is not as it was sealed, or an old one. */
export const unpackSessionCaller = (
  seals: RowSeals,
  packed: PackedSessionCaller,
): SessionCaller => {
  const organization = unpackOrganization(seals, packed)
  const membership = unpackRow(seals, 'memberships', packed.membership)
  const session = unpackRow(seals, 'sessions', packed.session)
  const user = unpackRow(seals, 'users', packed.user)
  checkMembership(membership, organization)
  checkUser(user, membership)
  checkSession(session, membership)
  return { session, user, membership, organization }
}

/** A credential that was found under an older server key. */
export interface MovedCredential {
  kind: 'key' | 'session'
  id: string
  /** What is stored of it, under an older server key and under the newest. */
  from: Buffer
  to: Buffer
}

const hashesWithOrdinal = (hashes: readonly Buffer[]) =>
  sql`unnest(${columnArray('bytea', hashes)}::bytea[]) with ordinality u (hash, ordinal)`
