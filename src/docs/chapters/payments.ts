/** The guide to what costs money, and to the sandbox, where it costs none (domain 4 and 6). */
import type { Config } from '../../config.ts'
import type { QuotaName } from '../../contract/quotas.ts'
import { type DemoStep, scenarios } from '../../core/sandbox/demo-counterparty.ts'
import { type SimulationPlan, magicAccounts } from '../../core/sandbox/payment-simulator.ts'
import { type Section, list, codeSpan, table, text } from '../blocks.ts'
import { duration } from './api-conventions.ts'

export const payments: Section = {
  id: 'paying',
  title: 'Payments',
  blocks: [
    list(
      'The counterparty pays the issuer, and what a credit note leaves to refund is paid by its issuer. `payable` says whether you can pay a document now; an invoice is approved before.',
      '`POST /v1/documents/{id}/pay` pays the whole balance. Send it as often as you like: while a payment is under way, and after it has settled, the answer has that payment and never makes a second one. Moving the document to `paid` does the same.',
      'Moving it to `payment_scheduled` with `scheduled_for` pays on that day; paying meanwhile brings it forward, and moving it back to `approved` calls it off.',
      'Both need `documents:write` and `payments:write`. Live organizations pay once a processor is connected, until then the answer is [capability_unavailable](#errors-capability_unavailable).',
      'A payment is `created` or `scheduled`, then `processing`, and at last `settled`, `failed` or `cancelled`; a bank may take settled money back, then it is `returned`. After a failure or a return the document can be paid again, and `payment.failed` says why.',
      '`payment_limits` of a key are per currency: `max_per_payment`, and `daily_volume` for what it pays in one day, over all its rotations. What is left of the day is in [`GET /v1/me`](#me.get); more than that is [payment_limit_exceeded](#errors-payment_limit_exceeded), before anything moves.',
    ),
  ],
}

export const sandbox = ({ quotas, sandboxStepMs }: Config): Section => ({
  id: 'practice',
  title: 'The sandbox',
  blocks: [
    text(
      'A sandbox organization has the same API, on practice money. Its events carry `sandbox: true`, its keys start with `rk_test_`, and it never meets a live one.',
    ),
  ],
  sections: [
    {
      id: 'magic-accounts',
      title: 'How a payment ends',
      blocks: [
        text(
          'A payment from an account that holds enough settles at once. `source_account_id` takes these as well, in every currency, so that you can try the others:',
        ),
        table(
          ['Account', 'What becomes of the payment'],
          Object.entries(magicAccounts).map(([account, plan]) => [
            codeSpan(account),
            outcomeOf(plan),
          ]),
        ),
        list(
          'Waiting is by the clock of the sandbox, which `POST /v1/sandbox/clock` moves forward: what is due by then is done before it answers, in the order in which it falls due, with all that it brings about by then.',
          '`POST /v1/sandbox/payments/{id}/simulate` decides at once; `POST /v1/sandbox/topup` puts money on an account; `POST /v1/sandbox/reset` starts over with the money.',
        ),
      ],
    },
    {
      id: 'played-counterparty',
      title: 'The played counterparty',
      blocks: [
        text(
          `The demo organization of a practice pair answers what you issue to it, a step every ${duration(sandboxStepMs)}. \`external_refs.sandbox_scenario\` says how; without it the first of these is played:`,
        ),
        table(
          ['Type', 'Scenario', 'What it does'],
          Object.entries(scenarios).flatMap(([type, known]) =>
            Object.entries(known).map(([scenario, steps]) => [
              codeSpan(type),
              codeSpan(scenario),
              steps.length === 0 ? 'nothing: move it yourself' : steps.map(stepOf).join(', '),
            ]),
          ),
        ),
        list(
          'Whoever moves the document otherwise ends the play. The demo organization has a key of its own, to be the other side yourself.',
          '`POST /v1/sandbox/demo/documents` makes it issue a document to you, and `POST /v1/sandbox/demo/transitions` makes it move one.',
        ),
      ],
    },
    quotasSection(quotas),
  ],
})

const quotasSection = (quotas: Config['quotas']): Section => ({
  id: 'quotas',
  title: 'Quotas',
  blocks: [
    ...(quotas === null
      ? [text('This deployment has none.')]
      : [
          table(
            ['Quota', 'Limit', 'Begins anew'],
            Object.entries(quotas).map(([quota, limit]) => [
              codeSpan(quota),
              limit.toLocaleString('en-US'),
              renewals[quota as QuotaName],
            ]),
          ),
          text(
            'Beyond one the answer is [sandbox_quota](#errors-sandbox_quota); what is left is in [`GET /v1/me`](#me.get).',
          ),
        ]),
  ],
})

const renewals: Record<QuotaName, string> = {
  documents_per_day: 'at 00:00 UTC',
  stored_documents: 'never',
  payments_per_day: 'at 00:00 UTC',
}

const outcomeOf = (plan: SimulationPlan): string => {
  if (plan.settles === 'later') return `settles after ${delayText(plan.afterMs)}`
  if (plan.settles === 'never')
    return `fails after ${delayText(plan.afterMs)}: ${codeSpan(plan.code)}`
  if (plan.returns === undefined) return 'settles at once'
  const { afterMs, code } = plan.returns
  return `settles at once, and is taken back after ${delayText(afterMs)}: ${codeSpan(code)}`
}

const dayMs = 86_400_000

const delayText = (ms: number): string => (ms % dayMs === 0 ? `${ms / dayMs} days` : duration(ms))

const stepOf = (step: DemoStep): string => {
  if ('to' in step) return codeSpan(step.to)
  const from = step.source === undefined ? '' : ` from ${codeSpan(step.source)}`
  return `pays ${step.pays}${from}`
}
