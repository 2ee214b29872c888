/** The processor references of live organizations, and the processor events already applied. */
import { databaseNow } from '../../database/database-clock.ts'
import type { Rows } from '../../database/rows.ts'
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { countRowChange, currentOnlyRow } from '../identity/row-versions.ts'

export interface ProcessorReferences {
  customer: string
  payment_method: string
  payout: string
}

/** The references of payer and payee at the processor; null if any is missing. */
export const processorReferencesOf = async (
  db: Queryable,
  payment: string,
): Promise<ProcessorReferences | null> => {
  const { payer_id, payee_id, currency } = (await sealedRow(
    db,
    'payments',
    sql`where id = ${payment}`,
  ))!
  const payer = await processorAccountOf(db, payer_id)
  const payee = await processorAccountOf(db, payee_id)
  const customer = payer?.customer_reference ?? null
  const payout = payee?.payout_reference ?? null
  const methods = JSON.parse(payer?.payment_methods ?? '{}') as Record<string, string>
  const payment_method = methods[currency]
  if (customer === null || payout === null || payment_method === undefined) return null
  return { customer, payment_method, payout }
}

/** Throws BrokenSeal for an old row, or if it is gone. */
export const processorAccountOf = (
  db: Queryable,
  organization: string,
): Promise<Rows['processor_accounts'] | undefined> =>
  currentOnlyRow(db, 'processor_accounts', organization)

export interface PaymentOfRailEvent {
  id: string
  document_id: string
  payer_id: string
}

/** The payment that an event names by our id or, without one, by the rail's own reference. */
export const paymentOfRailEvent = (
  db: Queryable,
  rail: string,
  name: { id: string | undefined; reference: string | undefined },
): Promise<PaymentOfRailEvent | undefined> =>
  sealedRow(
    db,
    'payments',
    name.id === undefined
      ? sql`where rail = ${rail} and settlement_reference = ${name.reference ?? null} limit 1`
      : sql`where rail = ${rail} and id = ${name.id}`,
  )

/** Whether a payment may have been submitted whose reference of the rail is not known yet. */
export const awaitsReference = async (db: Queryable, rail: string): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from payments where due_at is not null
      and rail = ${rail} and status = 'processing' and settlement_reference is null limit 1`)
  return rows.length > 0
}

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

/** Deletes up to `limit` events that a processor no longer sends or lists. */
export const purgeRailEvents = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from rail_events where (rail, event_id) in
      (select rail, event_id from rail_events where received_at < ${before} limit ${limit})`)

/** Sets all references of a live organization, so that an old row, or none, is made good. */
export const connectProcessor = async (
  tx: Queryable,
  organization: string,
  references: { customer: string; paymentMethods: string; payout: string },
): Promise<void> => {
  const version = await countRowChange(tx, 'processor_accounts', organization)
  const now = await databaseNow(tx)
  const set = {
    customer_reference: references.customer,
    payment_methods: references.paymentMethods,
    payout_reference: references.payout,
    updated_at: now,
    version,
  }
  const own = sql`t.organization_id = ${organization}`
  const changed = await changeSealedRows(tx, 'processor_accounts', own, () => set)
  if (changed.length > 0) return
  const row = { organization_id: organization, mode: 'live', rail: 'stripe', created_at: now }
  await insertRows(tx, 'processor_accounts', [{ ...row, ...set }])
}
