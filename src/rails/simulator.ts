/** The sandbox's rail: polled only when a payment is due, it reports the simulated outcome. */
import { simulationPlanOf, simulatedReference } from '../core/sandbox/payment-simulator.ts'
import type { Rail } from './rail.ts'

export const simulator: Rail = {
  id: 'simulator',
  submitOrPoll: async ({ id, source, status }) => {
    // A payment that was never submitted lacked funds.
    const plan = simulationPlanOf(source, { hasFunds: status === 'processing' })
    return plan.settles === 'never'
      ? { outcome: 'failed', code: plan.code }
      : { outcome: 'settled', reference: simulatedReference(id) }
  },
  notified: async () => [],
}
