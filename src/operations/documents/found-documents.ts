/** Documents that were looked up by id, before it is known whether the caller may see them. */
import { isPartyInHistory } from '../../core/provenance/history-entries.ts'
import type { Call, Context } from '../../context.ts'
import type { Side } from '../../contract/document-types.ts'
import { notFoundOrIsolated } from '../../changes/identity/sandbox-isolation.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import { decodeId } from '../../core/ids.ts'
import type { IsAbandoned } from '../../database/batch-loader.ts'
import {
  type FoundDocument,
  type LoadedDocument,
  hasBrokenSeal,
} from '../../store/documents/documents.ts'
import { eventBodies } from '../../store/provenance/stored-record.ts'
import { uuidOrNotFound } from '../path-ids.ts'

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

/** The uuid of the document; refused unless the caller can see it. */
export const visibleDocumentId = async (
  call: Pick<Call, 'context' | 'organization' | 'read'>,
  publicId: string,
): Promise<string> => {
  const id = uuidOrNotFound('doc', publicId)
  const { organization } = call
  const document = await trustedDocument(call, await call.context.documentById(id))
  if (document !== undefined && visibleSideOf(document, organization) !== undefined) return id
  throw await notFoundOrIsolated(call.read, organization.id, 'doc', publicId)
}

/** Reads the document in the path before it is known whether the caller can see it. */
export const prefetchDocument = async (
  context: Context,
  { id }: { id: string },
  isAbandoned: IsAbandoned,
): Promise<FoundDocument> => {
  const uuid = decodeId('doc', id)
  return uuid === undefined ? undefined : context.documentById(uuid, isAbandoned)
}

/** The document in the path and the caller's side, unless the caller cannot see it. */
export const documentInPath = async (
  call: Call,
  publicId: string,
  found: FoundDocument,
): Promise<{ document: LoadedDocument; side: Side }> => {
  const document = await trustedDocument(call, found)
  const side = document === undefined ? undefined : visibleSideOf(document, call.organization)
  if (document !== undefined && side !== undefined) return { document, side }
  throw await notFoundOrIsolated(call.read, call.organization.id, 'doc', publicId)
}
