/** What callers can do with one document; the list is in document-list.ts. */
import type { Call, CallingOrganization } from '../context.ts'
import { type ErrorCode, notFound } from '../contract/errors.ts'
import { type Side, paymentTargets } from '../contract/document-types.ts'
import {
  Document,
  DocumentCreate,
  DocumentEdit,
  NoBody,
  TransitionRequest,
} from '../contract/shapes/documents.ts'
import type { Caller, Change } from '../changes/caller.ts'
import { planDemo } from '../changes/demo.ts'
import { documentFor, issueDraft, notADraft } from '../changes/documents.ts'
import { isolated } from '../changes/isolation.ts'
import { transitionDocument, transitionProblems } from '../changes/paying.ts'
import { createDraft, editDraft, lineProblems } from '../changes/drafts.ts'
import type { DocumentRow } from '../changes/record.ts'
import { dayAt } from '../core/calendar.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { type DocumentRecord, etagOf, projectDocument, sideOf } from '../core/project.ts'
import type { Needs } from '../engine/member.ts'
import type { World } from '../engine/world.ts'
import { isOwnInOtherMode } from '../store/documents.ts'
import { JsonText, type Reply, operation } from './operation.ts'

export type DocumentReply = Reply<import('typebox').Static<typeof Document>>

const callerOf = (call: Call): Caller => ({
  actor: call.credential.actor,
  canPay: call.scopes.has('payments:write'),
  grantedScopes: call.credential.granted,
  requestId: call.requestId,
  idempotencyKey: call.idempotencyKey,
  dryRun: call.dryRun,
  ifMatch: call.ifMatch,
})

export const changeOf = (call: Call, world: World): Change => ({
  world,
  caller: callerOf(call),
  macKey: call.context.keyring.history,
  sandboxStepMs: call.context.config.sandboxStepMs,
  quotas: call.organization.mode === 'test' ? call.context.config.quotas : null,
})

const today = (organization: CallingOrganization, now: string | number = Date.now()): string =>
  dayAt(now, organization.clockOffsetSeconds)

export const replyWith = (
  call: Call,
  document: DocumentRecord,
  side: Side,
  more: { hidesNumber?: boolean; now?: string } = {},
): DocumentReply => ({
  body: new JsonText(
    projectDocument(document, {
      side,
      canPay: call.scopes.has('payments:write'),
      today: today(call.organization, more.now),
      hidesNumber: more.hidesNumber ?? false,
    }),
  ),
  etag: etagOf(document),
  resourceId: encodeId('doc', document.id),
})

export const documentIdOf = (id: string): string => {
  const decoded = decodeId('doc', id)
  if (decoded === undefined) throw notFound('document', id)
  return decoded
}

export const create = operation({
  id: 'documents.create',
  method: 'POST',
  path: '/v1/documents',
  family: 'documents',
  summary: 'Create a draft',
  description:
    "The caller is the issuer. The number is the service's; totals, due date and the missing half of the terms are derived. Only the issuer sees a draft.",
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentCreate,
  response: Document,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_quota'],
}).decides((call, { body }) => {
  const connection = decodeId('con', body.connection_id)
  const references = (body.references ?? []).map((reference) =>
    decodeId('doc', reference.document_id)!,
  )
  return {
    needs: {
      connections: connection === undefined ? [] : [connection],
      documents: references,
      heads: [call.organization.id],
    },
    decide: (world) => {
      const origin = call.credential.kind === 'key' ? 'api' : 'app'
      const draft: DocumentRow = createDraft(
        changeOf(call, world),
        call.organization.id,
        origin,
        body,
      )
      const reply = replyWith(call, draft, 'issuer', { hidesNumber: call.dryRun, now: world.now })
      return { ...reply, location: `/v1/documents/${reply.resourceId}` }
    },
  }
}, lineProblems)

export const update = operation({
  id: 'documents.update',
  method: 'PATCH',
  path: '/v1/documents/{id}',
  family: 'documents',
  summary: 'Edit a draft',
  description:
    'Drafts only. Line items and maps are replaced as a whole; all totals are derived anew.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentEdit,
  response: Document,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params, body }) => {
  const id = documentIdOf(params.id)
  const references = (body.references ?? []).map((reference) =>
    decodeId('doc', reference.document_id)!,
  )
  return {
    needs: { documents: [id, ...references], heads: [call.organization.id] },
    decide: (world) => {
      const change = changeOf(call, world)
      const { document, side } = documentFor(world, change.caller, call.organization.id, id)
      if (document.status !== 'draft') throw notADraft(document)
      return replyWith(call, editDraft(change, document, body), side, { now: world.now })
    },
  }
}, lineProblems)

export const issue = operation({
  id: 'documents.issue',
  method: 'POST',
  path: '/v1/documents/{id}/issue',
  family: 'documents',
  summary: 'Issue a draft to the counterparty',
  description:
    "Moves the draft to its type's entry state. From now on the counterparty sees the same record in its own projection, and its content never changes.",
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: NoBody,
  response: Document,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params }) => {
  const id = documentIdOf(params.id)
  return {
    // The caller's own row tells whether a foreign record lives in its other mode.
    needs: { documents: [id], heads: [call.organization.id] },
    decide: (world) => {
      const change = changeOf(call, world)
      const { document, side } = documentFor(world, change.caller, call.organization.id, id)
      const issued = issueDraft(change, document)
      planDemo(change, issued)
      return replyWith(call, issued, side, { now: world.now })
    },
  }
})

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
  const id = documentIdOf(params.id)
  return {
    needs: { ...(mayPay(body.to) ? payingNeeds(call, id, body) : {}), ...namedNeeds(call, id) },
    decide: (world) => {
      const change = changeOf(call, world)
      const { document, side } = documentFor(world, change.caller, call.organization.id, id)
      const moved = transitionDocument(change, document, side, body)
      return replyWith(call, moved, side, { now: world.now })
    },
  }
}, transitionProblems)

/** The targets of moves that execute a payment, or call one off. */
const mayPay = (to: string): boolean => paymentTargets.includes(to) || to === 'approved'

/** The caller's own row tells whether a foreign record lives in its other mode. */
const namedNeeds = (call: Call, id: string): Needs => ({
  documents: [id],
  heads: [call.organization.id],
})

/** What a payment of the document is decided over; all own accounts when one of them is named. */
export const payingNeeds = (
  call: Call,
  id: string,
  body: { source_account_id?: string },
): Needs => ({
  ...namedNeeds(call, id),
  payments: [id],
  accounts: body.source_account_id === undefined ? [] : [call.organization.id],
  keys: call.credential.kind === 'key' ? [call.credential.id] : [],
})

export const get = operation({
  id: 'documents.get',
  method: 'GET',
  path: '/v1/documents/{id}',
  family: 'documents',
  summary: 'Read a document',
  description:
    'One record, projected for the calling organization: Invoice for one side, Bill for the other.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Document,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const id = documentIdOf(params.id)
  const { documents } = call.context
  const document = await documents({ id, organization: call.organization.id })
  const side = document === undefined ? undefined : sideOf(document, call.organization.id)
  if (document === undefined || side === undefined) {
    if (await isOwnInOtherMode(call.read, { id, organization: call.organization.id }))
      throw isolated()
    throw notFound('document', params.id)
  }
  return replyWith(call, document, side)
})
