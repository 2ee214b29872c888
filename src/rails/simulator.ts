/** The sandbox's rail: asked only when something is due, it says what the plan has for then. */
import { simulationPlanOf, simulatedReference } from '../core/sandbox/payment-simulator.ts'
import type { Rail } from './rail.ts'

export const simulator: Rail = {
  id: 'simulator',
  submitOrPoll: async ({ id, source, status }) => {
    // A payment that was never handed over found no funds.
    const plan = simulationPlanOf(source, status === 'processing')
    return plan.settles === 'never'
      ? { outcome: 'failed', code: plan.code }
      : { outcome: 'settled', reference: simulatedReference(id) }
  },
}
