/** Moving a document to another state, payments included (specification 3). */
import type { Call } from '../../context.ts'
import { withdrawnStates } from '../../contract/conversions.ts'
import { paymentTargets } from '../../contract/document-types.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { Document, TransitionRequest } from '../../contract/shapes/documents.ts'
import { checkApproval } from '../../changes/approvals/required-approval.ts'
import { paymentSubject } from '../../changes/payments/payment-approval.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { followLoan } from '../../changes/finance/follow-loan.ts'
import {
  transitionDocument,
  transitionProblems,
} from '../../changes/documents/transition-request.ts'
import type { RowsToLock } from '../../engine/rows-to-lock.ts'
import { approvableWrite, approvalNeeds } from '../approvals/approvable-writes.ts'
import { writeReply } from './replies.ts'
import { changeOf } from '../change-context.ts'
import { operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'

/** Refused early, whatever the state: only the transition itself knows whether anything is due. */
const executesPayment = (body: unknown): boolean => {
  const to = (body as { to?: unknown } | null)?.to
  return typeof to === 'string' && paymentTargets.includes(to)
}

export const transition = operation({
  id: 'documents.transition',
  method: 'POST',
  path: '/v1/documents/{id}/transition',
  family: 'documents',
  summary: 'Move a document to another state',
  description:
    'The state machine of the document type defines which transitions each side can make. An illegal transition is refused with 409, with the legal targets in `details.allowed`. Targets that execute a payment also require payments:write.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: TransitionRequest,
  bodyRequires: {
    appliesTo: executesPayment,
    family: 'payments',
    scopes: ['documents:write', 'payments:write'],
  },
  response: Document,
  errors: [
    'not_found',
    'conflict',
    'precondition_failed',
    'sandbox_isolation',
    'not_enabled',
    'capability_unavailable',
    'payment_limit_exceeded',
    'sandbox_quota',
  ] as ErrorCode[],
}).decides(async (call, { params, body }) => {
  const id = uuidOrNotFound('doc', params.id)
  // A withdrawn document releases its allocations of the documents that it refers to.
  const referencesOfDocuments = withdrawnStates.includes(body.to) ? [id] : []
  const path = `/v1/documents/${params.id}/transition`
  const write = affectsPayment(body.to)
    ? await approvableWrite(call, 'documents.transition', path, body)
    : null
  const needs =
    write === null
      ? documentNeeds(call, id)
      : { ...paymentNeeds(call, id, body), ...approvalNeeds(call, write) }
  return {
    needs: { ...needs, referencesOfDocuments },
    decide: (unit) => {
      const change = changeOf(call, unit, write)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      checkApproval(change, paymentSubject(change, document))
      const moved = followLoan(change, transitionDocument(change, document, side, body))
      return writeReply(call, unit, { document: moved, side })
    },
  }
}, transitionProblems)

/** Whether a transition to this target executes or cancels a payment. */
const affectsPayment = (to: string): boolean => paymentTargets.includes(to) || to === 'approved'

/** A 404 needs the caller's own row, to detect a record in the caller's other mode. */
export const documentNeeds = (call: Call, id: string): RowsToLock => ({
  documents: [id],
  counters: [call.organization.id],
})

/** The rows to lock for a payment; all accounts of the caller if the request names one of them. */
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
