/** Documents that were looked up by id, before it is known whether the caller may see them. */
import { isPartyInHistory } from '../../core/provenance/history-entries.ts'
import type { Call, Context } from '../../context.ts'
import type { Side } from '../../contract/document-types.ts'
import type { Refusal } from '../../contract/errors.ts'
import { notFoundOrIsolated } from '../../changes/identity/sandbox-isolation.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import { decodeId } from '../../core/ids.ts'
import type { IsAbandoned } from '../../database/batch-loader.ts'
import {
  type FoundDocument,
  hasBrokenSeal,
  isVisibleTo,
  lostDocument,
} from '../../store/documents/documents.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { eventBodies } from '../../store/provenance/stored-record.ts'
import { uuidOrNotFound } from '../path-ids.ts'

type DocumentCall = Pick<Call, 'context' | 'organization' | 'read'>

/** The document of this id, or undefined if there is none for the caller. */
export const documentOf = async (
  call: DocumentCall,
  id: string,
): Promise<LoadedDocument | undefined> =>
  trustedDocument(call, id, await call.context.documentById(id))

/**
 * The document that was found of this id. One whose row is false or gone cannot say whose it is;
 * its history can, so its parties get the alarm and anybody else learns nothing.
 */
const trustedDocument = async (
  call: DocumentCall,
  id: string,
  found: FoundDocument,
): Promise<LoadedDocument | undefined> => {
  if (found !== undefined && !hasBrokenSeal(found)) return found
  const events = await eventBodies(call.read, id)
  const { organization } = call
  if (found !== undefined) {
    // Without a history, the row says it, which then can only lead to an alarm.
    const isParty =
      events.length > 0
        ? isPartyInHistory(events, organization.id)
        : await isVisibleTo(call.read, organization.id, id)
    if (isParty) throw found
    return undefined
  }
  if (!isPartyInHistory(events, organization.id)) return undefined
  // Perhaps it was made between the two statements.
  const made = await call.context.documentById(id)
  if (made === undefined) throw lostDocument(id)
  if (hasBrokenSeal(made)) throw made
  return made
}

/** Throws BrokenSeal if a document that a write has not found is one of the caller's. */
export const checkWasNeverThere = async (call: DocumentCall, refusal: Refusal): Promise<void> => {
  const { resource, id: publicId } = refusal.details ?? {}
  if (resource !== 'document') return
  const id = decodeId('doc', publicId as string)
  if (id !== undefined) await documentOf(call, id)
}

/** The uuid of the document; refused unless the caller can see it. */
export const visibleDocumentId = async (call: DocumentCall, publicId: string): Promise<string> => {
  const id = uuidOrNotFound('doc', publicId)
  const { organization } = call
  const document = await documentOf(call, id)
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
  const id = decodeId('doc', publicId)
  const document = id === undefined ? undefined : await trustedDocument(call, id, found)
  const side = document === undefined ? undefined : visibleSideOf(document, call.organization)
  if (document !== undefined && side !== undefined) return { document, side }
  throw await notFoundOrIsolated(call.read, call.organization.id, 'doc', publicId)
}
