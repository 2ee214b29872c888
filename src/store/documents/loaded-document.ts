/** A document as it is read: packed, as PostgreSQL returns it, and loaded. */
import type { DocumentRecord } from '../../core/documents/document-record.ts'
import type { FeedPositions } from '../../core/documents/document-visibility.ts'
import type { Viewer } from '../../core/documents/projection.ts'
import type { Rows } from '../../database/rows.ts'

export interface PackedDocument {
  packed: string
  content: string
  connection: string | null
}

/** A document as readers need it. Nobody has checked yet who may see it. */
export interface LoadedDocument
  extends DocumentRecord, FeedPositions, DraftColumns, ComparedColumns {
  /** Undefined unless the document is a draft. */
  connectionStatus: string | undefined
  /** How far the issuer's clock is ahead; undefined unless the document is an open offer. */
  issuerClockSeconds: bigint | undefined
  lastShown: LastShown
}

/** What a reader was shown last, if it is kept (operations/documents/shown-texts.ts). */
export interface LastShown {
  isShown: boolean
  viewer: Viewer | undefined
  text: string | undefined
}

/** What else decides whether a draft can be issued. */
type DraftColumns = Pick<
  Rows['documents'],
  'document_date_given' | 'valid_until_given' | 'terms_form' | 'integrity_hold'
>

/** What an import is compared with besides. */
type ComparedColumns = Pick<Rows['documents'], 'document_date'>
