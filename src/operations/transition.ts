/** Moving a document to another state, payments included (specification 3). */
import type { Call } from '../context.ts'
import { withdrawnStates } from '../contract/conversions.ts'
import { paymentTargets } from '../contract/document-types.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { Document, TransitionRequest } from '../contract/shapes/documents.ts'
import { documentForWrite } from '../changes/documents/document-access.ts'
import { transitionDocument, transitionProblems } from '../changes/payments/initiate-payment.ts'
import type { RowsToLock } from '../engine/write-request.ts'
import { changeOf, writeReply } from './documents.ts'
import { operation } from './operation.ts'
import { uuidOrNotFound } from './path-ids.ts'

export const transition = operation({
  id: 'documents.transition',
  method: 'POST',
  path: '/v1/documents/{id}/transition',
  family: 'documents',
  summary: 'Move a document to another state',
  description:
    'The machine of the type says which side may move where; an illegal move answers 409 with the legal targets in `details.allowed`. Targets that execute a payment need payments:write as well.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: TransitionRequest,
  response: Document,
  errors: [
    ...['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation', 'not_enabled'],
    ...['capability_unavailable', 'payment_limit_exceeded', 'sandbox_quota'],
  ] as ErrorCode[],
}).decides((call, { params, body }) => {
  const id = uuidOrNotFound('doc', params.id)
  // What no longer stands gives back what it took of others.
  const referencesOfDocuments = withdrawnStates.includes(body.to) ? [id] : []
  const paying = affectsPayment(body.to) ? paymentNeeds(call, id, body) : documentNeeds(call, id)
  return {
    needs: { ...paying, referencesOfDocuments },
    decide: (unit) => {
      const change = changeOf(call, unit)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      const moved = transitionDocument(change, document, side, body)
      return writeReply(call, moved, side, { now: unit.now })
    },
  }
}, transitionProblems)

/** The targets of moves that execute a payment, or call one off. */
const affectsPayment = (to: string): boolean => paymentTargets.includes(to) || to === 'approved'

/** The caller's own row tells whether a foreign record lives in its other mode. */
const documentNeeds = (call: Call, id: string): RowsToLock => ({
  documents: [id],
  counters: [call.organization.id],
})

/** What a payment of the document is decided over; all own accounts when one of them is named. */
export const paymentNeeds = (
  call: Call,
  id: string,
  body: { source_account_id?: string },
): RowsToLock => ({
  ...documentNeeds(call, id),
  paymentsOfDocuments: [id],
  accountsOfOrganizations: body.source_account_id === undefined ? [] : [call.organization.id],
  payingKeys: call.credential.kind === 'key' ? [call.credential.id] : [],
})
