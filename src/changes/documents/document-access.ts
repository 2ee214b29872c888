/**
 * Who sees a document, and who may still do something with it: a party of it, once it is issued,
 * and nobody who has started its sandbox over since (docs/decisions/0075).
 */
import type { Side } from '../../contract/document-types.ts'
import { notFound, refuse } from '../../contract/errors.ts'
import { etagOf, matchesStrongly } from '../../core/etag.ts'
import { encodeId } from '../../core/ids.ts'
import * as project from '../../core/documents/projection.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { Caller } from '../acting-caller.ts'
import { haveOneOwner, isolated } from '../identity/sandbox-isolation.ts'

type Document = Rows['documents']

const bothSides: readonly Side[] = ['issuer', 'counterparty']

/** The document that the caller's side is to change: refused also when it is over. */
export const documentFor = (
  world: World,
  caller: Caller,
  organization: string,
  id: string,
): { document: Document; side: Side } => {
  const seen = documentSeen(world, caller, organization, id)
  if (isOver(world, seen.document)) throw over()
  return seen
}

/** The document as the caller's side sees it; refused as missing, isolated or changed meanwhile. */
export const documentSeen = (
  world: World,
  caller: Caller,
  organization: string,
  id: string,
): { document: Document; side: Side } => {
  const document = world.get('documents', id)
  const shownId = encodeId('doc', id)
  if (document === undefined) throw notFound('document', shownId)
  const side = sideSeen(world, document, organization)
  if (side === undefined) {
    if (isOwnInOtherMode(world, document, organization)) throw isolated()
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

export const over = (): Error =>
  refuse(
    'conflict',
    'The other side has started its sandbox over: this document can be read, and nothing else.',
    { reason: 'connection_not_active' },
  )

/** The side on which an organization sees the document, as the world knows the organization. */
export const sideSeen = (world: World, document: Document, id: string): Side | undefined =>
  project.sideSeen(document, { id, resetPosition: resetPositionOf(world, id) })

/** A party has begun anew since it saw the document: nothing happens to it any more. */
export const isOver = (world: World, document: Document): boolean =>
  bothSides.some((side) => isBehindReset(world, document, side))

const isBehindReset = (world: World, document: Document, side: Side): boolean =>
  project.isBefore(document[`${side}_position`], resetPositionOf(world, document[`${side}_id`]))

const resetPositionOf = (world: World, organization: string): bigint =>
  world.get('organizations', organization)?.reset_position ?? 0n

export const onHold = (what: string): Error =>
  refuse('conflict', `${what} is on hold: its record does not match its proofs.`, {
    reason: 'integrity_hold',
  })

/** One owner's sandbox and live organization, never anyone else's (contract 11). */
const isOwnInOtherMode = (world: World, document: Document, organization: string): boolean =>
  [document.issuer_id, document.counterparty_id].some(
    (party) =>
      sideSeen(world, document, party) !== undefined && haveOneOwner(world, party, organization),
  )
