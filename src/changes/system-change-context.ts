/** The service itself as the one who makes a change: settling, expiring, playing a counterparty. */
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { ChangeContext } from './change-context.ts'

export interface SystemDependencies {
  keyring: { history: Buffer | null }
  config: { sandboxStepMs: number }
}

export const systemChangeContext = (
  unit: UnitOfWork,
  requestId: string,
  settings: SystemDependencies,
): ChangeContext => ({
  unit,
  caller: {
    actor: { kind: 'system' },
    canPay: true,
    grantedScopes: [],
    requestId,
    idempotencyKey: null,
    dryRun: false,
    ifMatch: undefined,
  },
  macKey: settings.keyring.history,
  sandboxStepMs: settings.config.sandboxStepMs,
  quotas: null,
})
