/**
 * Who sees a document, and who may still do something with it: a party of it, once it is issued,
 * and nobody who has started its sandbox over since (docs/decisions/0018).
 */
import type { Side } from '../../contract/document-types.ts'
import { notFound, refuse } from '../../contract/errors.ts'
import { etagOf, matchesStrongly } from '../../core/etag.ts'
import { encodeId } from '../../core/ids.ts'
import * as project from '../../core/documents/projection.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { ActingCaller } from '../change-context.ts'
import { haveSameOwner, isolationRefusal } from '../identity/sandbox-isolation.ts'

type Document = Rows['documents']

const bothSides: readonly Side[] = ['issuer', 'counterparty']

/** The document that the caller's side is to change: refused also when it is over. */
export const documentForWrite = (
  unit: UnitOfWork,
  caller: ActingCaller,
  organization: string,
  id: string,
): { document: Document; side: Side } => {
  const seen = visibleDocument(unit, caller, organization, id)
  if (isFrozen(unit, seen.document)) throw frozen()
  return seen
}

/** The document as the caller's side sees it; refused as missing, isolated or changed meanwhile. */
export const visibleDocument = (
  unit: UnitOfWork,
  caller: ActingCaller,
  organization: string,
  id: string,
): { document: Document; side: Side } => {
  const document = unit.get('documents', id)
  const shownId = encodeId('doc', id)
  if (document === undefined) throw notFound('document', shownId)
  const side = visibleSide(unit, document, organization)
  if (side === undefined) {
    if (isOwnInOtherMode(unit, document, organization)) throw isolationRefusal()
    throw notFound('document', shownId)
  }
  if (caller.ifMatch !== undefined && !matchesStrongly(caller.ifMatch, etagOf(document))) {
    throw refuse('precondition_failed', 'The document has changed since that revision.', {
      current_revision: document.revision,
    })
  }
  if (document.integrity_hold) throw onHold('The document')
  return { document, side }
}

export const frozen = (): Error =>
  refuse(
    'conflict',
    'The other side has started its sandbox over: this document can be read, and nothing else.',
    { reason: 'connection_not_active' },
  )

/** The side on which an organization sees the document, as the world knows the organization. */
export const visibleSide = (unit: UnitOfWork, document: Document, id: string): Side | undefined =>
  project.visibleSideOf(document, { id, resetPosition: resetPositionOf(unit, id) })

/** A party has begun anew since it saw the document: nothing happens to it any more. */
export const isFrozen = (unit: UnitOfWork, document: Document): boolean =>
  bothSides.some((side) => isBeforeReset(unit, document, side))

const isBeforeReset = (unit: UnitOfWork, document: Document, side: Side): boolean =>
  project.isBeforeReset(document[`${side}_position`], resetPositionOf(unit, document[`${side}_id`]))

const resetPositionOf = (unit: UnitOfWork, organization: string): bigint =>
  unit.get('organizations', organization)?.reset_position ?? 0n

export const onHold = (what: string): Error =>
  refuse('conflict', `${what} is on hold: its record does not match its proofs.`, {
    reason: 'integrity_hold',
  })

/** One owner's sandbox and live organization, never anyone else's (contract 11). */
const isOwnInOtherMode = (unit: UnitOfWork, document: Document, organization: string): boolean =>
  [document.issuer_id, document.counterparty_id].some(
    (party) =>
      visibleSide(unit, document, party) !== undefined && haveSameOwner(unit, party, organization),
  )
