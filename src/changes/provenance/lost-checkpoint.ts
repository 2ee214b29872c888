/** Whether the database has lost what was signed, as after the restore of a backup. */
import { type LogId, logIds } from '../../core/provenance/signed-notes.ts'
import type { Queryable } from '../../database/sql.ts'
import type { Notary } from '../../notary/notary.ts'
import { leafCount, newestCheckpoint } from '../../store/provenance/transparency-log.ts'

/** The first log of which the database lacks a published checkpoint, or leaves that were signed. */
export const rolledBackLog = async (db: Queryable, notary: Notary): Promise<LogId | undefined> => {
  for (const id of logIds) {
    // Read before the database, which therefore has everything that was published until then.
    const signed = await notary.cachedCheckpoint(id)
    if (signed === undefined) continue
    const [newest, leaves] = await Promise.all([newestCheckpoint(db, id), leafCount(db, id)])
    const size = Number(newest?.size ?? -1n)
    const isUnpublished = !signed.isPublished && size === signed.previousSize
    if (leaves < signed.size || (size < signed.size && !isUnpublished)) return id
  }
  return undefined
}
