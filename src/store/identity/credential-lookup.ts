/** Looks up callers by the hash of their credential, if it is valid by the database clock. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type WithOrdinal, inKeyOrder } from '../../database/batch-loader.ts'
import { emptyIfNull, nullIfEmpty, packColumns, separator } from '../../database/packed-columns.ts'

/** The properties of the calling organization that every call needs. */
interface CallerOrganization {
  organization_id: string
  organization_name: string
  mode: string
  is_verified: boolean
  sandbox_of: string | null
  clock_offset_seconds: bigint
  reset_position: bigint
}

export interface KeyCaller extends CallerOrganization {
  id: string
  prefix: string
  /** Space-separated. */
  scopes: string
  /** Space-separated. */
  allowed_cidrs: string
}

/** The name must be last, since it may contain the separator. */
const keyColumns = [
  'k.id',
  'k.prefix',
  "array_to_string(k.scopes, ' ')",
  "array_to_string(k.allowed_cidrs, ' ')",
  'o.id',
  'o.mode',
  'o.verified_at is not null',
  emptyIfNull('o.sandbox_of'),
  'o.clock_offset_seconds',
  'o.reset_position',
  'o.name',
]

const packedKeyCaller = packColumns(keyColumns)

/**
 * The callers with these keys in the order of the hashes, packed: a few callers make most calls, so
 * the caller of this function unpacks each distinct text only once (`unpackKeyCaller`).
 */
export const keyCallersByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(string | undefined)[]> => {
  const rows = await db.rows<{ packed: string } & WithOrdinal>(sql`
    select u.ordinal::int, ${packedKeyCaller}
    from ${hashesWithOrdinal(hashes)}
    join keys k on k.hash = u.hash
    join organizations o on o.id = k.organization_id
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
      and o.suspended_at is null`)
  return inKeyOrder(rows, hashes.length, (row) => row.packed)
}

export const unpackKeyCaller = (packed: string): KeyCaller => {
  const values = packed.split(separator)
  return {
    id: values[0]!,
    prefix: values[1]!,
    scopes: values[2]!,
    allowed_cidrs: values[3]!,
    organization_id: values[4]!,
    mode: values[5]!,
    is_verified: values[6] === 't',
    sandbox_of: nullIfEmpty(values[7]!),
    clock_offset_seconds: BigInt(values[8]!),
    reset_position: BigInt(values[9]!),
    organization_name: values.slice(keyColumns.length - 1).join(separator),
  }
}

export interface SessionCaller extends CallerOrganization {
  id: string
  user_id: string
  email: string
  user_name: string
  role: string
}

export const sessionCallersByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(SessionCaller | undefined)[]> => {
  const rows = await db.rows<SessionCaller & WithOrdinal>(sql`
    select u.ordinal::int, s.id, s.user_id, p.email, p.name as user_name, m.role,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.sandbox_of, o.clock_offset_seconds,
           o.reset_position
    from ${hashesWithOrdinal(hashes)}
    join sessions s on s.hash = u.hash
    join users p on p.id = s.user_id
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join organizations o on o.id = s.organization_id
    where s.revoked_at is null and s.expires_at > clock_timestamp() and o.suspended_at is null`)
  return inKeyOrder(rows, hashes.length, (row) => row)
}

const hashesWithOrdinal = (hashes: readonly Buffer[]) =>
  sql`unnest(${columnArray('bytea', hashes)}::bytea[]) with ordinality u (hash, ordinal)`
