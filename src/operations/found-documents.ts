/** Documents that were looked up by id, before it is known whether the caller may see them. */
import { isPartyInHistory } from '../core/provenance/history-entries.ts'
import type { Call } from '../context.ts'
import {
  type FoundDocument,
  type LoadedDocument,
  hasBrokenSeal,
} from '../store/documents/documents.ts'
import { eventBodies } from '../store/provenance/stored-record.ts'

/**
 * The document, or undefined if there is none for the caller. A row with a broken seal cannot say
 * whose it is; its history can, so its parties get the alarm and anybody else learns nothing.
 */
export const trustedDocument = async (
  { organization, read }: Pick<Call, 'organization' | 'read'>,
  found: FoundDocument,
): Promise<LoadedDocument | undefined> => {
  if (!hasBrokenSeal(found)) return found
  if (isPartyInHistory(await eventBodies(read, found.id), organization.id)) throw found
  return undefined
}
