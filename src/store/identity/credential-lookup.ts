/**
 * Looks up callers by the MAC of their credential, if it is valid by the database clock. A row that
 * is not as it was sealed fails the look-up of its own credential only.
 */
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type WithOrdinal, inKeyOrder } from '../../database/batch-loader.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, type RowSeals, missingRow } from '../../database/row-seals.ts'
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

/** The counters of a key's organization, and which versions of the other rows PostgreSQL has. */
export interface KeyVersion {
  /** Changes whenever the row of the key or of its organization is written. */
  version: string
  counters: string
}

/** The rows of a key caller as PostgreSQL prints them. */
export interface PackedKeyCaller extends KeyVersion {
  key: string
  organization: string
}

/**
 * Where the rows are stored and which transaction wrote them. PostgreSQL never changes a row in
 * place: whoever updates it, by whatever SQL, leaves another version behind. After a failover that
 * lost transactions, both are given out again: their seals tell such versions apart.
 */
const keyVersion = sql`
  concat_ws(' ', k.ctid, k.xmin, o.ctid, o.xmin,
    hash_record_extended(row(k.seal, o.seal), 0)) as version,
  ${packedRow('organization_counters', 'h')} as counters`

const packedKeyCaller = sql`
  ${keyVersion}, ${packedRow('keys', 'k')} as key,
  ${packedRow('organizations', 'o')} as organization`

const keysByHash = async <R>(
  db: Queryable,
  hashes: readonly Buffer[],
  selected: SqlQuery,
): Promise<(R | undefined)[]> => {
  const rows = await db.rows<R & WithOrdinal>(sql`
    select u.ordinal::int, ${selected}
    from ${hashesWithOrdinal(hashes)}
    join keys k on k.hash = u.hash
    join organizations o on o.id = k.organization_id
    ${joinCounters('o', 'h')}
    where k.revoked_at is null
      and (k.expires_at is null or k.expires_at > pg_catalog.clock_timestamp())
      and o.suspended_at is null`)
  return inKeyOrder(rows, hashes.length, (row) => row)
}

/** The versions of the rows of these keys, in the order of the MACs. */
export const keyVersionsByHash = (db: Queryable, hashes: readonly Buffer[]) =>
  keysByHash<KeyVersion>(db, hashes, keyVersion)

/** The callers with these keys in the order of the MACs, packed (`unpackKeyCaller`). */
export const keyCallersByHash = (db: Queryable, hashes: readonly Buffer[]) =>
  keysByHash<PackedKeyCaller>(db, hashes, packedKeyCaller)

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
  /** The time of the database. */
  now: string
}

export type PackedSessionCaller = Record<keyof SessionCaller | 'counters', string>

export const sessionCallersByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(PackedSessionCaller | undefined)[]> => {
  const rows = await db.rows<PackedSessionCaller & WithOrdinal>(sql`
    select u.ordinal::int, ${packedRow('sessions', 's')} as session,
      ${packedRow('users', 'p')} as user, ${packedRow('memberships', 'm')} as membership,
      ${packedOrganization('o', 'h')}, pg_catalog.clock_timestamp() as now
    from ${hashesWithOrdinal(hashes)}
    join sessions s on s.hash = u.hash
    join users p on p.id = s.user_id
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join organizations o on o.id = s.organization_id
    ${joinCounters('o', 'h')}
    where s.revoked_at is null and s.expires_at > pg_catalog.clock_timestamp()
      and o.suspended_at is null`)
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
  return { session, user, membership, organization, now: packed.now }
}

/**
 * What is missing of a credential that would be active otherwise, in the order of the MACs. The
 * service deletes no organization and no user; a membership it does.
 */
export const missingOfCredentials = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(BrokenSeal | undefined)[]> => {
  const rows = await db.rows<{ table: keyof Rows; id: string } & WithOrdinal>(sql`
    select u.ordinal::int, m.table, m.id from ${hashesWithOrdinal(hashes)} cross join lateral (
      select k.organization_id, null::uuid as user_id from keys k
      where k.hash = u.hash and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > pg_catalog.clock_timestamp())
      union all
      select s.organization_id, s.user_id from sessions s
      where s.hash = u.hash and s.revoked_at is null
        and s.expires_at > pg_catalog.clock_timestamp()) c
    cross join lateral (
      select 'organizations' as table, c.organization_id as id
      where not exists (select 1 from organizations o where o.id = c.organization_id)
      union all
      select 'organization_counters', c.organization_id
      where not exists (
        select 1 from organization_counters h where h.organization_id = c.organization_id)
      union all
      select 'users', c.user_id where c.user_id is not null
        and not exists (select 1 from users p where p.id = c.user_id)) m`)
  return inKeyOrder(rows, hashes.length, ({ table, id }) => missingRow(table, id))
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
