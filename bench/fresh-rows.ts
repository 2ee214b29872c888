/** Empties the tables of the benchmark, and seeds them again. */
import type { Connection } from '../src/database/sql.ts'
import { resetLogKeys } from './bench-server.ts'
import type { RowTexts } from './pgbench.ts'
import { seed } from './seed.ts'

/** The keys of the issuers, by pair. */
export const freshKeys = async (db: Connection, { content }: RowTexts): Promise<string[]> => {
  await truncateAll(db)
  return (await seed(db, content)).keys
}

/** Disables the triggers of the append-only tables, which takes a superuser. */
export const truncateAll = async (db: Connection): Promise<void> => {
  resetLogKeys()
  await db.script(`set session_replication_role = replica;
    truncate documents, document_links, document_views, search_entries, search_progress, prov_event,
      log_queue, log_leaf, log_tile, log_checkpoint, log_key, head_note, events, idempotency cascade;
    truncate keys, connections, organization_counters, organizations, users cascade;
    reset session_replication_role`)
}
