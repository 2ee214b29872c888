/** The service itself as the one who makes a change: settling, expiring, playing a counterparty. */
import type { World } from '../engine/unit-of-work.ts'
import type { Change } from './acting-caller.ts'

export interface Settings {
  keyring: { history: Buffer | null }
  config: { sandboxStepMs: number }
}

export const changeBySystem = (world: World, requestId: string, settings: Settings): Change => ({
  world,
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
