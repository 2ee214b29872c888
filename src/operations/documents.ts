/** What callers can do with one document; the list is in document-list.ts. */
import type { Call, CallingOrganization, Context } from '../context.ts'
import type { Side } from '../contract/document-types.ts'
import {
  Document,
  DocumentConvert,
  DocumentCreate,
  DocumentEdit,
  NoBody,
  Transitions,
} from '../contract/shapes/documents.ts'
import type { Caller, Change } from '../changes/acting-caller.ts'
import { convertDocument } from '../changes/documents/conversion.ts'
import { planDemo } from '../changes/sandbox/demo-counterparty.ts'
import { notADraft } from '../changes/documents/transitions.ts'
import { missing } from '../changes/identity/sandbox-isolation.ts'
import { documentFor } from '../changes/documents/document-access.ts'
import { lineProblems } from '../changes/documents/draft-validation.ts'
import { createDraft, problemsOfSound } from '../changes/documents/create-draft.ts'
import { editDraft } from '../changes/documents/edit-draft.ts'
import { issueDraft } from '../changes/documents/issue.ts'
import type { DocumentRow } from '../changes/history-and-events.ts'
import { dayAt } from '../core/calendar.ts'
import { etagOf } from '../core/etag.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { legalMoves, waitingOn } from '../core/documents/state-machine.ts'
import {
  type DocumentRecord,
  factsOf,
  projectDocument,
  sideSeen,
} from '../core/documents/projection.ts'
import type { World } from '../engine/unit-of-work.ts'
import type { FoundDocument } from '../store/documents/documents.ts'
import { JsonText, type Reply, operation } from './operation.ts'
import { uuidIn } from './path-ids.ts'

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

/** The document as a read answers it. */
const shown = (
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
})

/** As a write does: its answer is kept, and knows of what. */
export const replyWith = (
  ...[call, document, ...more]: Parameters<typeof shown>
): DocumentReply => {
  const reply = shown(call, document, ...more)
  reply.resourceId = encodeId('doc', document.id)
  return reply
}

/** The document that a path names, whoever may see it. */
const named = async (
  context: Context,
  { id }: { id: string },
): Promise<FoundDocument | undefined> => {
  const uuid = decodeId('doc', id)
  return uuid === undefined ? undefined : context.documents(uuid)
}

const targetsOf = ({ references = [] }: Pick<DocumentEdit, 'references'>): string[] =>
  references.map(({ document_id }) => decodeId('doc', document_id)!)

const originOf = ({ credential }: Call): 'api' | 'app' =>
  credential.kind === 'key' ? 'api' : 'app'

/** 201 with the place of the new draft. */
const created = (call: Call, draft: DocumentRow, world: World): DocumentReply => {
  const reply = replyWith(call, draft, 'issuer', { hidesNumber: call.dryRun, now: world.now })
  return { ...reply, location: `/v1/documents/${reply.resourceId}` }
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
  const references = targetsOf(body)
  return {
    needs: {
      connections: connection === undefined ? [] : [connection],
      documents: references,
      heads: [call.organization.id],
    },
    decide: (world) => {
      const change = changeOf(call, world)
      return created(call, createDraft(change, call.organization.id, originOf(call), body), world)
    },
  }
}, problemsOfSound)

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
  const id = uuidIn('doc', params.id)
  const references = targetsOf(body)
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
  const id = uuidIn('doc', params.id)
  return {
    // The caller's own row tells whether a foreign record lives in its other mode.
    needs: { documents: [id], related: [id], heads: [call.organization.id] },
    decide: (world) => {
      const change = changeOf(call, world)
      const { document, side } = documentFor(world, change.caller, call.organization.id, id)
      const issued = issueDraft(change, document)
      planDemo(change, issued)
      return replyWith(call, issued, side, { now: world.now })
    },
  }
})

export const convert = operation({
  id: 'documents.convert',
  method: 'POST',
  path: '/v1/documents/{id}/convert',
  family: 'documents',
  summary: 'Make a draft from a document',
  description:
    'A quote or a contract becomes an order or an invoice, an order an invoice, a delivery note or a goods receipt, an invoice a credit note; a refusal lists in `details.allowed` what the document can become now. Lines, currency and terms are taken over unless sent, and the draft refers to its source; the source takes notice when the draft is issued.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentConvert,
  response: Document,
  status: 201,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params, body }) => {
  const id = uuidIn('doc', params.id)
  const organization = call.organization.id
  return {
    needs: { documents: [id, ...targetsOf(body)], related: [id], heads: [organization] },
    decide: (world) => {
      const change = changeOf(call, world)
      const { document, side } = documentFor(world, change.caller, organization, id)
      const converting = { source: document, side, issuer: organization, origin: originOf(call) }
      return created(call, convertDocument(change, converting, body), world)
    },
  }
}, lineProblems)

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
}).finds(named, async (call, { params }, found) => {
  const { document, side } = seen(call, found) ?? (await unseen(call, params.id))
  return shown(call, document, side)
})

export const transitions = operation({
  id: 'documents.transitions',
  method: 'GET',
  path: '/v1/documents/{id}/transitions',
  family: 'documents',
  summary: 'Read where a document can go',
  description:
    'The moves that are open to the caller now, with the scopes that each needs, and whose turn it is.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Transitions,
  errors: ['not_found', 'sandbox_isolation'],
}).finds(named, async (call, { params }, found) => {
  const { document, side } = seen(call, found) ?? (await unseen(call, params.id))
  const facts = factsOf(document, today(call.organization))
  const moves = legalMoves(facts, side, call.scopes.has('payments:write'))
  return {
    body: {
      status: document.status,
      allowed: moves.map(({ to, pays }) => ({
        to,
        scopes: pays ? ['documents:write', 'payments:write'] : ['documents:write'],
      })),
      waiting_on: waitingOn(facts),
    },
  }
})

/** The document as the caller's side sees it. */
const seen = (
  { organization }: Call,
  document: FoundDocument | undefined,
): { document: FoundDocument; side: Side } | undefined => {
  const side = document === undefined ? undefined : sideSeen(document, organization)
  return document === undefined || side === undefined ? undefined : { document, side }
}

const unseen = async (call: Call, shownId: string): Promise<never> => {
  throw await missing(call.read, call.organization.id, 'doc', shownId)
}
