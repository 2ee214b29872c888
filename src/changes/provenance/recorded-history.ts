/** The history of a document, for reads that show a part of it beside the document itself. */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import {
  type VerifiedHistory,
  verifyHistory,
  writtenBy,
} from '../../core/provenance/history-verification.ts'
import { inTurns } from '../../database/in-turns.ts'
import type { Queryable } from '../../database/sql.ts'
import { recordedEvents } from '../../store/provenance/stored-record.ts'

export interface HistoryDependencies {
  keyring: { history: HistoryKeys | null }
}

/** Verified by itself: its place in the log is not. */
export const recordedHistory = async (
  db: Queryable,
  { keyring }: HistoryDependencies,
  document: string,
): Promise<VerifiedHistory> => {
  const { streamSalt, log, events, leaves } = await recordedEvents(db, document)
  const isOurs = writtenBy(keyring.history!, log, leaves)
  const stream = { id: document, stream_salt: streamSalt }
  return inTurns(verifyHistory(stream, events, isOurs))
}
