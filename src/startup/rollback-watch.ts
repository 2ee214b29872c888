/**
 * Notices that the database was replaced by an older one. Every row of it holds its seal, and yet
 * keys that were revoked work again and what was paid is open: nothing is answered until an
 * operator begins a new epoch of the log (docs/decisions/0026).
 */
import { rolledBackLog } from '../changes/provenance/lost-checkpoint.ts'
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import type { LogId } from '../core/provenance/signed-notes.ts'

type Watched = Pick<Context, 'database' | 'notary' | 'log' | 'metrics'>

export interface RollbackWatch {
  isRolledBack(): boolean
  /** Looks once before it returns, and then again and again. */
  start(): Promise<void>
  /** Resolves when it reads no more. */
  stop(): Promise<void>
}

export const openRollbackWatch = (context: () => Watched): RollbackWatch => {
  let lost: LogId | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let looking = Promise.resolve()
  const look = async (): Promise<void> => {
    const { database, notary, log } = context()
    const before = lost
    lost = await rolledBackLog(database.read, notary)
    if (before === undefined && lost !== undefined) raiseAlarm(context(), lost)
    if (before !== undefined && lost === undefined) log.info({ log: before }, 'log_complete')
  }
  // What is unknown stays as it was; /readyz tells of an unreachable database.
  const lookFromNowOn = async (): Promise<void> => {
    looking = look().catch(() => {})
    await looking
    if (isStopped) return
    timer = setTimeout(() => void lookFromNowOn(), limits.rollbackLookEveryMs).unref()
  }
  return {
    isRolledBack: () => lost !== undefined,
    start: lookFromNowOn,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

const raiseAlarm = ({ log, metrics }: Watched, id: LogId): void => {
  metrics.count('docex_integrity_failures_total', 'check="CHECKPOINT"')
  log.error({ log: id, check: 'CHECKPOINT' }, 'database_rolled_back')
}
