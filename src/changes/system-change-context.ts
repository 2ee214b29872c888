/** The context of changes by the service itself: settling, expiring, demo steps. */
import type { HistoryKeys } from '../core/provenance/history-keys.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { RowsToLock } from '../engine/rows-to-lock.ts'
import type { ChangeContext } from './change-context.ts'

/** Performs a change on behalf of an organization (tasks/system-write.ts). */
export type PerformAsSystem = (
  organization: string,
  rowsToLock: RowsToLock,
  decide: (change: ChangeContext) => void,
) => Promise<void>

export interface SystemDependencies {
  keyring: { history: HistoryKeys | null }
  config: { sandboxStepMs: number; families: ReadonlySet<string>; stripe: object | undefined }
}

export const systemChangeContext = (
  unit: UnitOfWork,
  requestId: string,
  dependencies: SystemDependencies,
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
    signature: null,
  },
  approvable: null,
  historyKeys: dependencies.keyring.history,
  isWithoutPayments: !dependencies.config.families.has('payments'),
  isWithoutProcessor: dependencies.config.stripe === undefined,
  sandboxStepMs: dependencies.config.sandboxStepMs,
  quotas: {},
})
