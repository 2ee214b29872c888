/** Whose a record is that is not the caller’s (contract 11); of documents documents.ts knows. */
import { type Query, type Session, sql } from '../sql.ts'

/** The organizations that a record belongs to, by the prefix of its id. */
const ownersOf = {
  acct: (id) => sql`select organization_id from ledger_account where id = ${id}`,
  con: (id) => sql`
    select unnest(array[a_id, b_id]) as organization_id from connections where id = ${id}
    union all select invited_by from connection_invitations where id = ${id}`,
  evt: (id) => sql`select organization_id from events where id = ${id}`,
  key: (id) => sql`select organization_id from keys where id = ${id}`,
  pay: (id) => sql`
    select unnest(array[payer_id, payee_id]) as organization_id from payments where id = ${id}`,
  ttx: (id) => sql`
    select a.organization_id from ledger_tx t join ledger_account a on a.id = t.account_id
    where t.id = ${id}`,
  whk: (id) => sql`select organization_id from webhook_endpoints where id = ${id}`,
} as const satisfies Record<string, (id: string) => Query>

export type Owned = keyof typeof ownersOf

/** Whether it belongs to the same owner's organization in the other mode. */
export const isOwnInOtherMode = async (
  session: Session,
  organization: string,
  prefix: Owned,
  id: string,
): Promise<boolean> => {
  const rows = await session.rows(sql`
    select 1 from (${ownersOf[prefix](id)}) r
    join organizations o on o.id = r.organization_id
    join organizations c on c.id = ${organization}
    where o.sandbox_of = c.id or c.sandbox_of = o.id`)
  return rows.length > 0
}
