/** Invitations by e-mail, and the organization that an invitation names. */
import { orderedPair } from '../../core/identity/connection-lifecycle.ts'
import { countOf } from '../../database/counts.ts'
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { sendNewRows } from '../../database/table-writes.ts'
import { countEndOfInvitations, settledVersionOf } from './row-versions.ts'
import { organizationById } from './organizations.ts'
import type { Rows } from '../../database/rows.ts'

export type InvitationRow = Rows['connection_invitations']

export const openInvitationTo = (
  db: Queryable,
  inviter: string,
  email: string,
): Promise<InvitationRow | undefined> =>
  sealedRow(
    db,
    'connection_invitations',
    sql`where invited_by = ${inviter} and email = ${email} and status = 'invited'`,
  )

export const invitationOf = (
  db: Queryable,
  inviter: string,
  id: string,
): Promise<InvitationRow | undefined> =>
  sealedRow(db, 'connection_invitations', sql`where t.id = ${id} and t.invited_by = ${inviter}`)

/** Locks the inviter. Inserts 0 rows if it has an open invitation to the e-mail. */
export const insertInvitation = async (
  tx: Queryable,
  row: Omit<InvitationRow, 'version'>,
): Promise<number> => {
  const version = await settledVersionOf(tx, 'connection_invitations', row.invited_by)
  return sendNewRows(
    tx,
    'connection_invitations',
    [{ ...row, version }],
    sql`on conflict (invited_by, email) where status = 'invited' do nothing`,
  )
}

/** Who has invited whom, from this id on: ids are time-ordered. */
interface EarlierInvitations {
  inviter: string
  since: string
}

/** How many connections of the two, which one of them began, were declined, withdrawn or ended. */
export const countEndedConnections = (
  db: Queryable,
  { inviter, since }: EarlierInvitations,
  invitee: string,
): Promise<number> => {
  const { a, b } = orderedPair(inviter, invitee)
  return countOf(
    db,
    sql`
    select count(*) as count from connections
    where a_id = ${a} and b_id = ${b} and invited_by = ${inviter} and id > ${since}
      and status in ('declined', 'ended')`,
  )
}

/** How many invitations of the organization to the address were declined or withdrawn. */
export const countEndedInvitations = (
  db: Queryable,
  { inviter, since }: EarlierInvitations,
  email: string,
): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from connection_invitations
    where normalize(email, nfc) = ${email} and invited_by = ${inviter} and id > ${since}
      and status in ('declined', 'ended')`,
  )

/** The caller has locked the inviter before the invitation. */
export const setInvitationStatus = async (
  tx: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<void> => {
  const set = () => ({ status: to, updated_at: at })
  const [row] = await changeSealedRows(tx, 'connection_invitations', sql`t.id = ${id}`, set)
  await countEndOfInvitations(tx, row!.invited_by)
}

/** The mode of an invited organization, and whether it has the same owner as the inviter. */
export const invitationTarget = async (
  db: Queryable,
  id: string,
  inviter: string,
): Promise<{ mode: string; is_own: boolean } | undefined> => {
  const [target, own] = [await organizationById(db, id), await organizationById(db, inviter)]
  return (
    target && { mode: target.mode, is_own: target.sandbox_of === inviter || own?.sandbox_of === id }
  )
}
