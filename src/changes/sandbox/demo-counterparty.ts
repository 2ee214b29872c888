/** The played counterparty: what it is going to do with a document, and doing it (domain 6). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { Refusal } from '../../contract/errors.ts'
import { addDays } from '../../core/calendar.ts'
import { parseContent } from '../../core/documents/content.ts'
import { type DemoStep, demoSteps, scenarioOf } from '../../core/sandbox/demo-counterparty.ts'
import { sideOf } from '../../core/documents/projection.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { ChangeContext } from '../change-context.ts'
import { transitionDocument } from '../payments/initiate-payment.ts'
import { organizationClockMs, todayOf } from '../history-and-events.ts'

type Document = Rows['documents']
type DemoScript = Rows['demo_scripts']

/** Called when a document was issued: who plays its counterparty gets a script. */
export const scheduleDemo = ({ unit, sandboxStepMs }: ChangeContext, document: Document): void => {
  const player = document.counterparty_id
  if (unit.get('organizations', player)?.is_demo !== true) return
  const type = document.type as DocumentTypeName
  const named = parseContent(document.content).external_refs['sandbox_scenario']
  const scenario = scenarioOf(type, named)
  if (scenario === undefined || demoSteps(type, scenario).length === 0) return
  unit.save('demo_scripts', {
    document_id: document.id,
    organization_id: player,
    scenario,
    step: 0,
    revision: document.revision,
    due_at: demoDueAt(unit, player, sandboxStepMs),
  })
}

const demoDueAt = (unit: UnitOfWork, organization: string, ms: number): string =>
  new Date(organizationClockMs(unit, organization) + ms).toISOString()

/** Takes the next step, if the document is as the last one left it. */
export const runDemoStep = (
  change: ChangeContext,
  script: DemoScript,
  document: Document,
): void => {
  const { unit } = change
  const player = script.organization_id
  // A clock that jumps meets every step when it was due.
  const due = Date.parse(script.due_at ?? unit.now)
  unit.lateMs = Math.max(0, organizationClockMs(unit, player) - due)
  const steps = demoSteps(document.type as DocumentTypeName, script.scenario)
  const step = steps[script.step]
  const moved =
    step === undefined || document.revision !== script.revision
      ? undefined
      : tryStep(change, document, player, step)
  const next = script.step + 1
  const isFinished = moved === undefined || next >= steps.length
  unit.save('demo_scripts', {
    ...script,
    step: moved === undefined ? script.step : next,
    revision: moved?.revision ?? script.revision,
    due_at: isFinished ? null : demoDueAt(unit, player, change.sandboxStepMs),
  })
}

/** A step that the rules do not allow ends the play; undefined then. */
const tryStep = (
  change: ChangeContext,
  document: Document,
  player: string,
  step: DemoStep,
): Document | undefined => {
  const side = sideOf(document, player)
  if (side === undefined) return undefined
  try {
    return transitionDocument(change, document, side, requestForStep(change.unit, player, step))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const requestForStep = (unit: UnitOfWork, player: string, step: DemoStep) => {
  if ('to' in step) return { to: step.to }
  const source = step.source === undefined ? {} : { source_account_id: step.source }
  if (step.pays === 'now') return { to: 'paid', ...source }
  return { to: 'payment_scheduled', scheduled_for: addDays(todayOf(unit, player), 7), ...source }
}
