/**
 * Audits the whole ledger in one snapshot (domain 4.4), in SQL that shares nothing with the
 * service. Each violation is a sentence; none means that every cent is accounted for.
 */
import assert from 'node:assert/strict'
import { Connection, type Queryable, sql } from '../../../src/database/sql.ts'
import { openTestConnection } from '../database/test-connection.ts'

const checks = [
  // (1) In each transaction, debits and credits equal its amount.
  sql`select format('transaction %s: %s debited, %s credited', t.id, d, c) as what
      from ledger_tx t left join lateral (
        select coalesce(sum(amount) filter (where side = 'debit'), 0) d,
               coalesce(sum(amount) filter (where side = 'credit'), 0) c
        from ledger_entry e where e.tx_id = t.id) e on true
      where d <> c or d <> abs(t.amount)`,
  // (2) Stored balances are the sums of entries.
  sql`select format('account %s: posted %s, pending %s/%s; entries %s, %s/%s', a.id, a.posted,
        a.pending_debit, a.pending_credit, p, pd, pc) as what
      from ledger_account a join lateral (
        select coalesce(sum(case side when 'credit' then e.amount else -e.amount end)
                 filter (where t.status = 'posted'), 0) p,
               coalesce(sum(e.amount) filter (where t.status = 'pending' and side = 'debit'), 0) pd,
               coalesce(sum(e.amount) filter (where t.status = 'pending' and side = 'credit'), 0) pc
        from ledger_entry e join ledger_tx t on t.id = e.tx_id where e.account_id = a.id) e on true
      where a.organization_id is not null
        and (a.posted, a.pending_debit, a.pending_credit) is distinct from (p, pd, pc)`,
  // (3) Clearing accounts net to zero, pending and posted together.
  sql`select format('clearing account %s holds %s', a.id, sum(case side when 'debit' then e.amount else -e.amount end)) as what
      from ledger_account a join ledger_entry e on e.account_id = a.id join ledger_tx t on t.id = e.tx_id
      where a.code like '%:clearing' and t.status <> 'voided' group by a.id
      having sum(case side when 'debit' then e.amount else -e.amount end) <> 0`,
  // (4) No account is overdrawn, unless a bank took money back.
  sql`select format('account %s has %s available', a.id, posted - pending_debit) as what
      from ledger_account a where posted - pending_debit < 0 and not exists (
        select 1 from ledger_tx t where t.account_id = a.id and t.kind = 'return')`,
  // (5) Documents agree with their payments.
  sql`select format('document %s: paid %s, settled %s', d.id, d.amount_paid, coalesce(sum(p.amount), 0)) as what
      from documents d left join payments p on p.document_id = d.id and p.status = 'settled'
      group by d.id having d.amount_paid <> coalesce(sum(p.amount), 0)
      union all
      select format('document %s is %s with an active payment: %s', d.id, d.status, count(p.id))
      from documents d left join payments p on p.document_id = d.id
        and p.status in ('created', 'scheduled', 'processing')
      group by d.id
      having count(p.id) > 1 or (count(p.id) = 1 and d.status <> 'payment_scheduled')
        or (count(p.id) = 0 and d.status = 'payment_scheduled' and d.amount_paid = 0)
      union all
      select format('document %s is %s with a balance of %s', id, status, total - amount_paid - amount_credited)
      from documents where status = 'paid' and total - amount_paid - amount_credited <> 0`,
  // The document shows the current status of its latest payment.
  sql`select format('document %s shows another payment than %s', d.id, p.id) as what
      from documents d join lateral (
        select * from payments p where p.document_id = d.id order by payer_position desc limit 1) p on true
      where d.payment is null or (d.payment::json ->> 'id') <> p.id::text
        or (d.payment::json ->> 'status') <> p.status`,
  // A payment that has ended is not due any more; one that has settled may be returned.
  sql`select format('payment %s is %s and due at %s', id, status, due_at) as what
      from payments where due_at is not null and status in ('failed', 'cancelled', 'returned')`,
  // Payments agree with their transactions; those of a sweep have a kind of their own.
  sql`select format('payment %s is %s with transactions %s', p.id, p.status, s) as what
      from payments p join lateral (
        select coalesce(string_agg(name || ' ' || status || ' ' || (amount::numeric / p.amount)::int, ', '
                 order by name, amount), '') s
        from (select *, case when p.kind = 'sweep' then replace(kind, 'sweep_', 'payment_') else kind end as name
              from ledger_tx) t where t.payment_id = p.id) t on true
      where s <> case p.status
        when 'settled' then 'payment_in posted 1, payment_out posted -1'
        when 'processing' then 'payment_in pending 1, payment_out pending -1'
        when 'returned' then 'payment_in posted 1, payment_out posted -1, return posted -1, return posted 1'
        when 'failed' then case when s = '' then '' else 'payment_in voided 1, payment_out voided -1' end
        else '' end`,
  // (7) Entries sum to zero per mode and currency.
  sql`select format('%s %s: entries sum to %s', mode, currency, sum(case side when 'debit' then amount else -amount end)) as what
      from ledger_entry group by mode, currency
      having sum(case side when 'debit' then amount else -amount end) <> 0`,
  // (9) No transaction mixes sandbox and live, or currencies.
  sql`select format('transaction %s mixes modes or currencies', t.id) as what from ledger_tx t
      join ledger_entry e on e.tx_id = t.id join ledger_account a on a.id = e.account_id
      where a.mode <> t.mode or a.currency <> t.currency`,
  // Each running balance is the sum of all posted amounts so far.
  sql`select format('transaction %s runs to %s, not %s', id, running_balance, runs) as what from (
        select *, sum(amount) over (partition by account_id order by posted_version) as runs
        from ledger_tx where status = 'posted' and account_id is not null) t
      where running_balance <> runs`,
  // The usage of a limit is what was paid or is reserved.
  sql`select format('usage of %s %s on %s: %s counted, %s paid', root_key_id, currency, day, used, paid) as what
      from (select u.*, coalesce((select sum(p.amount) from payments p where p.limit_root = u.root_key_id
              and p.currency = u.currency and p.limit_day = u.day
              and p.status not in ('failed', 'cancelled')), 0) as paid from limit_usage u) u
      where used <> paid`,
]

/** Finds the violations at this moment: all checks read one snapshot. */
const ledgerViolations = async (db: Connection): Promise<string[]> => {
  await db.run(sql`begin isolation level repeatable read read only`)
  try {
    const violations: string[] = []
    for (const check of checks) violations.push(...(await violationsIn(db, check)))
    return violations
  } finally {
    await db.run(sql`rollback`)
  }
}

const violationsIn = async (
  db: Queryable,
  check: Parameters<Queryable['rows']>[0],
): Promise<string[]> => (await db.rows<{ what: string }>(check)).map(({ what }) => what)

export const assertLedger = async (db: Connection): Promise<void> => {
  assert.deepEqual((await ledgerViolations(db)).slice(0, 10), [])
}

/**
 * Audits the ledger repeatedly while work runs, and returns the number of snapshots. An audit reads
 * the whole ledger, so it pauses three times as long as it took, and leaves the rest to the work.
 */
export const auditLedgerDuring = async (url: string, work: Promise<unknown>): Promise<number> => {
  const db = await openTestConnection(url, 'docex auditor')
  let hasEnded = false
  const ended = work.finally(() => (hasEnded = true))
  let snapshots = 0
  try {
    do {
      const beganAt = performance.now()
      await assertLedger(db)
      snapshots += 1
      const pauseMs = Math.max(50, 3 * (performance.now() - beganAt))
      await Promise.race([ended.catch(() => {}), new Promise((next) => setTimeout(next, pauseMs))])
    } while (!hasEnded)
    await ended
    await assertLedger(db)
  } finally {
    await db.close()
  }
  return snapshots + 1
}
