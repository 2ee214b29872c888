/** The sandbox: its clock, practice money, what a rail decides, and the played counterparty. */
import type { Call } from '../context.ts'
import { invalid, notFound, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { Document } from '../contract/shapes/documents.ts'
import { Payment } from '../contract/shapes/payments.ts'
import {
  Clock,
  ClockAdvance,
  DemoDocument,
  DemoTransition,
  Simulation,
  TopUp,
} from '../contract/shapes/sandbox.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import { Balance } from '../contract/shapes/treasury.ts'
import { documentFor } from '../changes/sight.ts'
import { issueDraft } from '../changes/issue.ts'
import { lineProblems } from '../changes/draft-rules.ts'
import { createDraft } from '../changes/drafts.ts'
import { sendFirstDocuments } from '../changes/first-documents.ts'
import { isolated } from '../changes/isolation.ts'
import { transitionDocument } from '../changes/paying.ts'
import { endPayments, resetSandbox } from '../changes/reset.ts'
import { simulate as simulateOutcome, simulationProblems } from '../changes/simulate.ts'
import { changeBySystem } from '../changes/system.ts'
import { topUp, topUpProblems } from '../changes/topup.ts'
import { durationSeconds } from '../core/durations.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { projectPayment } from '../core/payments.ts'
import { clockOf, clockSharers, demoCounterparty, setClocks } from '../store/sandbox.ts'
import { isOwnPaymentInOtherMode, paymentById } from '../store/payments.ts'
import { pairsWithoutDocuments } from '../store/sandboxes.ts'
import type { Session } from '../sql.ts'
import { documentIdOf, replyWith } from './documents.ts'
import { operation } from './operation.ts'
import { balanceView } from './treasury.ts'

const inSandbox = { allowed: 'scoped', scopes: ['documents:write'], since: '1.15.0' } as const

/** These paths exist for sandbox organizations only. */
const checkSandbox = ({ organization }: Call): void => {
  if (organization.mode === 'test') return
  throw refuse(
    'sandbox_isolation',
    'This path is for sandbox organizations: it has no meaning for a live one.',
  )
}

const clockView = async (session: Session, organization: string) => {
  const { now, offset_seconds } = await clockOf(session, organization)
  return { now, offset_seconds: Number(offset_seconds), status: 'ready' as const }
}

export const readClock = operation({
  ...inSandbox,
  id: 'sandbox.clock.get',
  method: 'GET',
  path: '/v1/sandbox/clock',
  summary: 'Read the sandbox clock',
  response: Clock,
  errors: ['sandbox_isolation'],
}).reads(async (call) => {
  checkSandbox(call)
  return { body: await clockView(call.read, call.organization.id) }
})

export const advanceClock = operation({
  ...inSandbox,
  id: 'sandbox.clock.advance',
  method: 'POST',
  path: '/v1/sandbox/clock',
  summary: 'Move the sandbox clock forward',
  description:
    'Moves dates, due times, delays of the simulator and of the played counterparty, the day of daily_volume and expiries; everything due by then is done before the answer. Times of record (`*_at`), events, keys and idempotency stay real.',
  body: ClockAdvance,
  response: Clock,
  errors: ['sandbox_isolation'],
}).runs(
  async (tx, call, { body }) => {
    checkSandbox(call)
    const { id } = call.organization
    const before = await clockOf(tx, id)
    const seconds = secondsAhead(body, before.now)
    const offset = before.offset_seconds + BigInt(seconds)
    if (offset > limits.clockAheadMaxSeconds) {
      throw invalid([clockProblem(body, 'The clock would be more than two years ahead.')])
    }
    await setClocks(tx, await clockSharers(tx, id), offset)
    return { body: await clockView(tx, id) }
  },
  {
    afterwards: async (call) => {
      await call.context.runDue(await clockSharers(call.read, call.organization.id))
    },
  },
)

const secondsAhead = (body: ClockAdvance, now: string): number => {
  const { advance_by: by, advance_to: to } = body
  if ((by === undefined) === (to === undefined)) {
    throw invalid([clockProblem(body, 'Send either advance_by or advance_to.')])
  }
  if (by !== undefined) {
    const seconds = durationSeconds(by)
    if (seconds !== undefined) return seconds
    throw invalid([clockProblem(body, 'Not a duration of whole seconds, minutes, hours or days.')])
  }
  const target = Date.parse(to!.length === 10 ? `${to}T00:00:00.000Z` : to!)
  const seconds = Math.ceil((target - Date.parse(now)) / 1_000)
  if (seconds > 0) return seconds
  throw invalid([clockProblem(body, `The clock stands at ${now} and only moves forward.`)])
}

const clockProblem = ({ advance_by }: ClockAdvance, message: string): Problem => ({
  param: advance_by === undefined ? '/advance_to' : '/advance_by',
  code: 'invalid_value',
  message,
  fix: 'send an advance_by like P6D or PT90S, or an advance_to like 2026-12-21',
})

export const topup = operation({
  ...inSandbox,
  id: 'sandbox.topup',
  method: 'POST',
  path: '/v1/sandbox/topup',
  summary: 'Put practice money on an account',
  body: TopUp,
  response: Balance,
  errors: ['sandbox_isolation', 'not_found'],
}).decides((call, { body }) => {
  const organization = call.organization.id
  return {
    needs: { heads: [organization], accounts: [organization] },
    decide: (world) => {
      checkSandbox(call)
      const account = topUp(world, organization, body)
      const { id, currency, posted, pending_credit, pending_debit } = account
      const balance = {
        account_id: id,
        currency,
        posted: posted!,
        pending_in: pending_credit!,
        pending_out: pending_debit!,
      }
      return { body: balanceView(balance, world.now), resourceId: encodeId('acct', id) }
    },
  }
}, topUpProblems)

export const reset = operation({
  ...inSandbox,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/v1/sandbox/reset',
  summary: 'Start the sandbox over',
  description:
    'Both sides of the practice pair then see what a fresh one shows: the first documents, full accounts, numbers from the beginning, the real time, and nothing of before, which answers 404. Keys with their limits, sessions and webhook endpoints stay; so does what a daily quota has counted. Payments under way are called off or fail first. Connections to others end, and what was exchanged on them stays readable for the others.',
  body: NoBody,
  response: Clock,
  errors: ['sandbox_isolation', 'conflict'],
}).calls(
  async (call) => {
    checkSandbox(call)
    const { id } = call.organization
    if (!call.dryRun) await endPayments(call.read, call.context.bySystem, id)
    return async (tx) => {
      if (!call.dryRun) await resetSandbox(tx, id)
      return { body: await clockView(tx, id) }
    }
  },
  {
    afterwards: async (call) => {
      const pairs = await pairsWithoutDocuments(call.read, { organization: call.organization.id })
      await sendFirstDocuments(call.context.bySystem, pairs)
    },
  },
)

export const simulate = operation({
  ...inSandbox,
  id: 'sandbox.payments.simulate',
  method: 'POST',
  path: '/v1/sandbox/payments/{id}/simulate',
  summary: 'Decide what becomes of a payment',
  body: Simulation,
  response: Payment,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { params, body }) => {
  const organization = call.organization.id
  const id = decodeId('pay', params.id)
  const row = id === undefined ? undefined : await paymentById(call.read, organization, id)
  if (id === undefined || row === undefined) {
    const isOwn = id !== undefined && (await isOwnPaymentInOtherMode(call.read, organization, id))
    throw isOwn ? isolated() : notFound('payment', params.id)
  }
  checkSandbox(call)
  return {
    needs: { documents: [row.document_id], payments: [row.document_id] },
    decide: (world) => {
      const change = changeBySystem(world, call.requestId, call.context)
      const { document } = documentFor(world, change.caller, organization, row.document_id)
      const payment = simulateOutcome(change, document, world.get('payments', id) ?? row, body)
      return { body: projectPayment(payment, organization), resourceId: params.id }
    },
  }
}, simulationProblems)

const aLine = { description: 'Practice goods', quantity: 1, unit_price: 250, tax_rate: 0 }

/** The played counterparty of the caller, or a refusal that says what is missing. */
const playerFor = async (call: Call) => {
  checkSandbox(call)
  const player = await demoCounterparty(call.read, call.organization.id)
  if (player !== undefined) return player
  throw refuse('conflict', 'There is no active connection to a played counterparty.', {
    reason: 'connection_not_active',
  })
}

export const createDemoDocument = operation({
  ...inSandbox,
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
    const player = await playerFor(call)
    return {
      needs: {
        connections: [player.connection_id],
        heads: [call.organization.id, player.id],
      },
      decide: (world) => {
        const change = changeBySystem(world, call.requestId, call.context)
        const { scenario, ...rest } = body
        const named = scenario === undefined ? {} : { sandbox_scenario: scenario }
        const draft = createDraft(change, player.id, 'app', {
          line_items: [aLine],
          ...rest,
          external_refs: { ...rest.external_refs, ...named },
          connection_id: encodeId('con', player.connection_id),
        })
        const issued = issueDraft(change, draft as Parameters<typeof issueDraft>[1])
        const reply = replyWith(call, issued, 'counterparty', { now: world.now })
        return { ...reply, location: `/v1/documents/${reply.resourceId}` }
      },
    }
  },
  (body) => (body.line_items === undefined ? [] : lineProblems({ line_items: body.line_items })),
)

export const demoTransition = operation({
  ...inSandbox,
  id: 'sandbox.demo.transition',
  method: 'POST',
  path: '/v1/sandbox/demo/transitions',
  summary: 'Let the played counterparty move a document',
  body: DemoTransition,
  response: Document,
  errors: ['sandbox_isolation', 'not_found', 'conflict'],
}).decides(async (call, { body }) => {
  const id = documentIdOf(body.document_id)
  const player = call.organization.mode === 'test' ? await playerFor(call) : undefined
  return {
    needs: {
      documents: [id],
      payments: [id],
      heads: [call.organization.id, ...(player === undefined ? [] : [player.id])],
    },
    decide: (world) => {
      const change = changeBySystem(world, call.requestId, call.context)
      const { document, side } = documentFor(world, change.caller, call.organization.id, id)
      checkSandbox(call)
      const other = side === 'issuer' ? document.counterparty_id : document.issuer_id
      if (world.get('organizations', other)?.is_demo !== true) {
        throw notFound('document', body.document_id)
      }
      const moved = transitionDocument(
        change,
        document,
        side === 'issuer' ? 'counterparty' : 'issuer',
        body,
      )
      return replyWith(call, moved, side, { now: world.now })
    },
  }
})
