/** The played counterparty: what it is going to do with a document, and doing it (domain 6). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { Refusal } from '../../contract/errors.ts'
import { addDays } from '../../core/calendar.ts'
import { readContent } from '../../core/documents/content.ts'
import { type DemoStep, demoSteps, scenarioOf } from '../../core/sandbox/demo-counterparty.ts'
import { sideOf } from '../../core/documents/projection.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Rows } from '../../database/rows.ts'
import type { Change } from '../acting-caller.ts'
import { transitionDocument } from '../payments/initiate-payment.ts'
import { clockOf, todayOf } from '../history-and-events.ts'

type Document = Rows['documents']
type Script = Rows['demo_scripts']

/** Called when a document was issued: who plays its counterparty gets a script. */
export const planDemo = ({ world, sandboxStepMs }: Change, document: Document): void => {
  const player = document.counterparty_id
  if (world.get('organizations', player)?.is_demo !== true) return
  const type = document.type as DocumentTypeName
  const named = readContent(document.content).external_refs['sandbox_scenario']
  const scenario = scenarioOf(type, named)
  if (scenario === undefined || demoSteps(type, scenario).length === 0) return
  world.save('demo_scripts', {
    document_id: document.id,
    organization_id: player,
    scenario,
    step: 0,
    revision: document.revision,
    due_at: laterBy(world, player, sandboxStepMs),
  })
}

const laterBy = (world: World, organization: string, ms: number): string =>
  new Date(clockOf(world, organization) + ms).toISOString()

/** Takes the next step, if the document is as the last one left it. */
export const playStep = (change: Change, script: Script, document: Document): void => {
  const { world } = change
  const player = script.organization_id
  // A clock that jumps meets every step when it was due.
  const due = Date.parse(script.due_at ?? world.now)
  world.lateMs = Math.max(0, clockOf(world, player) - due)
  const steps = demoSteps(document.type as DocumentTypeName, script.scenario)
  const step = steps[script.step]
  const played =
    step === undefined || document.revision !== script.revision
      ? undefined
      : attempt(change, document, player, step)
  const next = script.step + 1
  const isOver = played === undefined || next >= steps.length
  world.save('demo_scripts', {
    ...script,
    step: played === undefined ? script.step : next,
    revision: played?.revision ?? script.revision,
    due_at: isOver ? null : laterBy(world, player, change.sandboxStepMs),
  })
}

/** A step that the rules do not allow ends the play; undefined then. */
const attempt = (
  change: Change,
  document: Document,
  player: string,
  step: DemoStep,
): Document | undefined => {
  const side = sideOf(document, player)
  if (side === undefined) return undefined
  try {
    return transitionDocument(change, document, side, requestOf(change.world, player, step))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const requestOf = (world: World, player: string, step: DemoStep) => {
  if ('to' in step) return { to: step.to }
  const source = step.source === undefined ? {} : { source_account_id: step.source }
  if (step.pays === 'now') return { to: 'paid', ...source }
  return { to: 'payment_scheduled', scheduled_for: addDays(todayOf(world, player), 7), ...source }
}
