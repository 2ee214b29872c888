/** Invitations by e-mail, and the organization that an invitation names. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type InvitationRow = Rows['connection_invitations']

export const openInvitationTo = (
  db: Queryable,
  inviter: string,
  email: string,
): Promise<InvitationRow | undefined> =>
  db.row(sql`
    select * from connection_invitations
    where invited_by = ${inviter} and email = ${email} and status = 'invited'`)

/** Inserts 0 rows if this inviter has an open invitation to the e-mail. */
export const insertInvitation = (db: Queryable, row: InvitationRow): Promise<number> =>
  db.run(sql`
    insert into connection_invitations (id, mode, invited_by, email, status, default_payment_terms,
      currency, created_at, updated_at)
    values (${row.id}, ${row.mode}, ${row.invited_by}, ${row.email}, ${row.status},
      ${row.default_payment_terms}, ${row.currency}, ${row.created_at}, ${row.updated_at})
    on conflict (invited_by, email) where status = 'invited' do nothing`)

export const setInvitationStatus = (
  db: Queryable,
  id: string,
  to: string,
  at: string,
): Promise<number> =>
  db.run(sql`update connection_invitations set status = ${to}, updated_at = ${at} where id = ${id}`)

/** The mode of an invited organization, and whether it has the same owner as the inviter. */
export const invitationTarget = (
  db: Queryable,
  id: string,
  inviter: string,
): Promise<{ mode: string; is_own: boolean } | undefined> =>
  db.row(sql`
    select o.mode, coalesce(o.sandbox_of = c.id or c.sandbox_of = o.id, false) as is_own
    from organizations o, organizations c where o.id = ${id} and c.id = ${inviter}`)
