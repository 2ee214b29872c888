/**
 * Connections and the invitations that become one, at rest. A list reads four index ranges: either
 * side of a connection, and the invitations by e-mail that were sent and received.
 */
import { type Query, type Session, raw, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type ConnectionRow = Rows['connections']
export type InvitationRow = Rows['connection_invitations']

/** The two parties are ordered; at most one connection of a pair is invited or active. */
export const openConnectionBetween = async (
  session: Session,
  a: string,
  b: string,
): Promise<ConnectionRow | undefined> =>
  (
    await session.rows<ConnectionRow>(sql`
      select * from connections
      where a_id = ${a} and b_id = ${b} and status in ('invited', 'active')`)
  )[0]

export const openInvitationTo = async (
  session: Session,
  inviter: string,
  email: string,
): Promise<InvitationRow | undefined> =>
  (
    await session.rows<InvitationRow>(sql`
      select * from connection_invitations
      where invited_by = ${inviter} and email = ${email} and status = 'invited'`)
  )[0]

export type NamedConnection = ConnectionRow & { a_name: string; b_name: string }

/** As operators see them: newest first, of one organization or of all. */
export const namedConnections = (
  session: Session,
  organization: string | undefined,
  limit: number,
): Promise<NamedConnection[]> =>
  session.rows<NamedConnection>(sql`
    select c.*, a.name as a_name, b.name as b_name
    from connections c
    join organizations a on a.id = c.a_id
    join organizations b on b.id = c.b_id
    ${organization === undefined ? sql`` : sql`where ${organization} in (c.a_id, c.b_id)`}
    order by c.id desc limit ${limit}`)

/** 0 rows: the pair has an open connection, made at the same moment perhaps. */
export const insertConnection = (session: Session, row: ConnectionRow): Promise<number> =>
  session.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.a_id}, ${row.b_id}, ${row.invited_by}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (a_id, b_id) where status in ('invited', 'active') do nothing`)

/** 0 rows: the e-mail has an open invitation of this inviter. */
export const insertInvitation = (session: Session, row: InvitationRow): Promise<number> =>
  session.run(sql`
    insert into connection_invitations (id, mode, invited_by, email, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.invited_by}, ${row.email}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (invited_by, email) where status = 'invited' do nothing`)

export const setConnectionStatus = (
  session: Session,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  session.run(sql`update connections set status = ${to}, updated_at = ${at} where id = ${id}`)

export const setInvitationStatus = (
  session: Session,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  session.run(
    sql`update connection_invitations set status = ${to}, updated_at = ${at} where id = ${id}`,
  )

/** Who looks: an organization, and for a signed-in user the e-mail that invitations may name. */
export interface Looking {
  organization: string
  mode: string
  email: string | null
}

/** A connection as one side sees it; an open invitation by e-mail looks the same. */
export interface SeenConnection {
  id: string
  mode: string
  status: string
  default_payment_terms: string | null
  currency: string
  created_at: string
  updated_at: string
  is_inviter: boolean
  /** Null: not an invitation by e-mail. */
  email: string | null
  /** Null: nobody has accepted yet. */
  party_id: string | null
  party_name: string | null
  party_is_verified: boolean | null
}

const shared = raw(
  'c.id, c.mode, c.status, c.default_payment_terms, c.currency, c.created_at, c.updated_at',
)
const party = raw(
  'o.id as party_id, o.name as party_name, o.verified_at is not null as party_is_verified',
)

/** Open, or ended since the organization `r` last began anew. */
export const sinceReset = raw(`(c.status in ('invited', 'active') or r.reset_at is null
  or c.updated_at > r.reset_at)`)

const side = (mine: 'a_id' | 'b_id', { organization }: Looking, rest: Query): Query => sql`
  (select ${shared}, c.invited_by = ${organization}::uuid as is_inviter, null as email, ${party}
   from connections c
   join organizations o on o.id = c.${raw(mine === 'a_id' ? 'b_id' : 'a_id')}
   join organizations r on r.id = ${organization}::uuid
   where c.${raw(mine)} = r.id and ${sinceReset} ${rest})`

const sent = ({ organization }: Looking, rest: Query): Query => sql`
  (select ${shared}, true, c.email, null, null, null
   from connection_invitations c
   join organizations r on r.id = ${organization}::uuid
   where c.invited_by = r.id and c.status <> 'accepted' and ${sinceReset} ${rest})`

const received = ({ organization, mode, email }: Looking, rest: Query): Query => sql`
  (select ${shared}, false, c.email, ${party}
   from connection_invitations c join organizations o on o.id = c.invited_by
   where c.email = ${email} and c.mode = ${mode} and c.invited_by <> ${organization}::uuid
     and c.status <> 'accepted' ${rest})`

const everySide = (looking: Looking, rest: Query): Query =>
  sql`${side('a_id', looking, rest)} union all ${side('b_id', looking, rest)}
      union all ${sent(looking, rest)} union all ${received(looking, rest)}`

export const connectionsOf = (
  session: Session,
  looking: Looking,
  page: { statuses: readonly string[]; before: string | undefined; limit: number },
): Promise<SeenConnection[]> => {
  const position = page.before === undefined ? sql`` : sql`and c.id < ${page.before}::uuid`
  const rest = sql`${position} and c.status = any(${page.statuses}::text[])
    order by c.id desc limit ${page.limit}`
  return session.rows<SeenConnection>(
    sql`select * from (${everySide(looking, rest)}) c order by id desc limit ${page.limit}`,
  )
}

export const connectionSeenBy = async (
  session: Session,
  looking: Looking,
  id: string,
): Promise<SeenConnection | undefined> =>
  (await session.rows<SeenConnection>(everySide(looking, sql`and c.id = ${id}::uuid`)))[0]

/**
 * Locks the connection and the invitation of this id, whichever there is; what stands now is read
 * by a later statement.
 */
export const lockConnection = async (session: Session, id: string): Promise<void> => {
  await session.rows(sql`select id from connection_invitations where id = ${id} for no key update`)
  await session.rows(sql`select id from connections where id = ${id} for no key update`)
}

/** Heads come last in the order of locks, by organization. */
export const lockHeadsOfParties = (session: Session, id: string): Promise<unknown> =>
  session.rows(sql`
    select h.organization_id from organization_heads h
    where h.organization_id in (select unnest(array[a_id, b_id]) from connections where id = ${id})
    order by h.organization_id for no key update`)

/** What an invitation needs to know of an organization that it names. */
export const invitable = async (
  session: Session,
  id: string,
  inviter: string,
): Promise<{ mode: string; is_own: boolean } | undefined> =>
  (
    await session.rows<{ mode: string; is_own: boolean }>(sql`
      select o.mode, coalesce(o.sandbox_of = c.id or c.sandbox_of = o.id, false) as is_own
      from organizations o, organizations c where o.id = ${id} and c.id = ${inviter}`)
  )[0]
