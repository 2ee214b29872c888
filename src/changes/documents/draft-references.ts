/** The records that a draft names: its connection and the documents it refers to. */
import { type Refusal, notFound, refuse } from '../../contract/errors.ts'
import type { DocumentReference } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentLinks } from '../../engine/working-set.ts'
import { haveSameOwner, isolationRefusal } from '../identity/sandbox-isolation.ts'
import { isOwnInOtherMode, visibleSide } from './document-access.ts'

/** Checked at creation and again at issue, when the document becomes new to the counterparty. */
export const checkConnectionActive = (status: string): void => {
  const obstacle = connectionObstacle(status)
  if (obstacle !== undefined) throw obstacle
}

export const connectionObstacle = (status: string): Refusal | undefined => {
  if (status === 'active') return undefined
  const remedy =
    status === 'invited'
      ? 'It has to be accepted first.'
      : 'Create the document on an active connection; POST /v1/connections proposes a new one.'
  return refuse('conflict', `The connection is ${status}: it takes no new documents. ${remedy}`, {
    reason: 'connection_not_active',
  })
}

/** The connection and the other party; to anyone but a party the connection does not exist. */
export const connectionForDraft = (unit: UnitOfWork, organization: string, id: string) => {
  const connection = unit.get('connections', decodeId('con', id) ?? '')
  const missing = () => notFound('connection', id, '/connection_id')
  if (connection === undefined) throw missing()
  const parties = [connection.a_id, connection.b_id]
  const caller = unit.get('organizations', organization)
  const isOpen = ['invited', 'active'].includes(connection.status)
  if (!isOpen && caller?.reset_at != null && connection.updated_at <= caller.reset_at) {
    throw missing()
  }
  if (!parties.includes(organization)) {
    if (parties.some((party) => haveSameOwner(unit, party, organization))) throw isolationRefusal()
    throw missing()
  }
  const counterparty = connection.a_id === organization ? connection.b_id : connection.a_id
  return { connection, counterparty }
}

/** A draft may refer only to documents of its own connection that its issuer sees. */
export const checkReferences = (
  unit: UnitOfWork,
  organization: string,
  connection: string,
  references: readonly DocumentReference[],
): void => {
  references.forEach(({ document_id }, i) => {
    const document = unit.get('documents', decodeId('doc', document_id) ?? '')
    const isSeen = document !== undefined && visibleSide(unit, document, organization) !== undefined
    if (isSeen && document.connection_id === connection) return
    if (document !== undefined && isOwnInOtherMode(unit, document, organization)) {
      throw isolationRefusal()
    }
    throw notFound('document', document_id, `/references/${i}/document_id`)
  })
}

export const linksOf = (
  from: string,
  references: readonly DocumentReference[],
  issuedBy: string | null = null,
): DocumentLinks => ({
  from,
  rows: references.map(({ rel, document_id }) => ({
    from_id: from,
    to_id: decodeId('doc', document_id)!,
    rel,
    issued_by: issuedBy,
  })),
})
