/**
 * Pays documents approved beforehand, by 64 payers, and by one payer from one account. The limit is
 * pgbench writing the same rows as a classic transaction, one statement per round trip.
 */
import { parsePayment } from '../src/core/payments/payment-record.ts'
import { decodeId, encodeId } from '../src/core/ids.ts'
import { systemAccountId } from '../src/core/payments/ledger.ts'
import { type Connection, type SqlQuery, sql } from '../src/database/sql.ts'
import { bytesLiteral, commitmentsLiteral, pgbench, saltsLiteral, sqlLiteral } from './pgbench.ts'
import { type BenchTools, load, request, startServer } from './bench-server.ts'
import { idOf, pairs } from './seed.ts'
import { sealSeededRows } from './seal-rows.ts'

interface PaymentWorkload {
  databaseUrl: string
  keys: string[]
  sample: { content: string }
  rounds: number
  /** The length of one round. */
  seconds: number
}

/** A document can be paid only once, so each round, ours and the limit's, has its own documents. */
export const comparePayments = async (
  db: Connection,
  { databaseUrl, keys, sample, rounds, seconds }: PaymentWorkload,
  { compare, isSelected }: BenchTools,
): Promise<void> => {
  if (!isSelected('documents.pay') && !isSelected('documents.pay.hot')) return
  // An API process runs no auditor, which would reject the made-up history of seeded documents.
  const server = await startServer(databaseUrl)
  const { port } = server
  const payable = payableCountsFor(rounds, seconds)
  await seedPayableDocuments(db, sample.content, payable)
  const texts = await paymentRowTexts(db, port, keys[0]!, payable.hotFrom + payable.hot / 2)
  const ours = async (requests: string[][]) =>
    (await load({ port, connections: 64, seconds, requests, expectedStatus: 200 })).perSecond
  const limit = async (script: string, base: number, clients: number) => {
    const set = [`base=${base}`, 'k=0']
    return (await pgbench(databaseUrl, script, { clients, seconds, set })).perSecond
  }
  const payRequest = (pair: number, n: number) => request('POST', payPath(n), keys[pair]!)
  // Our rounds pay the first half of each pair's documents, pgbench pays the second half.
  const part = Math.floor(payable.perPair / 2 / (rounds + 1))
  const requestsOfAllPairs = (round: number) =>
    keys.map((_, pair) =>
      Array.from({ length: part }, (_, i) =>
        payRequest(pair, pair * payable.perPair + round * part + i + 1),
      ),
    )
  await ours(requestsOfAllPairs(rounds))
  let [round, base] = [0, 0]
  // Each pgbench client has five pairs of its own and moves on to the next one every round.
  const spread = payScript(
    texts,
    `${pairs + 1} + (:n - 1) / ${payable.perPair}`,
    5 * payable.perPair,
  )
  await compare(
    'documents.pay',
    '/s',
    () => ours(requestsOfAllPairs(round++)),
    () => limit(spread, payable.perPair / 2 + payable.perPair * base++, 12),
  )
  const share = Math.floor(payable.hot / 2 / rounds)
  const requestsOfHotPair = (roundsBefore: number) =>
    Array.from({ length: 64 }, (_, i) =>
      Array.from({ length: Math.floor(share / 64) }, (_, k) =>
        payRequest(0, payable.hotFrom + roundsBefore * share + 1 + i + 64 * k),
      ),
    )
  ;[round, base] = [0, 0]
  const perClient = Math.floor(share / 16)
  await compare(
    'documents.pay.hot',
    '/s',
    () => ours(requestsOfHotPair(round++)),
    () =>
      limit(
        payScript(texts, String(pairs + 1), perClient),
        payable.hotFrom + payable.hot / 2 + share * base++,
        16,
      ),
  )
  await server.stop()
}

interface PayableDocuments {
  /** Approved documents per pair, from `pay1` on, pair by pair. */
  perPair: number
  /** Additional documents of the first pair, for the hot account. */
  hot: number
  hotFrom: number
}

/** Enough for all rounds of ours and of the limit, and for one warm-up round. */
const payableCountsFor = (rounds: number, seconds: number): PayableDocuments => {
  const perPair = 74 * seconds * (rounds + 1)
  return { perPair, hot: 3_400 * seconds * rounds, hotFrom: pairs * perPair }
}

const seedPayableDocuments = async (
  db: Connection,
  content: string,
  { perPair, hot, hotFrom }: PayableDocuments,
): Promise<void> => {
  await seedAccounts(db)
  await db.run(sql`update keys set scopes = scopes || array['payments:write'], seal = ''`)
  for (let from = 1; from <= hotFrom + hot; from += 10_000) {
    const to = Math.min(hotFrom + hot, from + 9_999)
    await insertApprovedInvoices(db, {
      name: 'pay',
      from,
      to,
      content,
      pair: sql`case when n > ${hotFrom} then 1 + ${pairs} * (n > ${hotFrom + hot / 2})::int
        else 1 + (n - 1) / ${perPair}::int + ${pairs} * ((n - 1) % ${perPair} >= ${perPair / 2})::int
        end`,
    })
  }
  await sealSeededRows(db)
  await db.script('analyze')
}

export interface ApprovedInvoices {
  /** The id of invoice n is the md5 of this name and n. */
  name: string
  from: number
  to: number
  content: string
  /** The number of the pair, an expression of n. */
  pair: SqlQuery
}

/** The counterparty of each pair has issued them to its issuer. No two are twins. */
export const insertApprovedInvoices = async (
  db: Connection,
  { name, from, to, content, pair }: ApprovedInvoices,
): Promise<void> => {
  const now = new Date().toISOString()
  await db.run(sql`
    insert into documents (id, mode, connection_id, issuer_id, counterparty_id, type, status, origin,
      revision, issuer_number, counterparty_number, currency, document_date, document_date_given,
      due_date, terms_form, total, content, issuer_events, counterparty_events, issuer_position,
      counterparty_position, stream_salt, head_seq, head_hash, issued_at, created_at, updated_at, seal)
    select md5(${name} || n)::uuid, 'test', md5('connection' || p)::uuid,
      md5('counterparty' || p)::uuid, md5('issuer' || p)::uuid, 'invoice', 'approved', 'api', 3,
      upper(${name}) || '-' || n, 'BIL-' || upper(${name}) || n, 'USD', '2026-11-21', false,
      current_date + 30, 'text', 53950,
      replace(${content}, '"SO-2026-1"', '"SO-2026-' || upper(${name}) || n || '"'), 3, 2,
      100000 + n, 100000 + n, '\\x00112233445566778899aabbccddeeff', 0, '\\x00', ${now}, ${now},
      ${now}, ''
    from (select n, ${pair} p from generate_series(${from}::int, ${to}::int) n) d`)
  await db.run(sql`
    insert into document_views (organization_id, position, document_id, side, number, type, status,
      connection_id, document_date, updated_at, currency, due_date)
    select v.*, type, status, connection_id, document_date, updated_at, currency, due_date
    from documents d,
      lateral (values (issuer_id, issuer_position, id, 'issuer', issuer_number),
        (counterparty_id, counterparty_position, id, 'counterparty', counterparty_number)) v
    where d.issuer_number like upper(${name}) || '-%'
      and issuer_position between ${100_000 + from} and ${100_000 + to}`)
}

/** An account with money for each organization, and the accounts of the simulator. */
export const seedAccounts = async (db: Connection): Promise<void> => {
  const now = new Date().toISOString()
  await db.run(sql`
    insert into ledger_account (id, mode, organization_id, currency, code, normal, status, posted,
      pending_debit, pending_credit, overdraft, created_at, seal)
    select md5('account' || id)::uuid, 'test', id, 'USD', 'settlement', 'credit', 'active',
      1000000000000000, 0, 0, 0, ${now}, '' from organizations`)
  for (const kind of ['clearing', 'world'] as const) {
    await db.run(sql`
      insert into ledger_account (id, mode, currency, code, normal, status, created_at, seal)
      values (${systemAccountId('test', 'simulator', kind, 'USD')}, 'test', 'USD',
        ${`simulator:${kind}`}, 'debit', 'active', ${now}, '') on conflict do nothing`)
  }
}

const payPath = (n: number): string => `/v1/documents/${encodeId('doc', idOf(`pay${n}`))}/pay`

interface PaymentRowTexts {
  payment: string
  initiatedBy: string
  response: Buffer
  shared: Buffer
  own: Buffer
  payloads: Buffer[]
}

/** Makes one payment and reads the texts of the rows it has written. */
const paymentRowTexts = async (
  db: Connection,
  port: number,
  key: string,
  n: number,
): Promise<PaymentRowTexts> => {
  const paid = await fetch(`http://127.0.0.1:${port}${payPath(n)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'bench-pay-sample' },
  })
  const answer = (await paid.json()) as { id: string }
  if (paid.status !== 200) throw new Error(`the sample was not paid: ${JSON.stringify(answer)}`)
  const id = decodeId('doc', answer.id)!
  const row = await db.row<Pick<PaymentRowTexts, 'payment' | 'shared' | 'own' | 'response'>>(sql`
    select d.payment, p.shared_body as shared, p.counterparty_body as own, i.body as response
    from documents d join prov_event p on p.document_id = d.id
    join idempotency i on i.document_id = d.id where d.id = ${id}`)
  const payloads = await db.rows<{ payload: Buffer }>(
    sql`select payload from events where document_id = ${id} order by organization_id, feed`,
  )
  const initiatedBy = parsePayment(row!.payment).initiated_by
  return { ...row!, initiatedBy, payloads: payloads.map(({ payload }) => payload) }
}

const clearing = `'${systemAccountId('test', 'simulator', 'clearing', 'USD')}'`

/** Expressions of SQL and of pgbench. */
type Posting = Record<'amount' | 'version' | 'balance', string>

/** Each client pays its own documents from `base` on. `pair` is a pgbench expression of :n. */
const payScript = (
  { payment, initiatedBy, response, shared, own, payloads }: PaymentRowTexts,
  pair: string,
  perClient: number,
): string => {
  const [a, b, c, d] = payloads.map(bytesLiteral)
  const tx = (kind: string, account: string, { amount, version, balance }: Posting) =>
    `(md5('${kind}' || :n)::uuid, 'test', 'USD', '${kind}', md5('payment' || :n)::uuid, ${account}, ${amount}, 'posted', null, ${version}, ${version}, ${balance}, now(), now(), now(), '')`
  const payee = `md5('account' || md5('counterparty' || :p)::uuid)::uuid`
  const payer = `md5('account' || md5('issuer' || :p)::uuid)::uuid`
  return `
\\set k :k + 1
\\set n :base + :client_id * ${perClient} + :k
\\set p ${pair}
begin;
select id from documents where id = md5('pay' || :n)::uuid for no key update;
select max(posted) filter (where id = ${payer}) as payer_posted, max(version) filter (where id = ${payer}) + 1 as payer_version, max(posted) filter (where id = ${payee}) as payee_posted, max(version) filter (where id = ${payee}) + 1 as payee_version from (select * from ledger_account where id in (${payer}, ${payee}) order by id for no key update) a \\gset
select max(feed) filter (where organization_id = md5('issuer' || :p)::uuid) as ifeed, max(feed) filter (where organization_id = md5('counterparty' || :p)::uuid) as cfeed from (select * from organization_counters where organization_id in (md5('issuer' || :p)::uuid, md5('counterparty' || :p)::uuid) order by organization_id for no key update) h \\gset
insert into payments (id, mode, kind, document_id, connection_id, payer_id, payee_id, payer_position, payee_position, status, amount, currency, method, rail, payer_account, payee_account, out_tx, in_tx, settlement_reference, initiated_by, created_at, processing_at, settled_at, updated_at, seal) values (md5('payment' || :n)::uuid, 'test', 'document_payment', md5('pay' || :n)::uuid, md5('connection' || :p)::uuid, md5('issuer' || :p)::uuid, md5('counterparty' || :p)::uuid, :ifeed + 1, :cfeed + 1, 'settled', 53950, 'USD', 'ach', 'simulator', ${payer}, ${payee}, md5('payment_out' || :n)::uuid, md5('payment_in' || :n)::uuid, 'sim_01m7y6jqjjeg9r4ftp2ykxrr78', ${sqlLiteral(initiatedBy)}, now(), now(), now(), now(), '');
insert into ledger_tx (id, mode, currency, kind, payment_id, account_id, amount, status, reverses, opened_version, posted_version, running_balance, effective_at, created_at, resolved_at, seal) values ${tx('payment_out', payer, { amount: '-53950', version: ':payer_version', balance: ':payer_posted::bigint - 53950' })}, ${tx('payment_in', payee, { amount: '53950', version: ':payee_version', balance: ':payee_posted::bigint + 53950' })};
insert into ledger_entry values (md5('payment_out' || :n)::uuid, ${payer}, 'test', 'USD', 'debit', 53950), (md5('payment_out' || :n)::uuid, ${clearing}, 'test', 'USD', 'credit', 53950), (md5('payment_in' || :n)::uuid, ${clearing}, 'test', 'USD', 'debit', 53950), (md5('payment_in' || :n)::uuid, ${payee}, 'test', 'USD', 'credit', 53950);
update ledger_account set posted = posted - 53950, version = version + 1 where id = ${payer};
update ledger_account set posted = posted + 53950, version = version + 1 where id = ${payee};
insert into prov_event values (md5('pay' || :n)::uuid, now(), 4, ${commitmentsLiteral}, sha256(('doc' || :n)::bytea), sha256(('evt' || :n)::bytea), ${saltsLiteral}, ${bytesLiteral(shared)}, null, ${bytesLiteral(own)}, null);
insert into log_queue (log_id, document_id, seq, hash) values ('test', md5('pay' || :n)::uuid, 4, sha256(('doc' || :n)::bytea));
insert into events values (md5('counterparty' || :p)::uuid, :cfeed + 1, md5('e1' || :n)::uuid, md5('pay' || :n)::uuid, 4, 'payment.settled', now(), 4, ${a}, ''), (md5('counterparty' || :p)::uuid, :cfeed + 2, md5('e2' || :n)::uuid, md5('pay' || :n)::uuid, 5, 'document.status_changed', now(), 4, ${b}, ''), (md5('issuer' || :p)::uuid, :ifeed + 1, md5('e3' || :n)::uuid, md5('pay' || :n)::uuid, 3, 'payment.settled', now(), 4, ${c}, ''), (md5('issuer' || :p)::uuid, :ifeed + 2, md5('e4' || :n)::uuid, md5('pay' || :n)::uuid, 4, 'document.status_changed', now(), 4, ${d}, '');
update documents set status = 'paid', amount_paid = 53950, payment = ${sqlLiteral(payment)}, revision = 4, head_seq = 4, head_hash = sha256(('doc' || :n)::bytea), issuer_events = 5, counterparty_events = 4, updated_at = now() where id = md5('pay' || :n)::uuid;
update document_views set status = 'paid', updated_at = now() where organization_id = md5('counterparty' || :p)::uuid and position = 100000 + :n;
update document_views set status = 'paid', updated_at = now() where organization_id = md5('issuer' || :p)::uuid and position = 100000 + :n;
update organization_counters set feed = feed + 2, changed_at = now() where organization_id = md5('counterparty' || :p)::uuid;
update organization_counters set feed = feed + 2, changed_at = now() where organization_id = md5('issuer' || :p)::uuid;
insert into idempotency (organization_id, key_mac, fingerprint, status, body, is_encrypted, document_id, revision, etag, location, request_id, created_at, seal) values (md5('issuer' || :p)::uuid, sha256(('payreq' || :n)::bytea), sha256(('doc' || :n)::bytea), 200, ${bytesLiteral(response)}, false, md5('pay' || :n)::uuid, 4, '"4"', null, md5('req' || :n)::uuid, now(), '');
commit;
`
}
