/** Invitations of people to be members. Only a MAC of a token is stored. */
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { type RowSeals, oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, setInIntactRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import {
  type PackedOrganization,
  checkMembership,
  joinCounters,
  organizationForUpdate,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'

export type InvitationRow = Rows['member_invitations']

/** An invitation, and by what its status is to be judged. */
export interface InvitationWithNow extends InvitationRow {
  now: string
  /** The role of whoever invited; undefined once they are no longer a member. */
  inviter_role: string | undefined
}

interface PackedInvitation extends PackedOrganization {
  invitation: string
  inviter: string | null
  now: string
}

/** Throws BrokenSeal unless the row is as it was last: an old one gives nobody access again. */
const unpack = (seals: RowSeals, packed: PackedInvitation): InvitationWithNow => {
  const invitation = unpackRow(seals, 'member_invitations', packed.invitation)
  const organization = unpackOrganization(seals, packed)
  const isCurrent =
    invitation.organization_id === organization.id &&
    (invitation.ended_at !== null || invitation.access_version === organization.access_version)
  if (!isCurrent) throw oldRow('member_invitations', invitation.id)
  return { ...invitation, now: packed.now, inviter_role: inviterRole(seals, packed, organization) }
}

const inviterRole = (
  seals: RowSeals,
  { inviter }: PackedInvitation,
  organization: Rows['organizations'],
): string | undefined => {
  if (inviter === null) return undefined
  const membership = unpackRow(seals, 'memberships', inviter)
  checkMembership(membership, organization)
  return membership.role
}

const invitations = async (db: Queryable, rest: SqlQuery): Promise<InvitationWithNow[]> => {
  const rows = await db.rows<PackedInvitation>(sql`
    select ${packedRow('member_invitations', 'i')} as invitation, ${packedOrganization('o', 'h')},
      case when m.user_id is not null then ${packedRow('memberships', 'm')} end as inviter,
      pg_catalog.clock_timestamp() as now
    from member_invitations i join organizations o on o.id = i.organization_id
    ${joinCounters('o', 'h')}
    left join memberships m
      on m.user_id = i.invited_by and m.organization_id = i.organization_id ${rest}`)
  return rows.map((row) => unpack(db.seals, row))
}

export const invitationById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<InvitationWithNow | undefined> => {
  const own = sql`where i.id = ${id} and i.organization_id = ${organization}`
  return (await invitations(db, own))[0]
}

export const invitationByHash = async (
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<InvitationWithNow | undefined> =>
  (await invitations(db, sql`where i.hash = any(${columnArray('bytea', hashes)})`))[0]

export const invitationsOf = (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<InvitationWithNow[]> => {
  const position = before === undefined ? sql`` : sql`and i.id < ${before}`
  return invitations(
    db,
    sql`where i.organization_id = ${organization} ${position} order by i.id desc limit ${limit}`,
  )
}

/** The invitations that have not ended; some may have expired. */
export const openInvitationsOf = (
  db: Queryable,
  organization: string,
): Promise<InvitationWithNow[]> =>
  invitations(db, sql`where i.organization_id = ${organization} and i.ended_at is null`)

export const insertInvitation = (db: Queryable, row: InvitationRow): Promise<number> =>
  insertRows(db, 'member_invitations', [row])

/** The caller counts the withdrawal. */
export const endInvitation = (
  db: Queryable,
  id: string,
  { at, acceptedBy }: { at: string; acceptedBy: string | null },
): Promise<InvitationRow[]> => {
  const open = sql`t.id = ${id} and t.ended_at is null`
  return changeSealedRows(db, 'member_invitations', open, () => ({
    ended_at: at,
    accepted_by: acceptedBy,
  }))
}

/**
 * Revokes the open ones to this address that are as they were written. The caller has locked the
 * organization, and counts the withdrawal.
 */
export const revokeInvitationsTo = async (
  tx: Queryable,
  { organization, email }: { organization: string; email: string },
  at: string,
): Promise<void> => {
  const { access_version } = (await organizationForUpdate(tx, organization))!
  const open = sql`t.organization_id = ${organization} and t.ended_at is null`
  const to = sql`normalize(t.email, nfc) = normalize(${email}, nfc)`
  await setInIntactRows(tx, 'member_invitations', sql`${open} and ${to}`, {
    isCurrent: (row) => row.access_version === access_version,
    set: { ended_at: at },
  })
}

/** A month after they ended or expired, nothing shows them any more. */
export const purgeMemberInvitations = (db: Queryable, limit: number): Promise<number> =>
  db.run(sql`
    delete from member_invitations where id in
      (select id from member_invitations
       where expires_at < pg_catalog.clock_timestamp() - interval '30 days' limit ${limit}
       for update skip locked)`)
