/**
 * The limit of an acceptance: pgbench writes the rows of one that the service has made, again and
 * again, with ids, numbers and positions of its own, as a classic transaction.
 */
import { decodeId } from '../src/core/ids.ts'
import { columns } from '../src/database/columns.ts'
import { type Connection, raw, sql } from '../src/database/sql.ts'
import { columnArray } from '../src/database/binary-arrays.ts'
import { bytesLiteral, sqlLiteral } from './pgbench.ts'
import { pairs } from './seed.ts'

/**
 * Numbers the offers from 1 on for pgbench, which looks them up by these numbers. What it writes
 * has no seals, so that its loans are those of the pairs that have no keys.
 */
export const listOpenOffers = async (db: Connection, offers: readonly string[]): Promise<void> => {
  const ids = columnArray(
    'uuid',
    offers.map((id) => decodeId('ofr', id)!),
  )
  await db.script(`create table if not exists bench_offers (n integer primary key, offer uuid,
    listing uuid, invoice uuid, issuer uuid, debtor uuid, position bigint, connection uuid,
    borrower uuid, lender uuid)`)
  await db.run(sql`
    insert into bench_offers
    select u.n, o.id, o.listing_id, o.document_id, o.borrower_id, o.lender_id, d.issuer_position,
      md5('connection' || p + ${pairs})::uuid, md5('counterparty' || p + ${pairs})::uuid,
      md5('issuer' || p + ${pairs})::uuid
    from unnest(${ids}::uuid[]) with ordinality u (id, n)
    join finance_offers o on o.id = u.id join documents d on d.id = o.document_id
    join generate_series(1, ${pairs}::int) p on md5('connection' || p)::uuid = o.connection_id`)
  await db.script('analyze bench_offers')
}

type Row = Record<string, string | null>
type Table = keyof typeof columns

const generated = ['a_id', 'b_id', 'lapses_after']

/** The rows as PostgreSQL prints them. */
const printed = (db: Connection, table: Table, column: string, ids: string[]): Promise<Row[]> => {
  const all = columnArray('uuid', ids)
  return db.rows(
    sql`select ${raw(printedNames(table))} from ${raw(table)} where ${raw(column)} = any(${all})`,
  )
}

interface Accepted {
  agreement: { id: string; pledged_document_id: string }
  documents: Record<'agreement' | 'disbursement' | 'repayment', { id: string }>
}

const newUuid = (name: string): string => `md5('accepted ${name} ' || :n)::uuid`

/** What the service has written, and how pgbench names it. */
interface Sample {
  borrower: string
  lender: string
  invoice: string
  /** The three documents. */
  created: string[]
  loan: Row
  events: Row[]
  /** What pgbench puts in the place of each id. */
  names: ReadonlyMap<string, string>
}

const sampleOf = async (db: Connection, { agreement, documents }: Accepted): Promise<Sample> => {
  const invoice = decodeId('doc', agreement.pledged_document_id)!
  const created = Object.values(documents).map(({ id }) => decodeId('doc', id)!)
  const id = decodeId('agr', agreement.id)!
  const [row] = await printed(db, 'finance_agreements', 'id', [id])
  const loan = row as Record<string, string>
  const [borrower, lender] = [loan['borrower_id']!, loan['lender_id']!]
  const events = await printed(db, 'events', 'document_id', [...created, invoice])
  return {
    borrower,
    lender,
    invoice,
    created,
    loan,
    events: events.filter((one) => one['document_id'] !== invoice || one['type'] === edited),
    names: new Map<string, string>([
      ...created.map((one, i): [string, string] => [one, newUuid(`document${i}`)]),
      [id, newUuid('agreement')],
      [invoice, ':invoice'],
      [loan['offer_id']!, ':offer'],
      [loan['listing_id']!, ':listing'],
      [loan['connection_id']!, ':connection'],
      [borrower, ':borrower'],
      [lender, ':lender'],
      [loan['settlement_account']!, `md5('account' || :borrower)::uuid`],
      [loan['funding_account']!, `md5('funding' || :lender)::uuid`],
    ]),
  }
}

const edited = 'document.edited'

const feedsOf = ({ events }: Sample, organization: string): number[] =>
  events.filter((one) => one['organization_id'] === organization).map((one) => Number(one['feed']))

/** A position in the feed of an organization, counted from where it stands for pgbench. */
const positionIn = (sample: Sample, organization: string, value: string): string => {
  const feed = organization === sample.borrower ? ':bfeed' : ':lfeed'
  return `${feed} + ${1 + Number(value) - Math.min(...feedsOf(sample, organization))}`
}

const positions: Readonly<Record<string, string>> = {
  position: 'organization_id',
  feed: 'organization_id',
  issuer_position: 'issuer_id',
  counterparty_position: 'counterparty_id',
}

const valueOf = (sample: Sample, table: Table, row: Row, name: string): string => {
  const value = row[name]!
  if (value === null) return 'null'
  const type = (columns[table] as Record<string, string>)[name]!.replace('?', '')
  if (type === 'timestamptz') return 'now()'
  const owner = positions[name]
  if (owner !== undefined) return positionIn(sample, row[owner]!, value)
  if (name === 'fingerprint' && table === 'finance_pledges') return newFingerprint
  if (/^(issuer_|counterparty_)?number$/.test(name)) return `'${row['type']}-' || :n`
  if (name === 'key_mac') return `sha256(('acceptance' || :n)::bytea)`
  const known = sample.names.get(value)
  if (known !== undefined) return known
  if (type === 'uuid') return newUuid(`${table}${value.slice(-6)}`)
  return type === 'bytea' ? bytesLiteral(Buffer.from(value.slice(2), 'hex')) : sqlLiteral(value)
}

const newFingerprint = `encode(sha256(('pledge' || :n)::bytea), 'hex')`

const insertOf = (sample: Sample, table: Table, rows: readonly Row[]): string => {
  const names = Object.keys(rows[0]!)
  const values = rows.map(
    (row) => `(${names.map((name) => valueOf(sample, table, row, name)).join(', ')})`,
  )
  return `insert into ${table} (${names.join(', ')}) values ${values.join(', ')};`
}

const insertsOf = async (db: Connection, sample: Sample): Promise<string> => {
  const { created, invoice, loan } = sample
  const changed = [...created, invoice]
  const tables: [Table, Row[]][] = [
    ['documents', await printed(db, 'documents', 'id', created)],
    ['document_links', await printed(db, 'document_links', 'to_id', created)],
    ['document_views', await printed(db, 'document_views', 'document_id', created)],
    ['prov_event', await printed(db, 'prov_event', 'document_id', changed)],
    ['log_queue', await printed(db, 'log_queue', 'document_id', changed)],
    ['events', sample.events],
    ['finance_agreements', [loan]],
    ['finance_pledges', await printed(db, 'finance_pledges', 'agreement_id', [loan['id']!])],
  ]
  return tables.map(([table, rows]) => insertOf(sample, table, rows)).join('\n')
}

/** The parameters are `base` and `k` of pgbench; each client has offers of its own. */
export const acceptanceScript = async (
  db: Connection,
  accepted: Accepted,
  perClient: number,
): Promise<string> => {
  const sample = await sampleOf(db, accepted)
  const { borrower, lender, invoice } = sample
  const [pledged] = await printed(db, 'documents', 'id', [invoice])
  const responses = await db.rows<Row>(sql`
    select ${raw(printedNames('idempotency'))} from idempotency
    where location = ${`/v1/finance/agreements/${accepted.agreement.id}`}`)
  const told = (organization: string) => feedsOf(sample, organization).length
  return `
\\set k :k + 1
\\set n :base + :client_id * ${perClient} + :k
select * from bench_offers where n = :n \\gset
begin;
select id from documents where id = :invoice for no key update;
select * from finance_listings where id = :listing for update;
select * from finance_offers where listing_id = :listing and status = 'open' for update;
select * from finance_setups where organization_id in (:borrower, :lender);
select max(feed) filter (where organization_id = :borrower) as bfeed, max(feed) filter (where organization_id = :lender) as lfeed from (select * from organization_counters where organization_id in (:borrower, :lender) order by organization_id for no key update) h \\gset
select id from finance_pledges where mode = 'test' and fingerprint = ${newFingerprint} and is_active;
${await insertsOf(db, sample)}
update documents set finance = ${sqlLiteral(pledged!['finance']!)}, revision = revision + 1, head_seq = 1, head_hash = sha256(('doc' || :n)::bytea), issuer_events = issuer_events + 1, updated_at = now() where id = :invoice;
update document_views set updated_at = now() where organization_id = :issuer and position = :position;
update document_views set updated_at = now() where organization_id = :debtor and position = :position;
update finance_listings set status = 'matched', updated_at = now() where id = :listing;
update finance_offers set status = 'accepted', updated_at = now() where id = :offer;
update organization_counters set feed = feed + ${told(borrower)}, changed_at = now() where organization_id = :borrower;
update organization_counters set feed = feed + ${told(lender)}, changed_at = now() where organization_id = :lender;
${insertOf(sample, 'idempotency', responses)}
commit;
`
}

const printedNames = (table: Table): string =>
  namesOf(table)
    .map((name) => `${name}::text`)
    .join(', ')

const namesOf = (table: Table): string[] =>
  Object.keys(columns[table]).filter(
    (name) => !generated.includes(name) && !(table === 'log_queue' && name === 'id'),
  )
