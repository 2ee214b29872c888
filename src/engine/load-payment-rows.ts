/**
 * Loads the rows that payment decisions need: keys and their limits, payments, accounts and
 * transactions. Keys and accounts are locked between documents and organization_counters, each by
 * id. A batch that moves no money sends none of these statements.
 */
import { isCurrentPayment, isInProgress, parsePayment } from '../core/payments/payment-record.ts'
import { missingRow, oldRow } from '../database/row-seals.ts'
import { type Connection, type SqlQuery, raw, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import type { Rows } from '../database/rows.ts'
import { rowsWhere, selectList } from '../database/table-writes.ts'
import { newestReservations, outdatedUsages } from '../store/payments/limit-usage.ts'
import { awaitAll } from './await-all.ts'
import { checkOnlyRows } from './current-rows.ts'
import type { RowsToLock } from './rows-to-lock.ts'
import type { WorkingSet } from './working-set.ts'

export type PaymentRowsToLock = Required<
  Pick<RowsToLock, 'paymentsOfDocuments' | 'payments' | 'accountsOfOrganizations' | 'payingKeys'>
>

/** Sends the locking statements. Call what it returns after all locking statements are sent. */
export const lockPaymentRows = (db: Connection, toLock: PaymentRowsToLock) => {
  if (Object.values(toLock).flat().length === 0) return undefined
  const documents = columnArray('uuid', toLock.paymentsOfDocuments)
  const organizations = columnArray('uuid', toLock.accountsOfOrganizations)
  const keys = columnArray('uuid', toLock.payingKeys)

  const roots = limitRoots(keys, documents)
  const locks = db.rows(
    sql`select id from keys where id = any(array(${roots})) order by id for no key update`,
  )
  // The currency and the parties of an issued document never change, so no lock is needed to read.
  const accounts = db.rows<Rows['ledger_account']>(sql`
    select ${selectList('ledger_account', 'a')} from ledger_account a where a.id = any(array(
      select o.id from documents d
      cross join lateral (values (d.issuer_id), (d.counterparty_id)) party (id)
      cross join lateral (select id from ledger_account
        where organization_id = party.id and currency = d.currency offset 0) o
      where d.id = any(${documents})
      union select id from ledger_account where organization_id = any(${organizations})))
    order by a.id for no key update of a`)

  return async () => {
    const unresolved = unresolvedOf(documents)
    const named = columnArray('uuid', toLock.payments)
    const reserved = newestReservations(
      db,
      sql`limit_root = any(array(${roots})) and ${isRecent('limit_day')}`,
    )
    const reads = {
      ledger_account: accounts,
      keys: rowsWhere(db, 'keys', sql`id = any(${keys})`),
      limit_usage: rowsWhere(
        db,
        'limit_usage',
        sql`root_key_id = any(array(${roots})) and (${isRecent('day')} or (root_key_id, day) in (
          select limit_root, limit_day from payments where document_id = any(${documents})))`,
      ),
      payments: rowsWhere(db, 'payments', sql`${unresolved} or id = any(${named})`),
      ledger_tx: rowsWhere(
        db,
        'ledger_tx',
        sql`payment_id = any(array(select id from payments where ${unresolved}))`,
      ),
      processor_accounts: rowsWhere(
        db,
        'processor_accounts',
        sql`organization_id = any(array(
          select unnest(array[issuer_id, counterparty_id]) from documents
          where mode = 'live' and id = any(${documents})))`,
      ),
      demo_scripts: rowsWhere(db, 'demo_scripts', sql`document_id = any(${documents})`),
    }
    await awaitAll([locks, reserved, ...Object.values(reads)])
    const outdated = outdatedUsages(await reads.limit_usage, await reserved)
    return async (set: WorkingSet): Promise<void> => {
      for (const table of Object.keys(reads) as (keyof typeof reads)[]) {
        set.addLoaded(table, await reads[table])
      }
      for (const id of outdated) set.broken.mark('limit_usage', id, {})
      checkOnlyRows(set, 'processor_accounts', livePartiesOf(set, toLock.paymentsOfDocuments))
      markOldPayments(set)
      markLostPayments(set, toLock.paymentsOfDocuments)
    }
  }
}

const livePartiesOf = ({ loaded }: WorkingSet, documents: readonly string[]): Set<string> =>
  new Set(
    documents.flatMap((id) => {
      const document = loaded.documents.get(id)
      return document?.mode === 'live' ? [document.issuer_id, document.counterparty_id] : []
    }),
  )

/**
 * Each payment is compared with what its document, of which the head is fresh, says of it. Of an
 * earlier payment of the document, the ledger knows whether it was returned.
 */
const markOldPayments = (set: WorkingSet): void => {
  const reversed = new Set([...set.loaded.ledger_tx.values()].map(({ reverses }) => reverses))
  for (const row of set.loaded.payments.values()) {
    const document = set.loaded.documents.get(row.document_id)
    if (document === undefined) continue
    const isReturned = row.in_tx !== null && reversed.has(row.in_tx)
    const isBeforeReturn = row.status === 'settled' && isReturned
    if (isCurrentPayment(row, document.payment) && !isBeforeReturn) continue
    set.broken.mark('payments', row.id, { error: oldRow('payments', row.id), row })
  }
}

/** The newest payment of a document is loaded while it is in progress, and once it has settled. */
const markLostPayments = (set: WorkingSet, documents: readonly string[]): void => {
  for (const id of documents) {
    const stored = set.loaded.documents.get(id)?.payment ?? null
    if (stored === null) continue
    const row = parsePayment(stored)
    const isLoaded = isInProgress(row.status) || row.status === 'settled'
    if (!isLoaded || set.loaded.payments.has(row.id) || set.broken.has('payments', row.id)) continue
    const error = missingRow('payments', row.id)
    set.broken.mark('payments', row.id, { error, row })
  }
}

/**
 * Locking the root of a rotation chain locks its usage; revoking takes the same lock. Roots of
 * earlier reservations are included because a debit may fail days after it was reserved.
 */
const limitRoots = (keys: Buffer, documents: Buffer): SqlQuery => sql`
  select root_id from keys where id = any(${keys})
    and (max_per_payment is not null or daily_volume is not null
      or requires_approval_above is not null)
  union select limit_root from payments where document_id = any(${documents})
    and status in ('created', 'scheduled', 'processing') and limit_root is not null`

/** A condition, since PostgreSQL reads the whole table for a sub-select beside an `or`. */
const unresolvedOf = (documents: Buffer): SqlQuery => sql`
  document_id = any(${documents}) and status in ('created', 'scheduled', 'processing', 'settled')`

/** Earlier days matter only to payments that were reserved then. */
const isRecent = (day: 'day' | 'limit_day'): SqlQuery =>
  raw(`${day} >= (pg_catalog.clock_timestamp() - interval '2 days')::date`)
