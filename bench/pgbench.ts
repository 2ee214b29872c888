/**
 * Measures the raw limit: pgbench writes and reads the same rows in the same tables and indexes,
 * with one prepared statement per round trip, the classic way of writing such a service.
 */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { pairs, readableDocuments } from './seed.ts'

/** Texts of rows that the service has written, as they are stored. */
export interface RowTexts {
  content: string
  response: Buffer
  payload: Buffer
  /** The text that the payload stands for. */
  envelope: string
  history: Buffer
}

/** A space after each colon keeps pgbench from reading `:word` as a variable; JSON allows it. */
export const sqlLiteral = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(/:(?=\w)/g, ': ')}'`

export const bytesLiteral = (bytes: Buffer): string => `'\\x${bytes.toString('hex')}'`

export const commitmentsLiteral = bytesLiteral(Buffer.alloc(16))
export const saltsLiteral = bytesLiteral(Buffer.alloc(16, 0x5a))

/** Writes the rows of one POST /v1/documents. */
export const createScript = ({ content, response, payload, history }: RowTexts): string => `
\\set p random(${pairs + 1}, ${2 * pairs})
\\set r random(1, 9000000000000000000)
begin;
select feed + 1 as feed from organization_counters where organization_id = md5('issuer' || :p::int)::uuid for no key update \\gset
insert into documents (id, mode, connection_id, issuer_id, counterparty_id, type, status, origin, revision, issuer_number, currency, document_date, document_date_given, due_date, terms_form, total, amount_paid, amount_credited, content, metadata, issuer_events, counterparty_events, issuer_position, stream_salt, head_seq, head_hash, integrity_hold, created_at, updated_at, seal) values (md5('doc' || :r::bigint)::uuid, 'test', md5('connection' || :p::int)::uuid, md5('issuer' || :p::int)::uuid, md5('counterparty' || :p::int)::uuid, 'invoice', 'draft', 'api', 1, 'PGB-' || :feed::bigint, 'USD', '2026-11-21', false, '2026-12-21', 'text', 53950, 0, 0, ${sqlLiteral(content)}, '{}', 1, 0, :feed, '\\x00112233445566778899aabbccddeeff', 1, sha256(('doc' || :r::bigint)::bytea), false, now(), now(), '');
insert into document_views (organization_id, position, document_id, side, number, type, status, connection_id, document_date, updated_at, currency, due_date) values (md5('issuer' || :p::int)::uuid, :feed, md5('doc' || :r::bigint)::uuid, 'issuer', 'PGB-' || :feed::bigint, 'invoice', 'draft', md5('connection' || :p::int)::uuid, '2026-11-21', now(), 'USD', '2026-12-21');
insert into prov_event values (md5('doc' || :r::bigint)::uuid, now(), 1, ${commitmentsLiteral}, sha256(('doc' || :r::bigint)::bytea), sha256(('evt' || :r::bigint)::bytea), ${saltsLiteral}, null, ${bytesLiteral(history)}, null, null);
insert into log_queue (log_id, document_id, seq, hash) values ('test', md5('doc' || :r::bigint)::uuid, 1, sha256(('doc' || :r::bigint)::bytea));
insert into events values (md5('issuer' || :p::int)::uuid, :feed, md5('evt' || :r::bigint)::uuid, md5('doc' || :r::bigint)::uuid, 1, 'document.created', now(), 1, ${bytesLiteral(payload)}, '');
update organization_counters set feed = :feed, changed_at = now(), numbers = jsonb_build_object('INV', :feed::bigint)::text where organization_id = md5('issuer' || :p::int)::uuid;
insert into idempotency (organization_id, key_mac, fingerprint, status, body, is_encrypted, document_id, revision, etag, location, request_id, created_at, seal) values (md5('issuer' || :p::int)::uuid, sha256(('req' || :r::bigint)::bytea), sha256(('doc' || :r::bigint)::bytea), 201, ${bytesLiteral(response)}, false, md5('doc' || :r::bigint)::uuid, 1, '"1"', '/v1/documents/doc_01m7y6jqjjeg9r4ftp2ykxrr78', md5('req' || :r::bigint)::uuid, now(), '');
commit;
`

const documentColumns =
  'd.id, d.connection_id, d.issuer_id, d.counterparty_id, d.type, d.status, d.origin, d.revision, d.issuer_number, d.counterparty_number, d.due_date, d.total, d.amount_paid, d.amount_credited, d.content, d.metadata, d.dispute, d.issued_at, d.created_at, d.updated_at'

export const getScript = `
\\set n random(1, ${readableDocuments})
select ${documentColumns} from documents d where id = md5('document' || :n::int)::uuid;
`

export const listScript = `
\\set p random(1, ${pairs})
select v.position, ${documentColumns} from (select v.position, v.document_id from document_views v where v.organization_id = md5('issuer' || :p::int)::uuid order by v.position desc limit 21) v join documents d on d.id = v.document_id order by v.position desc;
`

export interface PgbenchResult {
  perSecond: number
  latencyMs: number
}

/** A run ends after a time, or after a number of transactions, where each needs rows of its own. */
type PgbenchRun = { clients: number; set?: readonly string[] } & (
  | { seconds: number }
  | { transactionsPerClient: number }
)

export const pgbench = async (
  url: string,
  script: string,
  { clients, set = [], ...length }: PgbenchRun,
): Promise<PgbenchResult> => {
  const file = join(temporaryFolder(), 'script.sql')
  await writeFile(file, script)
  const output = await outputOf('pgbench', [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-j',
    String(Math.min(clients, 2)),
    ...set.flatMap((variable) => ['-D', variable]),
    ...('seconds' in length
      ? ['-T', String(length.seconds)]
      : ['-t', String(length.transactionsPerClient)]),
    '-f',
    file,
    url,
  ])
  const failedCount = /number of failed transactions: (\d+)/.exec(output)?.[1]
  if (failedCount !== undefined && failedCount !== '0')
    throw new Error(`pgbench: ${failedCount} transactions failed`)
  return {
    perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1]),
    latencyMs: Number(/latency average = ([\d.]+) ms/.exec(output)?.[1]),
  }
}

const outputOf = (command: string, args: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('error', (error) =>
      reject(new Error(`${command} is required (Debian: postgresql-contrib): ${error.message}`)),
    )
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(errors))))
  })
