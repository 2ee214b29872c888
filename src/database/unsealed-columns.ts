/**
 * What seals leave out (row-seals.ts), and why a false value there decides nothing. A test compares
 * both lists with the database: a table is sealed, or it is named here.
 */
import type { Rows } from './rows.ts'

/** Whole tables. */
export const unsealedTables: Readonly<Partial<Record<keyof Rows | 'migrations', string>>> = {
  document_imports: 'finds documents, whose own rows say by which number',
  document_links: 'the references in the sealed content decide; both histories pin each link',
  document_views: 'finds documents, whose own rows are checked',
  head_note: 'signed by the notary',
  ledger_entry: 'compared with its sealed transaction wherever that is shown or verified',
  link_requests: 'asks for what anybody may ask for; the link goes to the address of its user',
  log_checkpoint: 'signed by the notary, with a MAC',
  log_key: 'compared with the keys that the notary holds',
  log_leaf: 'proven by the tree that the notary has signed',
  log_queue: 'the sequencer compares each row with the event that it names',
  log_refused: 'a liar can hide from operators that an event was refused, whose alarm was raised',
  log_tile: 'proven by the root that the notary has signed',
  migrations: 'compared with the checksums of the files',
  oidc_attempts: 'a MAC, which is worth nothing without the cookie of its browser',
  operator_actions: 'a liar can hide or invent what operators did',
  prov_event: 'has its own MAC, chain and proof',
  rail_events: 'saves work: an event that is applied again changes nothing',
  replaced_contents: 'completes the texts of events and responses, whose seals cover them whole',
  requests:
    'a liar can invent or hide a call, who made it, and what came of it; sealed events and the audit log say what was done',
  search_entries: 'finds documents, whose own rows are checked',
  search_progress: 'says how far the indexer is',
  sign_in_failures: 'whoever writes it gains guesses, or makes others wait for some minutes',
  server_keys: 'has MACs itself; what it archives is encrypted under the newest key',
  service_starts: 'compared with the starts that the machine remembers',
  webhook_attempt: 'a liar can change what a receiver seems to have answered, and when',
  webhook_delivery: 'says what to send when; the event is checked, and a ping has a known form',
}

/** Columns of sealed tables. */
export const unsealedColumns = {
  approvals: { last_state_at: 'a state that works again looks once more and changes nothing' },
  documents: {
    a_id: 'generated from the parties',
    b_id: 'generated from the parties',
    lapses_after: 'generated from status and valid_until, which the task that reads it checks',
    integrity_hold: 'set after a seal has failed, which it does without the hold as well',
  },
  events: { payload: 'the seal covers the text that it stands for' },
  idempotency: { body: 'the seal covers the text that it stands for' },
  keys: { last_used_at: 'a liar can make a key look used or unused; nothing else depends on it' },
  pending_files: {
    abandoned:
      'a liar can end an upload; a file is removed only once its history has been verified',
  },
  webhook_endpoints: {
    status: 'stops or resumes deliveries, which go to the sealed address and say what is true',
    disabled_reason: 'shown beside the status',
    consecutive_failures: 'leads to the status',
    last_success_at: 'a liar can make deliveries look as if they had succeeded',
    last_failure_at: 'a liar can make deliveries look as if they had failed',
    cursor: 'work of the delivery worker: deliveries are missing or repeated, never false',
    next_due_at: 'work of the delivery worker',
    lease_owner: 'work of the delivery worker',
    lease_until: 'work of the delivery worker',
  },
} as const satisfies { [T in keyof Rows]?: { [C in keyof Rows[T]]?: string } }
