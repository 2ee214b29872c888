/**
 * The records that an organization still sees after a sandbox reset (docs/decisions/0046), as SQL
 * conditions. The viewing organization is always aliased `o`.
 */
import { type SqlQuery, raw, sql } from '../database/sql.ts'

/** Document `d`. A draft has no counterparty position, so only its issuer sees it. */
export const isDocumentVisible = raw(`(d.issuer_id = o.id and d.issuer_position > o.reset_position
  or d.counterparty_id = o.id and d.counterparty_position > o.reset_position)`)

/** Payment `p`. */
export const isPaymentVisible = raw(`(p.payer_id = o.id and p.payer_position > o.reset_position
  or p.payee_id = o.id and p.payee_position > o.reset_position)`)

/** Connection or invitation `c`: open, or ended after the last reset. */
export const isConnectionVisible = raw(`(c.status in ('invited', 'active') or o.reset_at is null
  or c.updated_at > o.reset_at)`)

/** When the sandbox of an organization was last reset, if ever, as SQL. */
export const lastReset = (organization: string | SqlQuery): SqlQuery => sql`coalesce(
  (select o.reset_at from organizations o where o.id = ${organization}), '-infinity')`

/** Ledger transaction `t` in account `a`, whose owner is the viewing organization. */
export const isTransactionVisible = raw('t.opened_version > a.reset_version')
