/** The demo counterparty: schedules and runs its scripted steps on a document (domain 6). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { Refusal } from '../../contract/errors.ts'
import { addDays } from '../../core/dates.ts'
import { parseContent } from '../../core/documents/content.ts'
import { type DemoStep, demoSteps, scenarioOf } from '../../core/sandbox/demo-counterparty.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { visibleSide } from '../documents/document-access.ts'
import { transitionDocument } from '../documents/transition-request.ts'
import { organizationClockMs, todayOf } from '../organization-clock.ts'

type DemoScript = Rows['demo_scripts']

/** Called when a document was issued; creates a script if its counterparty is a demo. */
export const scheduleDemo = (
  { unit, sandboxStepMs }: ChangeContext,
  document: DocumentRow,
): void => {
  const demo = document.counterparty_id
  if (unit.get('organizations', demo)?.is_demo !== true) return
  const type = document.type as DocumentTypeName
  const requestedScenario = parseContent(document.content).external_refs['sandbox_scenario']
  const scenario = scenarioOf(type, requestedScenario)
  if (scenario === undefined || demoSteps(type, scenario).length === 0) return
  unit.save('demo_scripts', {
    document_id: document.id,
    organization_id: demo,
    scenario,
    step: 0,
    revision: document.revision,
    due_at: demoDueAt(unit, demo, sandboxStepMs),
  })
}

const demoDueAt = (unit: UnitOfWork, organization: string, ms: number): string =>
  new Date(organizationClockMs(unit, organization) + ms).toISOString()

/** Runs the next step if the document is unchanged since the last one. */
export const runDemoStep = (
  change: ChangeContext,
  script: DemoScript,
  document: DocumentRow,
): void => {
  const { unit } = change
  const demo = script.organization_id
  // When the clock jumps, every step still runs at the time it was due.
  const due = Date.parse(script.due_at ?? unit.now)
  unit.lateMs = Math.max(0, organizationClockMs(unit, demo) - due)
  const steps = demoSteps(document.type as DocumentTypeName, script.scenario)
  const step = steps[script.step]
  const moved =
    step === undefined || document.revision !== script.revision
      ? undefined
      : tryStep(change, document, demo, step)
  const next = script.step + 1
  const isFinished = moved === undefined || next >= steps.length
  unit.save('demo_scripts', {
    ...script,
    step: moved === undefined ? script.step : next,
    revision: moved?.revision ?? script.revision,
    due_at: isFinished ? null : demoDueAt(unit, demo, change.sandboxStepMs),
  })
}

/** Returns undefined for a step that the rules refuse, which ends the script. */
const tryStep = (
  change: ChangeContext,
  document: DocumentRow,
  demo: string,
  step: DemoStep,
): DocumentRow | undefined => {
  const side = visibleSide(change.unit, document, demo)
  if (side === undefined) return undefined
  try {
    return transitionDocument(change, document, side, requestForStep(change.unit, demo, step))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const requestForStep = (unit: UnitOfWork, demo: string, step: DemoStep) => {
  if ('to' in step) return { to: step.to }
  const source = step.source === undefined ? {} : { source_account_id: step.source }
  if (step.pays === 'now') return { to: 'paid', ...source }
  return { to: 'payment_scheduled', scheduled_for: addDays(todayOf(unit, demo), 7), ...source }
}
