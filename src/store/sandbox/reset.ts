/**
 * Resets the rows of a sandbox (docs/decisions/0046). The rows of lists are deleted; append-only
 * rows remain, hidden by the organization's reset position (store/visibility.ts).
 */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRows } from '../../database/sealed-rows.ts'
import { changeOrganizations } from '../identity/access-versions.ts'
import {
  countEndOfConnections,
  countEndOfInvitations,
  countRowChange,
  openConnectionVersion,
} from '../identity/row-versions.ts'
import type { PracticePair } from './practice-pairs.ts'

/** Documents with an unfinished payment, or that are not paid yet although theirs has settled. */
export const documentsWithActivePayments = (
  db: Queryable,
  organizations: readonly string[],
): Promise<Pick<Rows['payments'], 'document_id'>[]> =>
  db.rows(sql`
    select p.document_id from payments p
    where ${involvesAnyOf(organizations)}
      and (p.status in ('created', 'scheduled', 'processing')
        or (p.status = 'settled' and p.due_at is not null and exists (
          select 1 from documents d where d.id = p.document_id and d.status = 'payment_scheduled')))
    order by p.id limit 100`)

const involvesAnyOf = (organizations: readonly string[]) => {
  const ids = columnArray('uuid', organizations)
  return sql`(payer_id = any(${ids}) or payee_id = any(${ids}))`
}

/**
 * Locks the organizations, then shared documents, connections, endpoints, accounts, approvals, and
 * counters last, as every write does. The counters are the organizations' own: a write on a shared
 * document needs those of both parties, so it is finished or sees the reset, and the reset waits
 * for no other write of a partner.
 */
export const lockForReset = async (
  tx: Queryable,
  organizations: readonly string[],
): Promise<Rows['ledger_account'][]> => {
  const ids = columnArray('uuid', organizations)
  await tx.run(sql`
    select 1 from organizations where id = any(${ids}) order by id for no key update`)
  await tx.run(
    sql`${documentsSharedWithOthers(organizations)} order by d.id for no key update of d`,
  )
  await tx.run(sql`
    select 1 from connections where ${isOpenOf(organizations)} order by id for no key update`)
  await tx.run(sql`
    select 1 from webhook_endpoints where organization_id = any(${ids})
    order by id for no key update`)
  await tx.run(sql`
    select 1 from ledger_account where organization_id = any(${ids})
    order by id for no key update`)
  await tx.run(sql`
    select 1 from approvals where organization_id = any(${ids}) order by id for no key update`)
  await tx.run(sql`
    select 1 from organization_counters where organization_id = any(${ids})
    order by organization_id for no key update`)
  // A later statement than the locks.
  return sealedRows(tx, 'ledger_account', sql`where organization_id = any(${ids}) order by id`)
}

/** Documents shared between these organizations and others. */
const documentsSharedWithOthers = (organizations: readonly string[]) => {
  const ids = columnArray('uuid', organizations)
  return sql`select d.id from document_views v join documents d on d.id = v.document_id
    where v.organization_id = any(${ids}) and d.issued_at is not null and not d.is_frozen
      and not (d.issuer_id = any(${ids}) and d.counterparty_id = any(${ids}))`
}

const isOpenOf = (organizations: readonly string[]) => {
  const ids = columnArray('uuid', organizations)
  return sql`status in ('invited', 'active') and (a_id = any(${ids}) or b_id = any(${ids}))`
}

/**
 * Ends the connections to others, freezes what is shared with them, and hides everything up to the
 * current feed position; numbers begin again, and the clocks return to the real time. Deletes list
 * rows with their search entries, approvals, and events with their deliveries.
 */
export const leavePast = async (
  tx: Queryable,
  { organizations, connection }: PracticePair,
  at: string,
): Promise<void> => {
  const ids = columnArray('uuid', organizations)
  const ended = () => ({ status: 'ended', updated_at: at })
  const others = sql`${isOpenOf(organizations)} and t.id is distinct from ${connection ?? null}::uuid`
  await changeSealedRows(tx, 'connections', others, ended)
  await countEndOfConnections(tx, organizations)
  const sent = sql`t.status = 'invited' and t.invited_by = any(${ids})`
  await changeSealedRows(tx, 'connection_invitations', sent, ended)
  for (const id of organizations) await countEndOfInvitations(tx, id)
  // Finds the documents by their list rows, so it comes before those are deleted.
  const shared = sql`t.id in (${documentsSharedWithOthers(organizations)})`
  await changeSealedRows(tx, 'documents', shared, () => ({ is_frozen: true }))
  const own = sql`t.organization_id = any(${ids})`
  const counters = await changeSealedRows(tx, 'organization_counters', own, (row) => ({
    numbers: '{}',
    // No event has it, so a reader of the feed sees that something is missing.
    feed: row.feed + 1n,
    changed_at: row.changed_at > at ? row.changed_at : at,
    quotas: withoutStoredDocuments(row.quotas),
  }))
  const feedOf = new Map(counters.map((row) => [row.organization_id, row.feed]))
  await changeOrganizations(tx, sql`t.id = any(${ids})`, ({ id }) => ({
    reset_position: feedOf.get(id)!,
    reset_at: at,
    clock_offset_seconds: 0n,
  }))
  await tx.run(sql`delete from clock_advances where organization_id = any(${ids})`)
  const endpoints = sql`select id from webhook_endpoints where organization_id = any(${ids})`
  // Before the entries: this waits for a concurrent indexer, so that its entries are deleted too.
  await tx.run(sql`
    update search_progress s set indexed = h.feed, renewed = h.feed from organization_counters h
    where h.organization_id = s.organization_id and s.organization_id = any(${ids})`)
  await tx.run(sql`delete from search_entries where organization_id = any(${ids})`)
  await tx.run(sql`delete from document_views where organization_id = any(${ids})`)
  await tx.run(sql`delete from approvals where organization_id = any(${ids})`)
  for (const id of organizations) await countRowChange(tx, 'approvals', id)
  await tx.run(sql`delete from events where organization_id = any(${ids})`)
  await tx.run(sql`
    update webhook_endpoints w
    set cursor = h.feed, next_due_at = null, lease_owner = null, lease_until = null
    from organization_counters h
    where h.organization_id = w.organization_id and w.organization_id = any(${ids})`)
  await tx.run(sql`
    delete from webhook_attempt where delivery_id in
      (select id from webhook_delivery where webhook_id in (${endpoints}))`)
  await tx.run(sql`delete from webhook_delivery where webhook_id in (${endpoints})`)
}

/** A reset does not refund daily quotas. */
const withoutStoredDocuments = (quotas: string): string => {
  const usage = JSON.parse(quotas) as Record<string, unknown>
  const { stored_documents: _, open_listings: __, ...daily } = usage
  return JSON.stringify(daily)
}

/** Cancels pending steps of payments and of demo scripts. */
export const cancelScheduledWork = async (
  tx: Queryable,
  organizations: readonly string[],
): Promise<void> => {
  const never = () => ({ due_at: null })
  const due = sql`t.due_at is not null`
  await changeSealedRows(tx, 'payments', sql`${due} and ${involvesAnyOf(organizations)}`, never)
  const ids = columnArray('uuid', organizations)
  const pending = sql`${due} and t.organization_id = any(${ids})`
  await changeSealedRows(tx, 'demo_scripts', pending, never)
  await changeSealedRows(tx, 'demo_loans', pending, never)
}

/**
 * Ends what the borrowers and lenders had open. Their numbers begin again, so that a new invoice
 * may look like one that was pledged before.
 */
export const endLoans = async (
  tx: Queryable,
  organizations: readonly string[],
  at: string,
): Promise<void> => {
  const ids = columnArray('uuid', organizations)
  const isTheirs = sql`(t.borrower_id = any(${ids}) or t.lender_id = any(${ids}))`
  await changeSealedRows(
    tx,
    'finance_listings',
    sql`t.borrower_id = any(${ids}) and t.status = 'open'`,
    () => ({ status: 'withdrawn', updated_at: at, open_offers: '[]' }),
  )
  const lapsed = await changeSealedRows(
    tx,
    'finance_offers',
    sql`${isTheirs} and t.status = 'open'`,
    () => ({ status: 'lapsed', updated_at: at }),
  )
  const listings = columnArray('uuid', [...new Set(lapsed.map((row) => row.listing_id))])
  const isLapsed = (id: string) => lapsed.some((offer) => offer.id === id)
  await changeSealedRows(tx, 'finance_listings', sql`t.id = any(${listings})`, (row) => ({
    open_offers: withoutOffers(row.open_offers, isLapsed),
  }))
  await changeSealedRows(
    tx,
    'finance_agreements',
    sql`${isTheirs} and t.due_at is not null`,
    () => ({ due_at: null, due_by: null }),
  )
  await changeSealedRows(
    tx,
    'finance_pledges',
    sql`t.borrower_id = any(${ids}) and t.is_active`,
    () => ({ is_active: false, released_at: at }),
  )
}

const withoutOffers = (open: string | null, isLapsed: (id: string) => boolean): string | null =>
  open && JSON.stringify((JSON.parse(open) as string[]).filter((id) => !isLapsed(id)))

export const reactivateConnection = async (
  tx: Queryable,
  [a, b]: PracticePair['organizations'],
  { id, terms, currency, at }: { id: string; terms: string; currency: string; at: string },
): Promise<Rows['connections'][]> => {
  const version = await openConnectionVersion(tx, a!, b!)
  return changeSealedRows(tx, 'connections', sql`t.id = ${id}`, () => ({
    status: 'active',
    default_payment_terms: terms,
    currency,
    updated_at: at,
    version,
  }))
}

/** Deletes stored responses, except those about resources that survive a reset. */
export const deleteStoredResponsesOf = (
  tx: Queryable,
  organizations: readonly string[],
): Promise<number> =>
  tx.run(sql`
    delete from idempotency where organization_id = any(${columnArray('uuid', organizations)})
      and coalesce(split_part(resource_id, '_', 1), '') not in ('key', 'whk', 'ses', 'sbx')`)
