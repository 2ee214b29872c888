/**
 * Notices that the database was replaced by an older one. Every row of it holds its seal, and yet
 * keys that were revoked work again and what was paid is open: nothing is answered until an
 * operator begins a new epoch of the log (docs/decisions/0026). Only the folder of the logs can
 * tell, so the watch also notices that it is away or full (docs/decisions/0210).
 */
import { rolledBackLog } from '../changes/provenance/lost-checkpoint.ts'
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { type LogFolderProblem, LogFolderUnavailable } from '../notary/log-folder.ts'
import type { Notary } from '../notary/notary.ts'

type Watched = Pick<Context, 'database' | 'notary' | 'log' | 'metrics'>

export interface RollbackWatch {
  findings: Pick<Context, 'isRolledBack' | 'logFolderProblem'>
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
  let folder: FolderState | undefined
  const lookAtFolder = async (): Promise<void> => {
    const { notary, log, metrics } = context()
    const before = folder
    folder = await folderState(notary)
    if (folder !== undefined)
      metrics.count('docex_log_folder_problems_total', `problem="${folder.problem}"`)
    if (before?.problem === folder?.problem) return
    if (folder === undefined) log.info({}, 'log_folder_works')
    else log.error({ error: folder.error }, folder.problem)
  }
  const look = async (): Promise<void> => {
    await lookAtFolder()
    if (folder?.problem === 'log_folder_unavailable') return
    const { database, notary, log } = context()
    const before = lost
    lost = await rolledBackLog(database.read, notary)
    if (before === undefined && lost !== undefined) raiseAlarm(context(), lost)
    if (before !== undefined && lost === undefined) log.info({ log: before }, 'log_complete')
  }
  // What is unknown stays as it was; /readyz tells of a database or a folder that is away.
  const lookFromNowOn = async (): Promise<void> => {
    looking = look().catch(() => {})
    await looking
    if (isStopped) return
    timer = setTimeout(() => void lookFromNowOn(), limits.rollbackLookEveryMs).unref()
  }
  return {
    findings: { isRolledBack: () => lost !== undefined, logFolderProblem: () => folder?.problem },
    start: lookFromNowOn,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

interface FolderState {
  problem: LogFolderProblem
  error?: LogFolderUnavailable
}

/** Undefined if it works. */
const folderState = async (notary: Notary): Promise<FolderState | undefined> => {
  try {
    for (const id of logIds) await Promise.all([notary.log(id), notary.cachedCheckpoint(id)])
  } catch (error) {
    if (error instanceof LogFolderUnavailable) return { problem: 'log_folder_unavailable', error }
    throw error
  }
  return (await notary.hasRoom()) ? undefined : { problem: 'log_folder_full' }
}

const raiseAlarm = ({ log, metrics }: Watched, id: LogId): void => {
  metrics.count('docex_integrity_failures_total', 'check="CHECKPOINT"')
  log.error({ log: id, check: 'CHECKPOINT' }, 'database_rolled_back')
}
