/**
 * Connections and the invitations that become one, at rest. A list reads four index ranges: either
 * side of a connection, and the invitations by e-mail that were sent and received.
 */
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type ConnectionRow = Rows['connections']
export type InvitationRow = Rows['connection_invitations']

/** The two parties are ordered; at most one connection of a pair is invited or active. */
export const openConnectionBetween = async (
  db: Queryable,
  a: string,
  b: string,
): Promise<ConnectionRow | undefined> =>
  (
    await db.rows<ConnectionRow>(sql`
      select * from connections
      where a_id = ${a} and b_id = ${b} and status in ('invited', 'active')`)
  )[0]

export const openInvitationTo = async (
  db: Queryable,
  inviter: string,
  email: string,
): Promise<InvitationRow | undefined> =>
  (
    await db.rows<InvitationRow>(sql`
      select * from connection_invitations
      where invited_by = ${inviter} and email = ${email} and status = 'invited'`)
  )[0]

export type NamedConnection = ConnectionRow & { a_name: string; b_name: string }

/** As operators see them: newest first, of one organization or of all. */
export const namedConnections = (
  db: Queryable,
  organization: string | undefined,
  limit: number,
): Promise<NamedConnection[]> =>
  db.rows<NamedConnection>(sql`
    select c.*, a.name as a_name, b.name as b_name
    from connections c
    join organizations a on a.id = c.a_id
    join organizations b on b.id = c.b_id
    ${organization === undefined ? sql`` : sql`where ${organization} in (c.a_id, c.b_id)`}
    order by c.id desc limit ${limit}`)

/** 0 rows: the pair has an open connection, made at the same moment perhaps. */
export const insertConnection = (db: Queryable, row: ConnectionRow): Promise<number> =>
  db.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.a_id}, ${row.b_id}, ${row.invited_by}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (a_id, b_id) where status in ('invited', 'active') do nothing`)

/** 0 rows: the e-mail has an open invitation of this inviter. */
export const insertInvitation = (db: Queryable, row: InvitationRow): Promise<number> =>
  db.run(sql`
    insert into connection_invitations (id, mode, invited_by, email, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.invited_by}, ${row.email}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (invited_by, email) where status = 'invited' do nothing`)

export const setConnectionStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  db.run(sql`update connections set status = ${to}, updated_at = ${at} where id = ${id}`)

export const setInvitationStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  db.run(sql`update connection_invitations set status = ${to}, updated_at = ${at} where id = ${id}`)

/** Who looks: an organization, and for a signed-in user the e-mail that invitations may name. */
export interface ConnectionViewer {
  organization: string
  mode: string
  email: string | null
}

/** A connection as one side sees it; an open invitation by e-mail looks the same. */
export interface ConnectionView {
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

const connectionColumns = raw(
  'c.id, c.mode, c.status, c.default_payment_terms, c.currency, c.created_at, c.updated_at',
)
const partyColumns = raw(
  'o.id as party_id, o.name as party_name, o.verified_at is not null as party_is_verified',
)

/** Open, or ended since the organization `r` last began anew. */
export const isSinceReset = raw(`(c.status in ('invited', 'active') or r.reset_at is null
  or c.updated_at > r.reset_at)`)

const connectionsOnSide = (
  mine: 'a_id' | 'b_id',
  { organization }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${connectionColumns}, c.invited_by = ${organization}::uuid as is_inviter, null as email, ${partyColumns}
   from connections c
   join organizations o on o.id = c.${raw(mine === 'a_id' ? 'b_id' : 'a_id')}
   join organizations r on r.id = ${organization}::uuid
   where c.${raw(mine)} = r.id and ${isSinceReset} ${rest})`

const invitationsSent = ({ organization }: ConnectionViewer, rest: SqlQuery): SqlQuery => sql`
  (select ${connectionColumns}, true, c.email, null, null, null
   from connection_invitations c
   join organizations r on r.id = ${organization}::uuid
   where c.invited_by = r.id and c.status <> 'accepted' and ${isSinceReset} ${rest})`

const invitationsReceived = (
  { organization, mode, email }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${connectionColumns}, false, c.email, ${partyColumns}
   from connection_invitations c join organizations o on o.id = c.invited_by
   where c.email = ${email} and c.mode = ${mode} and c.invited_by <> ${organization}::uuid
     and c.status <> 'accepted' ${rest})`

const connectionsOnAllSides = (viewer: ConnectionViewer, rest: SqlQuery): SqlQuery =>
  sql`${connectionsOnSide('a_id', viewer, rest)} union all ${connectionsOnSide('b_id', viewer, rest)}
      union all ${invitationsSent(viewer, rest)} union all ${invitationsReceived(viewer, rest)}`

export const connectionsOf = (
  db: Queryable,
  viewer: ConnectionViewer,
  page: { statuses: readonly string[]; before: string | undefined; limit: number },
): Promise<ConnectionView[]> => {
  const position = page.before === undefined ? sql`` : sql`and c.id < ${page.before}::uuid`
  const rest = sql`${position} and c.status = any(${page.statuses}::text[])
    order by c.id desc limit ${page.limit}`
  return db.rows<ConnectionView>(
    sql`select * from (${connectionsOnAllSides(viewer, rest)}) c order by id desc limit ${page.limit}`,
  )
}

export const connectionVisibleTo = async (
  db: Queryable,
  viewer: ConnectionViewer,
  id: string,
): Promise<ConnectionView | undefined> =>
  (await db.rows<ConnectionView>(connectionsOnAllSides(viewer, sql`and c.id = ${id}::uuid`)))[0]

/**
 * Locks the connection and the invitation of this id, whichever there is; what stands now is read
 * by a later statement.
 */
export const lockConnection = async (db: Queryable, id: string): Promise<void> => {
  await db.rows(sql`select id from connection_invitations where id = ${id} for no key update`)
  await db.rows(sql`select id from connections where id = ${id} for no key update`)
}

/** Heads come last in the order of locks, by organization. */
export const lockCountersOfParties = (db: Queryable, id: string): Promise<unknown> =>
  db.rows(sql`
    select h.organization_id from organization_counters h
    where h.organization_id in (select unnest(array[a_id, b_id]) from connections where id = ${id})
    order by h.organization_id for no key update`)

/** What an invitation needs to know of an organization that it names. */
export const invitationTarget = async (
  db: Queryable,
  id: string,
  inviter: string,
): Promise<{ mode: string; is_own: boolean } | undefined> =>
  (
    await db.rows<{ mode: string; is_own: boolean }>(sql`
      select o.mode, coalesce(o.sandbox_of = c.id or c.sandbox_of = o.id, false) as is_own
      from organizations o, organizations c where o.id = ${id} and c.id = ${inviter}`)
  )[0]
