/** The sandbox: test money, simulated payment outcomes and resets (domain 6). */
import { Payment } from '../../contract/shapes/payments.ts'
import { Clock, Simulation, TopUp } from '../../contract/shapes/sandbox.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import { Balance } from '../../contract/shapes/treasury.ts'
import { seedDocuments } from '../../changes/sandbox/seed-documents.ts'
import {
  endPayments,
  leavePast,
  releasePartners,
  resetSandbox,
} from '../../changes/sandbox/reset.ts'
import { documentForWrite } from '../../changes/documents/document-access.ts'
import { followLoan } from '../../changes/finance/follow-loan.ts'
import { simulateOutcome, simulationProblems } from '../../changes/sandbox/simulate-outcome.ts'
import { systemChangeContext } from '../../changes/system-change-context.ts'
import { topUp, topUpProblems } from '../../changes/sandbox/top-up.ts'
import { encodeId } from '../../core/ids.ts'
import { projectPayment } from '../../core/payments/payment-record.ts'
import { paymentById } from '../../store/payments/payments.ts'
import { pairsWithoutDocuments } from '../../store/sandbox/practice-pairs.ts'
import { changeOfDocument } from '../documents/replies.ts'
import { untilChangeHolds } from '../../webhook-delivery/settings-check.ts'
import { operation } from '../operation.ts'
import { ownRecord } from '../path-ids.ts'
import { checkSandbox, clockOf, sandboxDefaults } from './clock.ts'
import { shifted } from '../../store/sandbox/clocks.ts'
import { toBalance } from '../payments/treasury.ts'

export const topup = operation({
  ...sandboxDefaults,
  id: 'sandbox.topup',
  method: 'POST',
  path: '/v1/sandbox/topup',
  summary: 'Add test money to an account',
  body: TopUp,
  response: Balance,
  errors: ['sandbox_isolation', 'not_found'],
}).decides((call, { body }) => {
  const organization = call.organization.id
  return {
    needs: { counters: [organization], accountsOfOrganizations: [organization] },
    decide: (unit) => {
      checkSandbox(call)
      const account = topUp(unit, organization, body)
      const { id, currency, posted, pending_credit, pending_debit } = account
      const balance = {
        account_id: id,
        currency,
        posted: posted!,
        pending_in: pending_credit!,
        pending_out: pending_debit!,
      }
      const now = shifted(unit.now, call.organization.clockOffsetSeconds)
      return { body: toBalance(balance, now), resourceId: encodeId('acct', id) }
    },
  }
}, topUpProblems)

export const reset = operation({
  ...sandboxDefaults,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/v1/sandbox/reset',
  summary: 'Reset the sandbox',
  description:
    'Puts both sides of the practice pair back into the state of a new pair: the first documents, full accounts, numbers from the beginning and the real time. Earlier records return 404. Keys with their limits, sessions, webhook endpoints and the counts of daily quotas are kept. Payments in progress are cancelled or fail first. Connections to other organizations end; the others can still read the documents exchanged on them, but can no longer change them. Their listings of what the pair owes are invalidated, and invoices that secure loans of the pair are released.',
  body: NoBody,
  response: Clock,
  errors: ['sandbox_isolation', 'conflict'],
}).callsOut(
  async (call) => {
    checkSandbox(call)
    const { id } = call.organization
    const { database, performAsSystem } = call.context
    if (!call.dryRun) {
      await database.perform('writes', { organization: id }, ({ transaction }) =>
        transaction((tx) => leavePast(tx, id)),
      )
      await endPayments(call.read, performAsSystem, id)
    }
    return async (tx) => {
      if (!call.dryRun) await resetSandbox(tx, id)
      return { body: await clockOf(tx, id) }
    }
  },
  {
    afterCommit: async (call) => {
      const { performAsSystem } = call.context
      await untilChangeHolds()
      await releasePartners(call.read, performAsSystem, call.organization.id)
      const pairs = await pairsWithoutDocuments(call.read, { organization: call.organization.id })
      await seedDocuments(performAsSystem, pairs)
    },
  },
)

export const simulate = operation({
  ...sandboxDefaults,
  id: 'sandbox.payments.simulate',
  method: 'POST',
  path: '/v1/sandbox/payments/{id}/simulate',
  summary: 'Decide the outcome of a payment',
  body: Simulation,
  response: Payment,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { params, body }) => {
  checkSandbox(call)
  const organization = call.organization.id
  const row = await ownRecord(call, 'pay', params.id, paymentById)
  return {
    needs: {
      documents: [row.document_id],
      paymentsOfDocuments: [row.document_id],
      payments: [row.id],
    },
    decide: (unit) => {
      const change = systemChangeContext(unit, call.requestId, call.context)
      const { document, side } = documentForWrite(
        unit,
        change.caller,
        organization,
        row.document_id,
      )
      const before = unit.get('payments', row.id)!
      const simulated = simulateOutcome(change, document, before, { request: body, side })
      const payment = projectPayment(simulated, organization)
      const changed = followLoan(change, unit.get('documents', document.id)!)
      const more = changeOfDocument(changed, JSON.stringify(payment))
      return { body: payment, resourceId: params.id, ...more }
    },
  }
}, simulationProblems)
