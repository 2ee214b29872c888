/**
 * Who may see and change a document: its issuer, the counterparty once it is issued, and neither of
 * them after resetting its sandbox (docs/decisions/0046).
 */
import type { Side } from '../../contract/document-types.ts'
import { type Refusal, notFound, refuse } from '../../contract/errors.ts'
import { etagOf, matchesStrongly } from '../../core/etag.ts'
import { encodeId } from '../../core/ids.ts'
import { visibleSideOf } from '../../core/documents/document-visibility.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { ActingCaller, DocumentRow } from '../change-context.ts'
import { haveSameOwner, isolationRefusal } from '../identity/sandbox-isolation.ts'

export const bothSides: readonly Side[] = ['issuer', 'counterparty']

/** Like `visibleDocument`, but also refuses a frozen document. */
export const documentForWrite = (
  unit: UnitOfWork,
  caller: ActingCaller,
  organization: string,
  id: string,
): { document: DocumentRow; side: Side } => {
  const visible = visibleDocument(unit, caller, organization, id)
  if (visible.document.is_frozen) throw frozen()
  return visible
}

/** The document and the caller's side; refuses a missing, isolated, changed or held document. */
export const visibleDocument = (
  unit: UnitOfWork,
  caller: ActingCaller,
  organization: string,
  id: string,
): { document: DocumentRow; side: Side } => {
  const document = unit.get('documents', id)
  const encodedId = encodeId('doc', id)
  if (document === undefined) throw notFound('document', encodedId)
  const side = visibleSide(unit, document, organization)
  if (side === undefined) {
    if (isOwnInOtherMode(unit, document, organization)) throw isolationRefusal()
    throw notFound('document', encodedId)
  }
  if (caller.ifMatch !== undefined && !matchesStrongly(caller.ifMatch, etagOf(document))) {
    throw refuse(
      'precondition_failed',
      'The document has changed since that revision: read it again, and send its ETag as If-Match.',
      { current_revision: document.revision },
    )
  }
  if (document.integrity_hold) throw onHold('The document')
  return { document, side }
}

export const frozen = (): Refusal =>
  refuse('conflict', 'The other party has reset its sandbox: this document can only be read.', {
    reason: 'connection_not_active',
  })

/** The side from which an organization sees the document; undefined when it does not. */
export const visibleSide = (
  unit: UnitOfWork,
  document: DocumentRow,
  id: string,
): Side | undefined =>
  visibleSideOf(document, {
    id,
    resetPosition: unit.get('organizations', id)?.reset_position ?? 0n,
  })

/** The sides that see the document. */
export const viewersOf = (unit: UnitOfWork, document: DocumentRow): Side[] =>
  bothSides.filter((side) => visibleSide(unit, document, document[`${side}_id`]) === side)

export const onHold = (what: string): Refusal =>
  refuse('conflict', `${what} is on hold: its record does not match its proofs.`, {
    reason: 'integrity_hold',
  })

/** Whether the same owner's organization in the other mode sees the document (contract 11). */
export const isOwnInOtherMode = (
  unit: UnitOfWork,
  document: DocumentRow,
  organization: string,
): boolean =>
  [document.issuer_id, document.counterparty_id].some(
    (party) =>
      visibleSide(unit, document, party) !== undefined && haveSameOwner(unit, party, organization),
  )
