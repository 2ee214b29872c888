/**
 * Connections. A list reads four index ranges: both sides of connections, and the invitations by
 * e-mail that were sent and received.
 */
import {
  BrokenSeal,
  type RowSeals,
  missingRow,
  oldRow,
  orBrokenSeal,
} from '../../database/row-seals.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { changeSealedRows, checkNoneTwice, sealedRow } from '../../database/sealed-rows.ts'
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import { sendNewRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import { joinCounters, packedOrganization, unpackOrganization } from './access-versions.ts'
import { countConnection } from './row-counts.ts'
import {
  type VersionedOrganization,
  isCurrentConnection,
  isCurrentInvitation,
  openConnectionVersion,
} from './row-versions.ts'
import { isConnectionVisible } from '../visibility.ts'
import { orderedPair } from '../../core/identity/connection-lifecycle.ts'

export type ConnectionRow = Rows['connections']

/** The open connection of two organizations, of which there is at most one. */
export const openConnectionBetween = (
  db: Queryable,
  one: string,
  other: string,
): Promise<ConnectionRow | undefined> => {
  const { a, b } = orderedPair(one, other)
  const isOpen = sql`a_id = ${a} and b_id = ${b} and status in ('invited', 'active')`
  return sealedRow(db, 'connections', sql`where ${isOpen}`)
}

/** Whatever its status; undefined unless the organization is a party of it. */
export const connectionOfParty = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<ConnectionRow | undefined> =>
  sealedRow(db, 'connections', sql`where t.id = ${id} and ${organization} in (t.a_id, t.b_id)`)

export type NamedConnection = ConnectionRow & { a_name: string; b_name: string }

/** A connection, its two organizations, and their counters. */
type NamedRow = Record<'connection' | 'a' | 'ah' | 'b' | 'bh', string>

/** Connections `c` with both organizations, of one snapshot. */
const namedRows = (db: Queryable, rest: SqlQuery): Promise<NamedRow[]> =>
  db.rows(sql`
    select ${packedRow('connections', 'c')} as connection,
      ${packedRow('organizations', 'a')} as a, ${packedRow('organization_counters', 'ah')} as ah,
      ${packedRow('organizations', 'b')} as b, ${packedRow('organization_counters', 'bh')} as bh
    from connections c
    join organizations a on a.id = c.a_id ${joinCounters('a', 'ah')}
    join organizations b on b.id = c.b_id ${joinCounters('b', 'bh')} ${rest}`)

/** Throws BrokenSeal unless all three are the last ones of their rows. */
const unpackNamed = (seals: RowSeals, row: NamedRow): NamedConnection => {
  const connection = unpackRow(seals, 'connections', row.connection)
  const a = unpackOrganization(seals, { organization: row.a, counters: row.ah })
  const b = unpackOrganization(seals, { organization: row.b, counters: row.bh })
  if (!isCurrentConnection(connection, a, b)) throw oldRow('connections', connection.id)
  return { ...connection, a_name: a.name, b_name: b.name }
}

/** For operators: the connections of one organization or of all, newest first. */
export const namedConnections = async (
  db: Queryable,
  organization: string | undefined,
  limit: number,
): Promise<NamedConnection[]> => {
  const rows = await namedRows(
    db,
    sql`${organization === undefined ? sql`` : sql`where ${organization} in (c.a_id, c.b_id)`}
    order by c.id desc limit ${limit}`,
  )
  return rows.map((row) => unpackNamed(db.seals, row))
}

/** The connection as it is now, or why it cannot be trusted. */
export const currentConnection = async (
  db: Queryable,
  id: string,
): Promise<ConnectionRow | BrokenSeal> => {
  const [row] = await namedRows(db, sql`where c.id = ${id}`)
  if (row === undefined) return missingRow('connections', id)
  return orBrokenSeal(() => {
    const { a_name: _, b_name: __, ...connection } = unpackNamed(db.seals, row)
    return connection
  })
}

/**
 * Locks both organizations, and then their counters. Inserts 0 rows if the pair has an open
 * connection, perhaps a concurrent one.
 */
export const insertConnection = async (
  tx: Queryable,
  row: Omit<ConnectionRow, 'version'>,
): Promise<number> => {
  const version = await openConnectionVersion(tx, row.a_id, row.b_id)
  const unlessOpen = sql`on conflict (a_id, b_id) where status in ('invited', 'active') do nothing`
  const inserted = await sendNewRows(tx, 'connections', [{ ...row, version }], unlessOpen)
  if (inserted > 0) await countConnection(tx, row)
  return inserted
}

export const setConnectionStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<ConnectionRow[]> =>
  changeSealedRows(db, 'connections', sql`t.id = ${id}`, () => ({ status: to, updated_at: at }))

/** The viewing organization, and the normalized e-mail of a signed-in user with invitations. */
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

/** A row of either table, and the other organization, if it is known. */
interface PackedView {
  connection: string | null
  invitation: string | null
  organization: string | null
  counters: string | null
  /** The versions of the viewer's own organization, which is proven with the caller. */
  own_versions: string | null
}

const packedConnection = sql`c.id, ${packedRow('connections', 'c')} as connection,
  null as invitation`
const packedInvitation = sql`c.id, null as connection,
  ${packedRow('connection_invitations', 'c')} as invitation`
const packedParty = packedOrganization('p', 'ph')

const connectionsOnSide = (
  ownSide: 'a_id' | 'b_id',
  { organization }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${packedConnection}, ${packedParty}, o.row_versions as own_versions
   from connections c
   join organizations p on p.id = c.${raw(ownSide === 'a_id' ? 'b_id' : 'a_id')}
   ${joinCounters('p', 'ph')}
   join organizations o on o.id = ${organization}::uuid
   where c.${raw(ownSide)} = o.id and ${isConnectionVisible} ${rest})`

const invitationsSent = ({ organization }: ConnectionViewer, rest: SqlQuery): SqlQuery => sql`
  (select ${packedInvitation}, null as organization, null as counters,
     o.row_versions as own_versions
   from connection_invitations c
   join organizations o on o.id = ${organization}::uuid
   where c.invited_by = o.id and c.status <> 'accepted' and ${isConnectionVisible} ${rest})`

const invitationsReceived = (
  { organization, mode, email }: ConnectionViewer,
  rest: SqlQuery,
): SqlQuery => sql`
  (select ${packedInvitation}, ${packedParty}, null as own_versions
   from connection_invitations c join organizations p on p.id = c.invited_by
   ${joinCounters('p', 'ph')}
   where normalize(c.email, nfc) = ${email} and c.mode = ${mode} and c.invited_by <> ${organization}::uuid
     and c.status <> 'accepted' ${rest})`

const connectionsOnAllSides = (viewer: ConnectionViewer, rest: SqlQuery): SqlQuery =>
  sql`${connectionsOnSide('a_id', viewer, rest)} union all ${connectionsOnSide('b_id', viewer, rest)}
      union all ${invitationsSent(viewer, rest)} union all ${invitationsReceived(viewer, rest)}`

export const connectionsOf = async (
  db: Queryable,
  viewer: ConnectionViewer,
  page: { statuses: readonly string[]; before: string | undefined; limit: number },
): Promise<ConnectionView[]> => {
  const position = page.before === undefined ? sql`` : sql`and c.id < ${page.before}::uuid`
  const rest = sql`${position} and c.status = any(${page.statuses}::text[])
    order by c.id desc limit ${page.limit}`
  const rows = await db.rows<PackedView>(
    sql`select * from (${connectionsOnAllSides(viewer, rest)}) c order by id desc limit ${page.limit}`,
  )
  const views = rows.map((row) => unpackView(db.seals, viewer, row))
  checkNoneTwice('connections', views)
  return views
}

export const connectionVisibleTo = async (
  db: Queryable,
  viewer: ConnectionViewer,
  id: string,
): Promise<ConnectionView | undefined> => {
  const row = await db.row<PackedView>(connectionsOnAllSides(viewer, sql`and c.id = ${id}::uuid`))
  return row && unpackView(db.seals, viewer, row)
}

/** Throws BrokenSeal unless the row is the last one of its connection or invitation. */
const unpackView = (
  seals: RowSeals,
  { organization }: ConnectionViewer,
  { connection, invitation, organization: packed, counters, own_versions }: PackedView,
): ConnectionView => {
  const own = { id: organization, row_versions: own_versions }
  const party =
    packed === null || counters === null
      ? undefined
      : unpackOrganization(seals, { organization: packed, counters })
  const row =
    connection === null
      ? currentInvitation(unpackRow(seals, 'connection_invitations', invitation!), party ?? own)
      : currentRow(unpackRow(seals, 'connections', connection), [own, party])
  return {
    id: row.id,
    mode: row.mode,
    status: row.status,
    default_payment_terms: row.default_payment_terms,
    currency: row.currency,
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_inviter: row.invited_by === organization,
    email: 'email' in row ? row.email : null,
    party_id: party?.id ?? null,
    party_name: party?.name ?? null,
    party_is_verified: party === undefined ? null : party.verified_at !== null,
  }
}

/** Whoever has received it sees the inviter. */
const currentInvitation = (
  invitation: Rows['connection_invitations'],
  inviter: VersionedOrganization,
): Rows['connection_invitations'] => {
  if (isCurrentInvitation(invitation, inviter)) return invitation
  throw oldRow('connection_invitations', invitation.id)
}

/** The connection, beside its parties in either order. */
const currentRow = (
  connection: ConnectionRow,
  parties: readonly (VersionedOrganization | undefined)[],
): ConnectionRow => {
  const [a, b] = [connection.a_id, connection.b_id].map((id) =>
    parties.find((party) => party?.id === id),
  )
  if (!isCurrentConnection(connection, a, b)) throw oldRow('connections', connection.id)
  return connection
}

/** Both parties of the connection, or who has sent the invitation and who answers it. */
export const partiesOfConnection = async (
  db: Queryable,
  id: string,
  viewer: string,
): Promise<string[]> => {
  const rows = await db.rows<{ party: string }>(sql`
    select unnest(array[a_id, b_id]) as party from connections
    where id = ${id} and ${viewer} in (a_id, b_id)
    union select invited_by from connection_invitations where id = ${id}`)
  return [...new Set([viewer, ...rows.map(({ party }) => party)])]
}

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
