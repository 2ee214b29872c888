/** The processor references of live organizations, and the processor events already applied. */
import { type Queryable, sql } from '../../database/sql.ts'

export interface ProcessorReferences {
  customer: string
  payment_method: string
  payout: string
}

/** The references of payer and payee at the processor; undefined if any is missing. */
export const processorReferencesOf = (
  db: Queryable,
  payment: string,
): Promise<ProcessorReferences | undefined> =>
  db.row(sql`
    select f.customer_reference as customer, f.payment_methods ->> p.currency as payment_method,
      t.payout_reference as payout
    from payments p
    join processor_accounts f on f.organization_id = p.payer_id
    join processor_accounts t on t.organization_id = p.payee_id
    where p.id = ${payment} and f.customer_reference is not null
      and f.payment_methods ? p.currency and t.payout_reference is not null`)

export interface PaymentOfRailEvent {
  id: string
  document_id: string
  payer_id: string
}

/** The payment that an event names by our id or by the rail's own reference. */
export const paymentOfRailEvent = (
  db: Queryable,
  rail: string,
  name: { id: string | undefined; reference: string | undefined },
): Promise<PaymentOfRailEvent | undefined> =>
  db.row(sql`
    select id, document_id, payer_id from payments
    where rail = ${rail} and (id = ${name.id ?? null} or settlement_reference = ${name.reference ?? null})
    limit 1`)

export const isRailEventApplied = async (
  db: Queryable,
  rail: string,
  event: string,
): Promise<boolean> => {
  const rows = await db.rows(
    sql`select 1 from rail_events where rail = ${rail} and event_id = ${event}`,
  )
  return rows.length > 0
}

export const markRailEventApplied = (db: Queryable, rail: string, event: string): Promise<number> =>
  db.run(sql`
    insert into rail_events (rail, event_id) values (${rail}, ${event}) on conflict do nothing`)

export const connectProcessor = (
  db: Queryable,
  organization: string,
  references: { customer: string; paymentMethods: string; payout: string },
): Promise<number> =>
  db.run(sql`
    insert into processor_accounts (organization_id, mode, rail, customer_reference,
      payment_methods, payout_reference, created_at, updated_at)
    select id, mode, 'stripe', ${references.customer}, ${references.paymentMethods}::jsonb, ${references.payout},
      clock_timestamp(), clock_timestamp()
    from organizations where id = ${organization} and mode = 'live'
    on conflict (organization_id) do update set customer_reference = excluded.customer_reference,
      payment_methods = excluded.payment_methods, payout_reference = excluded.payout_reference,
      updated_at = excluded.updated_at`)
