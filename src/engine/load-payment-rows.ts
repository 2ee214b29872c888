/**
 * Loads the rows that payment decisions need: keys and their limits, payments, accounts and
 * transactions. Keys and accounts are locked between documents and organization_counters, each by
 * id. A batch that moves no money sends none of these statements.
 */
import { type Connection, sql } from '../database/sql.ts'
import { columnArray } from '../database/binary-arrays.ts'
import type { Rows } from '../database/rows.ts'
import { selectList } from '../database/table-writes.ts'
import { awaitAll } from './await-all.ts'
import type { WorkingSet } from './unit-of-work.ts'

export interface PaymentRowsToLock {
  paymentsOfDocuments: readonly string[]
  accountsOfOrganizations: readonly string[]
  payingKeys: readonly string[]
}

/** Sends the locking statements. Call `read` after all locking statements have been sent. */
export const lockPaymentRows = (db: Connection, toLock: PaymentRowsToLock) => {
  if (Object.values(toLock).flat().length === 0) return undefined
  const documents = columnArray('uuid', toLock.paymentsOfDocuments)
  const organizations = columnArray('uuid', toLock.accountsOfOrganizations)
  const keys = columnArray('uuid', toLock.payingKeys)

  // Locking the root of a rotation chain locks its usage; revoking takes the same lock. Roots of
  // earlier reservations are included because a debit may fail days after it was reserved.
  const roots = sql`
    select root_id from keys where id = any(${keys})
      and (max_per_payment is not null or daily_volume is not null)
    union select limit_root from payments where document_id = any(${documents})
      and status in ('created', 'scheduled', 'processing') and limit_root is not null`
  const locks = db.rows(
    sql`select id from keys where id in (${roots}) order by id for no key update`,
  )
  // The currency and the parties of an issued document never change, so no lock is needed to read.
  const accounts = db.rows<Rows['ledger_account']>(sql`
    select ${selectList('ledger_account', 'a')} from ledger_account a where a.id in (
      select o.id from documents d
      cross join lateral (values (d.issuer_id), (d.counterparty_id)) party (id)
      join ledger_account o on o.organization_id = party.id and o.currency = d.currency
      where d.id = any(${documents})
      union select id from ledger_account where organization_id = any(${organizations}))
    order by a.id for no key update of a`)

  const read = async () => {
    const unresolved = sql`select id from payments where document_id = any(${documents})
      and status in ('created', 'scheduled', 'processing', 'settled')`
    const paying = db.rows<Rows['keys']>(sql`select k.* from keys k where id = any(${keys})`)
    const usage = db.rows<Rows['limit_usage']>(sql`
      select ${selectList('limit_usage', 'u')} from limit_usage u where root_key_id in (${roots})
        and (day >= (clock_timestamp() - interval '2 days')::date or (root_key_id, day) in (
          select limit_root, limit_day from payments where document_id = any(${documents})))`)
    const payments = db.rows<Rows['payments']>(sql`
      select ${selectList('payments', 'p')} from payments p where id in (${unresolved})`)
    const transactions = db.rows<Rows['ledger_tx']>(sql`
      select ${selectList('ledger_tx', 't')} from ledger_tx t where payment_id in (${unresolved})`)
    const processors = db.rows<Rows['processor_accounts']>(sql`
      select ${selectList('processor_accounts', 'a')} from processor_accounts a
      where organization_id in (
        select unnest(array[issuer_id, counterparty_id]) from documents
        where mode = 'live' and id = any(${documents}))`)
    const scripts = db.rows<Rows['demo_scripts']>(sql`
      select ${selectList('demo_scripts', 's')} from demo_scripts s
      where document_id = any(${documents})`)
    const reads = [paying, usage, payments, transactions, processors, scripts]
    await awaitAll([locks, accounts, ...reads])
    const rows = {
      accounts: await accounts,
      keys: await paying,
      usage: await usage,
      payments: await payments,
      transactions: await transactions,
      processors: await processors,
      scripts: await scripts,
    }
    return (set: WorkingSet): void => {
      set.addLoaded('ledger_account', rows.accounts)
      set.addLoaded('keys', rows.keys)
      set.addLoaded('limit_usage', rows.usage)
      set.addLoaded('payments', rows.payments)
      set.addLoaded('ledger_tx', rows.transactions)
      set.addLoaded('processor_accounts', rows.processors)
      set.addLoaded('demo_scripts', rows.scripts)
    }
  }
  return { read }
}
