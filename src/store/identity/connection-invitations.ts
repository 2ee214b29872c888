/** Invitations by e-mail, and the organization that an invitation names. */
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
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
  return insertRows(
    tx,
    'connection_invitations',
    [{ ...row, version }],
    sql`on conflict (invited_by, email) where status = 'invited' do nothing`,
  )
}

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
