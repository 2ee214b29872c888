/** Operations on a single document; the list is in list.ts. */
import { documentFieldHints } from '../../contract/unknown-field-hints.ts'
import {
  Document,
  DocumentConvert,
  DocumentCreate,
  DocumentEdit,
  NoBody,
  Transitions,
} from '../../contract/shapes/documents.ts'
import { convertDocument } from '../../changes/documents/conversion.ts'
import { scheduleDemo } from '../../changes/sandbox/demo-counterparty.ts'
import { notADraft } from '../../changes/documents/transitions.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { lineProblems } from '../../changes/documents/draft-validation.ts'
import { createDraft, problemsOfValidFields } from '../../changes/documents/create-draft.ts'
import { followSources } from '../../changes/finance/follow-loan.ts'
import { editDraft } from '../../changes/documents/edit-draft.ts'
import { issueDraft } from '../../changes/documents/issue.ts'
import { etagOf } from '../../core/etag.ts'
import { decodeId } from '../../core/ids.ts'
import {
  legalTransitions,
  waitingOn,
  transitionFactsOf,
} from '../../core/documents/state-machine.ts'
import { documentInPath, prefetchDocument } from './document-lookup.ts'
import { createdReply, documentText, viewBy, writeReply } from './replies.ts'
import { documentNeeds } from './transition.ts'
import { changeOf, originOf } from '../change-context.ts'
import { operation } from '../operation.ts'
import { JsonText } from '../reply-bodies.ts'
import { uuidOrNotFound } from '../path-ids.ts'

const referencedIds = ({ references = [] }: Pick<DocumentEdit, 'references'>): string[] =>
  references.map(({ document_id }) => decodeId('doc', document_id)!)

export const create = operation({
  id: 'documents.create',
  method: 'POST',
  path: '/v1/documents',
  family: 'documents',
  summary: 'Create a draft',
  description:
    'The calling organization becomes the issuer, and only it can see the draft. The service assigns the number and derives the totals and whichever of `payment_terms` and `due_date` is missing.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentCreate,
  unknownFieldHints: documentFieldHints,
  response: Document,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_quota'],
}).decides((call, { body }) => {
  const connection = decodeId('con', body.connection_id)
  const references = referencedIds(body)
  return {
    needs: {
      connections: connection === undefined ? [] : [connection],
      documents: references,
      counters: [call.organization.id],
    },
    decide: (unit) => {
      const change = changeOf(call, unit)
      const options = { origin: originOf(call) }
      const draft = createDraft(change, call.organization.id, body, options)
      return createdReply(call, unit, { document: draft, side: 'issuer', setsTerms: true })
    },
  }
}, problemsOfValidFields)

export const update = operation({
  id: 'documents.update',
  method: 'PATCH',
  path: '/v1/documents/{id}',
  family: 'documents',
  summary: 'Edit a draft',
  description:
    'Only drafts can be edited. Line items and maps are replaced as a whole, and all totals are recalculated.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentEdit,
  unknownFieldHints: documentFieldHints,
  response: Document,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params, body }) => {
  const id = uuidOrNotFound('doc', params.id)
  const references = referencedIds(body)
  return {
    // The response shows what keeps the draft from being issued.
    needs: {
      documents: [id, ...references],
      referencesOfDocuments: [id],
      counters: [call.organization.id],
    },
    decide: (unit) => {
      const change = changeOf(call, unit)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      if (document.status !== 'draft') throw notADraft(document)
      const edited = editDraft(change, document, body)
      return writeReply(call, unit, { document: edited, side, setsTerms: true })
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
    'Moves the draft to the entry state of its type. From then on, the counterparty can see the same record in its own projection, and its content never changes.',
  since: '1.2.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: NoBody,
  response: Document,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params }) => {
  const id = uuidOrNotFound('doc', params.id)
  return {
    needs: { ...documentNeeds(call, id), referencesOfDocuments: [id] },
    decide: (unit) => {
      const change = changeOf(call, unit)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      const issued = issueDraft(change, document)
      followSources(change, issued)
      scheduleDemo(change, issued)
      return writeReply(call, unit, { document: issued, side, setsTerms: true })
    },
  }
})

export const convert = operation({
  id: 'documents.convert',
  method: 'POST',
  path: '/v1/documents/{id}/convert',
  family: 'documents',
  summary: 'Convert a document',
  description:
    'Creates a draft from another document: an order or invoice from a quote or contract; an invoice, delivery note or goods receipt from an order; a credit note from an invoice. Lines, currency and terms are copied unless you send others, and the draft refers to its source, which changes only when the draft is issued. If refused, `details.allowed` lists what it can become.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentConvert,
  unknownFieldHints: documentFieldHints,
  response: Document,
  status: 201,
  errors: ['not_found', 'conflict', 'precondition_failed', 'sandbox_isolation'],
}).decides((call, { params, body }) => {
  const id = uuidOrNotFound('doc', params.id)
  const organization = call.organization.id
  return {
    needs: {
      documents: [id, ...referencedIds(body)],
      referencesOfDocuments: [id],
      counters: [organization],
    },
    decide: (unit) => {
      const change = changeOf(call, unit)
      const { document, side } = documentForWrite(unit, change.caller, organization, id)
      const request = { source: document, side, issuer: organization, origin: originOf(call) }
      const draft = convertDocument(change, request, body)
      return createdReply(call, unit, { document: draft, side: 'issuer', setsTerms: true })
    },
  }
}, lineProblems)

export const get = operation({
  id: 'documents.get',
  method: 'GET',
  path: '/v1/documents/{id}',
  family: 'documents',
  summary: 'Retrieve a document',
  description:
    'Returns the record in the projection of the calling organization: an Invoice for one side, a Bill for the other.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Document,
  errors: ['not_found', 'sandbox_isolation'],
}).prefetches(prefetchDocument, async (call, { params }, prefetched) => {
  const { document, side } = await documentInPath(call, params.id, prefetched)
  const text = await documentText(call, document, side)
  return { body: new JsonText(text), etag: etagOf(document) }
})

export const transitions = operation({
  id: 'documents.transitions',
  method: 'GET',
  path: '/v1/documents/{id}/transitions',
  family: 'documents',
  summary: 'List the possible transitions',
  description:
    'Returns the transitions that the caller can make now, with the scopes that each requires, and the side that the document is waiting on.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: Transitions,
  errors: ['not_found', 'sandbox_isolation'],
}).prefetches(prefetchDocument, async (call, { params }, prefetched) => {
  const { document, side } = await documentInPath(call, params.id, prefetched)
  const { canPay, issuerToday } = viewBy(call)(document, side)
  const facts = transitionFactsOf(document, issuerToday)
  const rules = legalTransitions(facts, { side, canPay })
  return {
    body: {
      status: document.status,
      allowed: rules.map(({ to, affectsPayment }) => ({
        to,
        scopes: affectsPayment ? ['documents:write', 'payments:write'] : ['documents:write'],
      })),
      waiting_on: waitingOn(facts),
    },
  }
})
