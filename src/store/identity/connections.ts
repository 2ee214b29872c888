/**
 * Connections. A list reads four index ranges: both sides of connections, and the invitations by
 * e-mail that were sent and received.
 */
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { isConnectionVisible } from '../visibility.ts'

export type ConnectionRow = Rows['connections']

/** The open connection of a pair, of which there is at most one. `a` must sort before `b`. */
export const openConnectionBetween = (
  db: Queryable,
  a: string,
  b: string,
): Promise<ConnectionRow | undefined> =>
  db.row(sql`
    select * from connections
    where a_id = ${a} and b_id = ${b} and status in ('invited', 'active')`)

export type NamedConnection = ConnectionRow & { a_name: string; b_name: string }

/** For operators: the connections of one organization or of all, newest first. */
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

/** Inserts 0 rows if the pair has an open connection, perhaps a concurrent one. */
export const insertConnection = (db: Queryable, row: ConnectionRow): Promise<number> =>
  db.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.a_id}, ${row.b_id}, ${row.invited_by}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (a_id, b_id) where status in ('invited', 'active') do nothing`)

export const setConnectionStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  db.run(sql`update connections set status = ${to}, updated_at = ${at} where id = ${id}`)

/** The viewing organization, and the e-mail of a signed-in user, who may have invitations. */
export interface ConnectionViewer {
  organization: string
  mode: string
  email: string | null
}

/** A connection as one side sees it, or an invitation by e-mail in the same shape. */
export interface ConnectionView {
  id: string
  mode: string
  status: string
  default_payment_terms: string | null
  currency: string
  created_at: string
  updated_at: string
  is_inviter: boolean
  /** Null unless it is an invitation by e-mail. */
  email: string | null
  /** Null until someone has accepted. */
  party_id: string | null
  party_name: string | null
  party_is_verified: boolean | null
}

const connectionColumns = raw(
  'c.id, c.mode, c.status, c.default_payment_terms, c.currency, c.created_at, c.updated_at',
)
const partyColumns = raw(
  'p.id as party_id, p.name as party_name, p.verified_at is not null as party_is_verified',
)

const connectionsOnSide = (
  ownSide: 'a_id' | 'b_id',
  { organization }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${connectionColumns}, c.invited_by = ${organization}::uuid as is_inviter, null as email, ${partyColumns}
   from connections c
   join organizations p on p.id = c.${raw(ownSide === 'a_id' ? 'b_id' : 'a_id')}
   join organizations o on o.id = ${organization}::uuid
   where c.${raw(ownSide)} = o.id and ${isConnectionVisible} ${rest})`

const invitationsSent = ({ organization }: ConnectionViewer, rest: SqlQuery): SqlQuery => sql`
  (select ${connectionColumns}, true, c.email, null, null, null
   from connection_invitations c
   join organizations o on o.id = ${organization}::uuid
   where c.invited_by = o.id and c.status <> 'accepted' and ${isConnectionVisible} ${rest})`

const invitationsReceived = (
  { organization, mode, email }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${connectionColumns}, false, c.email, ${partyColumns}
   from connection_invitations c join organizations p on p.id = c.invited_by
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

export const connectionVisibleTo = (
  db: Queryable,
  viewer: ConnectionViewer,
  id: string,
): Promise<ConnectionView | undefined> =>
  db.row(connectionsOnAllSides(viewer, sql`and c.id = ${id}::uuid`))

/** Locks the connection or invitation of this id. A later statement must read its state. */
export const lockConnection = async (db: Queryable, id: string): Promise<void> => {
  await db.rows(sql`select id from connection_invitations where id = ${id} for no key update`)
  await db.rows(sql`select id from connections where id = ${id} for no key update`)
}

/** Counters come last in the lock order, by organization. */
export const lockCountersOfParties = (db: Queryable, id: string): Promise<unknown> =>
  db.rows(sql`
    select h.organization_id from organization_counters h
    where h.organization_id in (select unnest(array[a_id, b_id]) from connections where id = ${id})
    order by h.organization_id for no key update`)
