/** The sandbox: simulated payments, the demo counterparty and quotas (domain 4 and 6). */
import type { Config } from '../../config.ts'
import type { QuotaName, Quotas } from '../../contract/quotas.ts'
import { dayMs } from '../../core/dates.ts'
import { type DemoStep, scenarios } from '../../core/sandbox/demo-counterparty.ts'
import {
  type DemoLoanStep,
  demoListingScenarioSteps,
  lateDays,
  listingScenarioSteps,
} from '../../core/sandbox/demo-loans.ts'
import { type SimulationPlan, magicAccounts } from '../../core/sandbox/payment-simulator.ts'
import { type Section, codeSpan, list, table, text } from '../blocks.ts'
import { durationText, everyText } from './duration.ts'

export const sandbox = ({ quotas, sandboxStepMs }: Config): Section => ({
  id: 'practice',
  title: 'Sandbox',
  blocks: [
    text(
      'A sandbox organization has the same API as a live one, with test money. Its events carry `sandbox: true`, its keys start with `rk_test_`, and it is isolated from live organizations.',
    ),
  ],
  sections: [
    magicAccountsSection(),
    demoSection(sandboxStepMs),
    quotasSection(quotas.test),
    goingLive,
  ],
})

const magicAccountsSection = (): Section => ({
  id: 'magic-accounts',
  title: 'Payment outcomes',
  blocks: [
    text(
      'A payment from an account with sufficient funds settles immediately. To try other outcomes, use one of these accounts as `source_account_id`; they exist in every currency:',
    ),
    table(
      ['Account', 'Outcome'],
      Object.entries(magicAccounts).map(([account, plan]) => [
        codeSpan(account),
        outcomeText(plan),
      ]),
    ),
    list(
      'Delays follow the clock of the sandbox, which `POST /v1/sandbox/clock` moves forward. Before that request returns, everything due by the new time is processed in order, including what it triggers in turn. If that is more than one request may process, it answers 503, and the same request continues; half a minute later, the service does so itself. A request that arrives while the clock is on its way adds to it.',
      'Recorded times (`*_at`) are real, also those of payments. Once the clock is ahead, the dates of documents are not: `GET /v1/statistics` then begins `cash_flow` and `connections` twelve weeks before the real day, unless you send `from` or `to`, and `days_to_pay` is null.',
      '`POST /v1/sandbox/payments/{id}/simulate` decides the outcome of a payment immediately, `POST /v1/sandbox/topup` adds test money to an account, and `POST /v1/sandbox/reset` starts the sandbox over.',
    ),
  ],
})

const outcomeText = (plan: SimulationPlan): string => {
  if (plan.settles === 'later') return `Settles after ${delayText(plan.afterMs)}.`
  if (plan.settles === 'never')
    return `Fails after ${delayText(plan.afterMs)} with ${codeSpan(plan.code)}.`
  if (plan.returns === undefined) return 'Settles immediately.'
  const { afterMs, code } = plan.returns
  return `Settles immediately and is returned after ${delayText(afterMs)} with ${codeSpan(code)}.`
}

const delayText = (ms: number): string =>
  ms === dayMs ? '1 day' : ms % dayMs === 0 ? `${ms / dayMs} days` : durationText(ms)

const demoSection = (sandboxStepMs: number): Section => ({
  id: 'played-counterparty',
  title: 'Demo counterparty',
  blocks: [
    text(
      `The demo organization of a practice pair responds to the documents that you issue to it, ${sandboxStepMs === 0 ? 'without a pause' : `one step ${everyText(sandboxStepMs)} of the sandbox’s clock`}; an advance of the clock takes all that it makes due. \`external_refs.sandbox_scenario\` selects the scenario, and an unknown name is refused; by default it is the first one listed for the type:`,
    ),
    table(
      ['Type', 'Scenario', 'Steps'],
      Object.entries(scenarios).flatMap(([type, scenariosByName]) =>
        Object.entries(scenariosByName).map(([scenario, steps]) => [
          codeSpan(type),
          codeSpan(scenario),
          steps.length === 0 ? 'none: you move it yourself' : steps.map(stepText).join(', '),
        ]),
      ),
    ),
    list(
      'The scenario ends as soon as anyone else moves the document. The demo organization has its own API key, so that you can act as the other side yourself.',
      'In a [loan](#loans) it is the lender of what you list, and borrows from you if you ask it to with `POST /v1/sandbox/demo/listings`. `sandbox_scenario` of the listing, or `scenario`, selects what it does:',
    ),
    table(
      ['Listing', 'Scenario', 'Steps'],
      [
        ...loanRows('yours', listingScenarioSteps),
        ...loanRows('its own', demoListingScenarioSteps),
      ],
    ),
    list(
      '`POST /v1/sandbox/demo/documents` makes it issue a document to you, and `POST /v1/sandbox/demo/transitions` makes it move one.',
    ),
  ],
})

const stepText = (step: DemoStep): string => {
  if ('to' in step) return codeSpan(step.to)
  const from = step.source === undefined ? '' : ` from ${codeSpan(step.source)}`
  return `pays ${step.pays}${from}`
}

const loanRows = (
  whose: string,
  scenariosByName: Readonly<Record<string, readonly DemoLoanStep[]>>,
): string[][] =>
  Object.entries(scenariosByName).map(([scenario, loanSteps]) => [
    whose,
    codeSpan(scenario),
    loanSteps.length === 0 ? 'none' : loanSteps.map(loanStepText).join(', '),
  ])

const loanStepText = (step: DemoLoanStep): string => {
  if (step.does === 'offers') return step.kind === 'at_ask' ? 'offers at the ask' : counterText
  if (step.does === 'funds') return 'pays the disbursement after you accept'
  if (step.does !== 'pays the invoice') return `${step.does} your offer`
  if (step.after === 'the due date') return 'pays the invoice on its due date, if it owes it'
  return `pays the invoice ${lateDays} days after the days of grace, if it owes it`
}

const counterText = 'counters with half as much again as your fee'

const quotasSection = (quotas: Quotas): Section => ({
  id: 'quotas',
  title: 'Quotas',
  blocks: [
    table(
      ['Quota', 'Limit', 'Resets'],
      Object.entries(quotas).map(([quota, limit]) => [
        codeSpan(quota),
        limit.toLocaleString('en-US'),
        renewals[quota as QuotaName],
      ]),
    ),
    text(
      'A request beyond a quota is refused with [sandbox_quota](#errors-sandbox_quota). [`GET /v1/me`](#me.get) shows what is left. A live organization has the quota of webhook endpoints, beyond which it is refused with `conflict`, and owns practice pairs within theirs.',
    ),
  ],
})

const renewals: Record<QuotaName, string> = {
  documents_per_day: 'at 00:00 UTC',
  stored_documents: 'never',
  payments_per_day: 'at 00:00 UTC',
  open_listings: 'never; only open listings count',
  webhook_endpoints: 'never',
  active_keys: 'never; revoked, expired and rotated keys do not count',
  sandboxes: 'never; the practice pairs of one owner count together',
}

const goingLive: Section = {
  id: 'going-live',
  title: 'Going live',
  blocks: [
    list(
      'Paths, fields and codes stay as they are. A live organization has ids, connections, webhook endpoints and keys of its own, `rk_live_…`; nothing moves over from the sandbox. The operator creates it, or the first owner with the link that the first start prints.',
      'Fill in its [profile](#organization.update) before you issue anything: documents keep the one that they were issued with. Then invite your partners ([POST /v1/connections](#connections.create)).',
      'The operator verifies the organization, which treasury and loans need, and connects it to a processor. Until both sides are connected, [paying](#paying) is refused, and `blockers` says who is not.',
      'A live payment takes days, and may fail or be returned after it has settled. Go by the [events](#events) `payment.settled` and `payment.failed`, not by the response of `/pay`; practise with `acct_test_stuck`, `acct_test_insufficient_funds` and `acct_test_return`.',
      'There are no clock, demo counterparty, test accounts or quotas of a day: `/v1/sandbox` is refused as [sandbox_isolation](#errors-sandbox_isolation). Webhooks need https and a public address. People show a [second factor](#second-factors) before money moves.',
    ),
  ],
}
