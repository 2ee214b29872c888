/**
 * Who is calling: credentials by their hash, as they stand at this instant, on the database's
 * clock.
 */
import { type Session, sql } from '../sql.ts'
import { columnArray } from './arrays.ts'

export interface KeyCaller {
  id: string
  prefix: string
  /** Space-separated: one text per caller, so that what it means is worked out once. */
  scopes: string
  allowed_cidrs: string
  organization_id: string
  organization_name: string
  mode: string
  is_verified: boolean
  sandbox_of: string | null
  clock_offset_seconds: bigint
}

/** The callers of these credentials, each at the place of its hash. */
export const keyCallers = async (
  session: Session,
  hashes: readonly Buffer[],
): Promise<(KeyCaller | undefined)[]> => {
  const rows = await session.rows<KeyCaller & Asked>(sql`
    select u.asked::int, k.id, k.prefix, array_to_string(k.scopes, ' ') as scopes,
           array_to_string(k.allowed_cidrs, ' ') as allowed_cidrs,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.sandbox_of, o.clock_offset_seconds
    from ${askedFor(hashes)}
    join keys k on k.hash = u.hash
    join organizations o on o.id = k.organization_id
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
      and o.suspended_at is null`)
  return inPlace(rows, hashes.length)
}

export interface SessionCaller extends Omit<KeyCaller, 'prefix' | 'scopes' | 'allowed_cidrs'> {
  user_id: string
  email: string
  user_name: string
  role: string
}

export const sessionCallers = async (
  session: Session,
  hashes: readonly Buffer[],
): Promise<(SessionCaller | undefined)[]> => {
  const rows = await session.rows<SessionCaller & Asked>(sql`
    select u.asked::int, s.id, s.user_id, p.email, p.name as user_name, m.role,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.sandbox_of, o.clock_offset_seconds
    from ${askedFor(hashes)}
    join sessions s on s.hash = u.hash
    join users p on p.id = s.user_id
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join organizations o on o.id = s.organization_id
    where s.revoked_at is null and s.expires_at > clock_timestamp() and o.suspended_at is null`)
  return inPlace(rows, hashes.length)
}

interface Asked {
  /** The place of what was asked for, from 1. */
  asked: number
}

const askedFor = (hashes: readonly Buffer[]) =>
  sql`unnest(${columnArray('bytea', hashes)}::bytea[]) with ordinality u (hash, asked)`

const inPlace = <R extends Asked>(rows: readonly R[], length: number): (R | undefined)[] => {
  const found: (R | undefined)[] = Array.from({ length })
  for (const row of rows) found[row.asked - 1] = row
  return found
}
