/** Invitations by e-mail, and the organization that an invitation names. */
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
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

/** Inserts 0 rows if this inviter has an open invitation to the e-mail. */
export const insertInvitation = (db: Queryable, row: InvitationRow): Promise<number> =>
  insertRows(
    db,
    'connection_invitations',
    [row],
    sql`on conflict (invited_by, email) where status = 'invited' do nothing`,
  )

export const setInvitationStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<InvitationRow[]> =>
  changeSealedRows(db, 'connection_invitations', sql`t.id = ${id}`, () => ({
    status: to,
    updated_at: at,
  }))

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
