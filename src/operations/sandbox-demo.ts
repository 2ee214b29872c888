/** The played counterparty of a sandbox: what it sends and does when it is told to (domain 6). */
import type { Call } from '../context.ts'
import { invalidRequest, notFound, refuse } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { Document } from '../contract/shapes/documents.ts'
import { DemoDocument, DemoTransition } from '../contract/shapes/sandbox.ts'
import { typeWithArticle } from '../changes/documents/transitions.ts'
import { lineProblems } from '../changes/documents/draft-validation.ts'
import { createDraft } from '../changes/documents/create-draft.ts'
import { issueDraft } from '../changes/documents/issue.ts'
import { transitionDocument } from '../changes/payments/initiate-payment.ts'
import { documentForWrite } from '../changes/documents/document-access.ts'
import { systemChangeContext } from '../changes/system-change-context.ts'
import { scenariosOf } from '../core/sandbox/demo-counterparty.ts'
import { encodeId } from '../core/ids.ts'
import { closestMatch } from '../core/did-you-mean.ts'
import { demoCounterparty } from '../store/sandbox/demo-scripts.ts'
import { writeReply } from './documents.ts'
import { operation } from './operation.ts'
import { uuidOrNotFound } from './path-ids.ts'
import { checkSandbox, sandboxDefaults } from './sandbox.ts'

const defaultLine = { description: 'Practice goods', quantity: 1, unit_price: 250, tax_rate: 0 }

/** The played counterparty of the caller, or a refusal that says what is missing. */
const demoCounterpartyFor = async (call: Call) => {
  checkSandbox(call)
  const player = await demoCounterparty(call.read, call.organization.id)
  if (player !== undefined) return player
  throw refuse('conflict', 'There is no active connection to a played counterparty.', {
    reason: 'connection_not_active',
  })
}

export const createDemoDocument = operation({
  ...sandboxDefaults,
  id: 'sandbox.demo.create_document',
  method: 'POST',
  path: '/v1/sandbox/demo/documents',
  summary: 'Receive a document from the played counterparty',
  body: DemoDocument,
  response: Document,
  status: 201,
  errors: ['sandbox_isolation', 'conflict'],
}).decides(
  async (call, { body }) => {
    const player = await demoCounterpartyFor(call)
    return {
      needs: {
        connections: [player.connection_id],
        counters: [call.organization.id, player.id],
      },
      decide: (unit) => {
        const change = systemChangeContext(unit, call.requestId, call.context)
        const { scenario, ...rest } = body
        const problems = scenarioProblems(body)
        if (problems.length > 0) throw invalidRequest(problems)
        const named = scenario === undefined ? {} : { sandbox_scenario: scenario }
        const draft = createDraft(change, player.id, 'app', {
          line_items: [defaultLine],
          ...rest,
          external_refs: { ...rest.external_refs, ...named },
          connection_id: encodeId('con', player.connection_id),
        })
        const issued = issueDraft(change, draft as Parameters<typeof issueDraft>[1])
        const reply = writeReply(call, issued, 'counterparty', { now: unit.now })
        return { ...reply, location: `/v1/documents/${reply.resourceId}` }
      },
    }
  },
  (body) => [
    ...scenarioProblems(body),
    ...(body.line_items === undefined ? [] : lineProblems({ line_items: body.line_items })),
  ],
)

const scenarioProblems = ({ document_type, scenario }: DemoDocument): Problem[] => {
  const known = scenariosOf(document_type)
  if (scenario === undefined || known.length === 0 || known.includes(scenario)) return []
  const near = closestMatch(scenario, known)
  const meant = near === undefined ? 'send' : `did you mean ${near}?`
  return [
    {
      param: '/scenario',
      code: 'invalid_value',
      message: `${JSON.stringify(scenario)} is no scenario of ${typeWithArticle(document_type)}.`,
      fix: `${meant} one of ${known.join(', ')}`,
    },
  ]
}

export const transitionAsDemo = operation({
  ...sandboxDefaults,
  id: 'sandbox.demo.transition',
  method: 'POST',
  path: '/v1/sandbox/demo/transitions',
  summary: 'Let the played counterparty move a document',
  body: DemoTransition,
  response: Document,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { body }) => {
  const id = uuidOrNotFound('doc', body.document_id)
  const player = call.organization.mode === 'test' ? await demoCounterpartyFor(call) : undefined
  return {
    needs: {
      documents: [id],
      paymentsOfDocuments: [id],
      counters: [call.organization.id, ...(player === undefined ? [] : [player.id])],
    },
    decide: (unit) => {
      const change = systemChangeContext(unit, call.requestId, call.context)
      const { document, side } = documentForWrite(unit, change.caller, call.organization.id, id)
      checkSandbox(call)
      const other = side === 'issuer' ? document.counterparty_id : document.issuer_id
      if (unit.get('organizations', other)?.is_demo !== true) {
        throw notFound('document', body.document_id)
      }
      const moved = transitionDocument(
        change,
        document,
        side === 'issuer' ? 'counterparty' : 'issuer',
        body,
      )
      return writeReply(call, moved, side, { now: unit.now })
    },
  }
})
