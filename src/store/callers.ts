/**
 * Who is calling: credentials by their hash, as they stand at this instant, on the database's
 * clock.
 */
import { type Session, sql } from '../sql.ts'
import { columnArray } from './arrays.ts'

export interface KeyCaller {
  hash: Buffer
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

export const keyCallers = (session: Session, hashes: readonly Buffer[]): Promise<KeyCaller[]> =>
  session.rows<KeyCaller>(sql`
    select k.hash, k.id, k.prefix, array_to_string(k.scopes, ' ') as scopes,
           array_to_string(k.allowed_cidrs, ' ') as allowed_cidrs,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.sandbox_of, o.clock_offset_seconds
    from keys k join organizations o on o.id = k.organization_id
    where k.hash = any(${columnArray('bytea', hashes)})
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
      and o.suspended_at is null`)

export interface SessionCaller extends Omit<KeyCaller, 'prefix' | 'scopes' | 'allowed_cidrs'> {
  user_id: string
  email: string
  user_name: string
  role: string
}

export const sessionCallers = (
  session: Session,
  hashes: readonly Buffer[],
): Promise<SessionCaller[]> =>
  session.rows<SessionCaller>(sql`
    select s.hash, s.id, s.user_id, u.email, u.name as user_name, m.role,
           o.id as organization_id, o.name as organization_name, o.mode,
           o.verified_at is not null as is_verified, o.sandbox_of, o.clock_offset_seconds
    from sessions s
    join users u on u.id = s.user_id
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join organizations o on o.id = s.organization_id
    where s.hash = any(${columnArray('bytea', hashes)})
      and s.revoked_at is null and s.expires_at > clock_timestamp() and o.suspended_at is null`)
