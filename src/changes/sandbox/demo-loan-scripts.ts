/**
 * The scripts that a demo counterparty follows in loans: one per listing, with the step that comes
 * next. play-demo-loan.ts plays the steps.
 */
import {
  type DemoLoanStep,
  demoListingScenarioSteps,
  listingScenarioSteps,
} from '../../core/sandbox/demo-loans.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import { organizationClockMs } from '../organization-clock.ts'

export type DemoLoan = Rows['demo_loans']

const allScenarioSteps: Readonly<Record<string, readonly DemoLoanStep[]>> = {
  ...listingScenarioSteps,
  ...demoListingScenarioSteps,
}

export const stepsOf = ({ scenario }: Pick<DemoLoan, 'scenario'>): readonly DemoLoanStep[] =>
  allScenarioSteps[scenario] ?? []

/** Called when a listing was created that the demo counterparty follows, as lender or borrower. */
export const scheduleDemoLoan = (
  change: ChangeContext,
  script: Pick<DemoLoan, 'listing_id' | 'organization_id' | 'scenario'>,
): void => {
  const [first] = stepsOf(script)
  if (first === undefined) return
  const due_at = first.after === 'a step' ? nextTurn(change, script.organization_id) : null
  change.unit.save('demo_loans', { ...script, step: 0, due_at })
}

/** What a step waits for has happened. */
export const wakeDemoLoan = (
  change: ChangeContext,
  listing: string,
  event: DemoLoanStep['after'],
): void => {
  const { unit } = change
  const script = unit.get('demo_loans', listing)
  if (script === undefined || script.due_at !== null) return
  if (stepsOf(script)[script.step]?.after !== event) return
  unit.save('demo_loans', { ...script, due_at: nextTurn(change, script.organization_id) })
}

const nextTurn = ({ unit, sandboxStepMs }: ChangeContext, demo: string): string =>
  new Date(organizationClockMs(unit, demo) + sandboxStepMs).toISOString()
