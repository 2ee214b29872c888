/** Documents and transitions of the demo counterparty, on request (domain 6). */
import type { Call } from '../../context.ts'
import { notFound, refuse, refuseProblems } from '../../contract/errors.ts'
import { documentFieldHints } from '../../contract/unknown-field-hints.ts'
import type { Problem } from '../../contract/problem.ts'
import { Document } from '../../contract/shapes/documents.ts'
import { DemoDocument, DemoTransition } from '../../contract/shapes/sandbox.ts'
import { createDraft, problemsOfValidFields } from '../../changes/documents/create-draft.ts'
import { issueDraft } from '../../changes/documents/issue.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { systemChangeContext } from '../../changes/system-change-context.ts'
import { followLoan } from '../../changes/finance/follow-loan.ts'
import { transitionDocument } from '../../changes/documents/transition-request.ts'
import { scenarioProblems } from '../../changes/sandbox/scenario-check.ts'
import { encodeId } from '../../core/ids.ts'
import { demoCounterparty } from '../../store/sandbox/demo-scripts.ts'
import { createdReply, writeReply } from '../documents/replies.ts'
import { operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'
import { checkSandbox, sandboxDefaults } from './clock.ts'
import { otherSideOf } from '../../contract/document-types.ts'

const defaultLine = { description: 'Practice goods', quantity: 1, unit_price: 250, tax_rate: 0 }

const problemsOf = ({ document_type, scenario }: DemoDocument): Problem[] =>
  scenarioProblems(document_type, scenario, '/scenario')

export const demoCounterpartyFor = async (call: Call) => {
  checkSandbox(call)
  const demo = await demoCounterparty(call.read, call.organization.id)
  if (demo !== undefined) return demo
  throw refuse('conflict', 'There is no active connection to a demo counterparty.', {
    reason: 'connection_not_active',
  })
}

export const createDocument = operation({
  ...sandboxDefaults,
  id: 'sandbox.demo.create_document',
  method: 'POST',
  path: '/v1/sandbox/demo/documents',
  summary: 'Receive a document from the demo counterparty',
  body: DemoDocument,
  unknownFieldHints: documentFieldHints,
  response: Document,
  status: 201,
  errors: ['sandbox_isolation', 'conflict'],
}).decides(
  async (call, { body }) => {
    const demo = await demoCounterpartyFor(call)
    return {
      needs: { connections: [demo.connection_id], counters: [call.organization.id, demo.id] },
      decide: (unit) => {
        const change = systemChangeContext(unit, call.requestId, call.context)
        const { scenario, ...rest } = body
        refuseProblems(problemsOf(body))
        const scenarioRef = scenario === undefined ? {} : { sandbox_scenario: scenario }
        const requested = {
          line_items: [defaultLine],
          ...rest,
          external_refs: { ...rest.external_refs, ...scenarioRef },
          connection_id: encodeId('con', demo.connection_id),
        }
        const draft = createDraft(change, demo.id, requested, { origin: 'app' })
        const issued = issueDraft(change, draft as Parameters<typeof issueDraft>[1])
        return createdReply(call, unit, { document: issued, side: 'counterparty' })
      },
    }
  },
  (body, further) => [...problemsOf(body), ...problemsOfValidFields(body, further)],
)

export const transition = operation({
  ...sandboxDefaults,
  id: 'sandbox.demo.transition',
  method: 'POST',
  path: '/v1/sandbox/demo/transitions',
  summary: 'Let the demo counterparty move a document',
  body: DemoTransition,
  response: Document,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { body }) => {
  const demo = await demoCounterpartyFor(call)
  const id = uuidOrNotFound('doc', body.document_id)
  return {
    needs: {
      documents: [id],
      paymentsOfDocuments: [id],
      counters: [call.organization.id, demo.id],
    },
    decide: (unit) => {
      const change = systemChangeContext(unit, call.requestId, call.context)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      const demoSide = otherSideOf(side)
      if (document[`${demoSide}_id`] !== demo.id) throw notFound('document', body.document_id)
      const moved = followLoan(change, transitionDocument(change, document, demoSide, body))
      return writeReply(call, unit, { document: moved, side })
    },
  }
})
