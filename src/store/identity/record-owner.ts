/** Whose a record is that is not the caller’s (contract 11); of documents documents.ts knows. */
import { type SqlQuery, type Queryable, sql } from '../../database/sql.ts'
import { isSinceReset } from './connections.ts'
import { isPaymentVisible as isPaymentSeenBy } from '../payments/payments.ts'

/** The organizations that a record belongs to, by the prefix of its id. */
const ownersOf = {
  acct: (id) => sql`select organization_id from ledger_account where id = ${id}`,
  con: (id) => sql`
    select r.id as organization_id from (
      select unnest(array[a_id, b_id]) as party, status, updated_at from connections
      where id = ${id}
      union all
      select invited_by, status, updated_at from connection_invitations where id = ${id}) c
    join organizations r on r.id = c.party and ${isSinceReset}`,
  evt: (id) => sql`select organization_id from events where id = ${id}`,
  key: (id) => sql`select organization_id from keys where id = ${id}`,
  pay: (id) => sql`
    select o.id as organization_id from payments p join organizations o on ${isPaymentSeenBy}
    where p.id = ${id}`,
  ttx: (id) => sql`
    select a.organization_id from ledger_tx t
    join ledger_account a on a.id = t.account_id and t.opened_version > a.reset_version
    where t.id = ${id}`,
  whk: (id) => sql`select organization_id from webhook_endpoints where id = ${id}`,
} as const satisfies Record<string, (id: string) => SqlQuery>

export type OwnedPrefix = keyof typeof ownersOf

/** Whether it belongs to the same owner's organization in the other mode. */
export const isRecordOwnInOtherMode = async (
  db: Queryable,
  organization: string,
  prefix: OwnedPrefix,
  id: string,
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from (${ownersOf[prefix](id)}) r
    join organizations o on o.id = r.organization_id
    join organizations c on c.id = ${organization}
    where o.sandbox_of = c.id or c.sandbox_of = o.id`)
  return rows.length > 0
}
