/** The owners of records that are not the caller's (contract 11). Documents: see documents.ts. */
import { type SqlQuery, type Queryable, sql } from '../../database/sql.ts'
import { isConnectionVisible, isPaymentVisible, isTransactionVisible } from '../visibility.ts'

/** Queries for the organizations that see a record, by the prefix of its id. */
const ownersOf = {
  acct: (id) => sql`select organization_id from ledger_account where id = ${id}`,
  apr: (id) => sql`select organization_id from approvals where id = ${id}`,
  con: (id) => sql`
    select o.id as organization_id from (
      select unnest(array[a_id, b_id]) as party, status, updated_at from connections
      where id = ${id}
      union all
      select invited_by, status, updated_at from connection_invitations where id = ${id}) c
    join organizations o on o.id = c.party and ${isConnectionVisible}`,
  agr: (id) => sql`
    select unnest(array[borrower_id, lender_id]) as organization_id from finance_agreements
    where id = ${id}`,
  evt: (id) => sql`select organization_id from events where id = ${id}`,
  inv: (id) => sql`select organization_id from member_invitations where id = ${id}`,
  key: (id) => sql`select organization_id from keys where id = ${id}`,
  lst: (id) => sql`
    select borrower_id as organization_id from finance_listings where id = ${id}
    union select unnest(array[c.a_id, c.b_id]) from finance_listings l
    join connections c on c.status = 'active' and l.borrower_id in (c.a_id, c.b_id)
    where l.id = ${id}`,
  ofr: (id) => sql`
    select unnest(array[borrower_id, lender_id]) as organization_id from finance_offers
    where id = ${id}`,
  pay: (id) => sql`
    select o.id as organization_id from payments p join organizations o on ${isPaymentVisible}
    where p.id = ${id}`,
  req: (id) => sql`select organization_id from requests where id = ${id}`,
  rul: (id) => sql`
    select organization_id from approval_rule_sets
    where rules::jsonb @> ${JSON.stringify([{ id }])}::jsonb`,
  ttx: (id) => sql`
    select a.organization_id from ledger_tx t
    join ledger_account a on a.id = t.account_id and ${isTransactionVisible}
    where t.id = ${id}`,
  usr: (id) => sql`select organization_id from memberships where user_id = ${id}`,
  viw: (id) => sql`select organization_id from saved_views where id = ${id}`,
  whk: (id) => sql`select organization_id from webhook_endpoints where id = ${id}`,
} as const satisfies Record<string, (id: string) => SqlQuery>

export type OwnedPrefix = keyof typeof ownersOf

/** Whether the record belongs to the same owner's organization in the other mode. */
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
