/** The stored record of a document, as the rules about documents read it. */
import type { Rows } from '../../database/rows.ts'

/** The columns that a projection needs besides the content; of provenance, how much there is. */
type ProjectedColumn =
  | 'id'
  | 'connection_id'
  | 'issuer_id'
  | 'counterparty_id'
  | 'type'
  | 'status'
  | 'origin'
  | 'revision'
  | 'issuer_number'
  | 'counterparty_number'
  | 'due_date'
  | 'total'
  | 'amount_paid'
  | 'amount_credited'
  | 'derived_count'
  | 'metadata'
  | 'dispute'
  | 'payment'
  | 'finance'
  | 'issued_at'
  | 'created_at'
  | 'updated_at'
  | 'valid_until'
  | 'is_frozen'
  | 'party_profiles'
  | 'head_seq'
  | 'counterparty_events'

/** The stored record that both projections show; `payment` is JSON (core/payments). */
export type DocumentRecord = Pick<Rows['documents'], ProjectedColumn | 'content'>
