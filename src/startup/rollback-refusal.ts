/**
 * Recognises a DATA_DIR that was restored from a backup. Its database and its log keys are then of
 * the same age and agree with each other, so a start would give out numbers and sign log sizes a
 * second time. Each start is therefore recorded in the database and outside of DATA_DIR, and so is
 * each published checkpoint: a database that lacks what this machine remembers does not start until
 * an operator says that the rest is lost for good.
 */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { type LogId, epochOf, logIds } from '../core/provenance/signed-notes.ts'
import { newId } from '../database/new-ids.ts'
import { databaseNow } from '../database/database-clock.ts'
import { Connection, type Queryable } from '../database/sql.ts'
import { restoreCheckpoint } from '../notary/checkpoint-files.ts'
import {
  type GuardRecord,
  type RollbackGuard,
  fingerprintOf,
  guardRecords,
  openRollbackGuard,
} from '../notary/guard-records.ts'
import { firstServiceStart, hasServiceStart, insertServiceStart } from '../store/deployment.ts'
import { hasCheckpoint, logKeys } from '../store/provenance/transparency-log.ts'
import { parseCheckpoint } from '../../verifier/verify-bundle.mjs'
import { makeDirectory } from './directories-and-ports.ts'
import { SettingError } from './setting.ts'

type GuardConfig = Pick<
  Config,
  'dataDir' | 'provenanceKeysDir' | 'rollbackGuardDir' | 'acceptRollback'
>

/** What an operator should know, although the start goes on. */
interface Notices {
  report(notice: string): void
  /** Also for those who do not see the terminal. */
  alarm(event: 'data_dir_copied' | 'rollback_accepted', notice: string): void
  /** Later, when the guard could not be written. */
  guardFailed(error: unknown): void
}

const isInside = (path: string, folder: string): boolean =>
  !relative(resolve(folder), resolve(path)).startsWith('..')

/** Records this start, and refuses it if the database lacks an earlier one. */
export const guardAgainstRollback = async (
  databaseUrl: string,
  config: GuardConfig,
  notices: Notices,
): Promise<RollbackGuard | undefined> => {
  const folder = await guardFolder(config, notices)
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    const start = newId()
    const first = await firstServiceStart(connection)
    const database = {
      folder: folder ?? '',
      id: first ?? start,
      place: await realpath(config.dataDir),
    }
    const { own, others } =
      folder === undefined ? { own: undefined, others: [] } : await guardRecords(database)
    const lost = own === undefined ? undefined : await lossOf(connection, own)
    if (lost !== undefined) await acceptLoss(config, { own: own!, lost }, notices)
    if (own === undefined && first !== undefined && folder !== undefined)
      notices.report(notRemembered)
    for (const other of others) {
      if (!(await hasServiceStart(connection, other.start)))
        notices.alarm('data_dir_copied', alsoStartedIn(other))
    }
    // From here the start counts. The database comes first: it never lacks what is remembered.
    await insertServiceStart(connection, start)
    if (folder === undefined) return undefined
    const record = {
      place: database.place,
      start,
      started_at: await databaseNow(connection),
      checkpoints: lost === undefined ? (own?.checkpoints ?? {}) : {},
    }
    return await openRollbackGuard(database, record, notices.guardFailed)
  } finally {
    await connection.close()
  }
}

/** Only a folder that the operator has chosen must be writable. */
const guardFolder = async (
  { rollbackGuardDir: chosen, dataDir }: GuardConfig,
  { report }: Notices,
): Promise<string | undefined> => {
  if (chosen === 'off') return undefined
  try {
    const path = chosen ?? join(homedir(), '.local/state/document-exchange-service')
    if (chosen !== undefined && isInside(path, dataDir)) {
      throw new SettingError('ROLLBACK_GUARD_DIR', chosen, 'choose a folder outside of DATA_DIR')
    }
    await makeDirectory('ROLLBACK_GUARD_DIR', path)
    return path
  } catch (error) {
    if (chosen !== undefined) throw error
    report(
      'there is no home directory to write to: without ROLLBACK_GUARD_DIR, a restored DATA_DIR is not recognised',
    )
    return undefined
  }
}

/** What this machine remembers and the database lacks. */
interface Loss {
  start: boolean
  logs: LogId[]
}

const lossOf = async (db: Queryable, record: GuardRecord): Promise<Loss | undefined> => {
  const start = !(await hasServiceStart(db, record.start))
  const logs: LogId[] = []
  for (const id of logIds) {
    const note = record.checkpoints[id]
    if (note !== undefined && !(await isInLog(db, id, note))) logs.push(id)
  }
  return start || logs.length > 0 ? { start, logs } : undefined
}

/**
 * Nothing is lost with an empty log, nor with an epoch that somebody ended: the first leaf of the
 * next one holds its checkpoint.
 */
const isInLog = async (db: Queryable, id: LogId, note: string): Promise<boolean> => {
  const checkpoint = parseCheckpoint(note)
  if (checkpoint.size === 0) return true
  const origins = (await logKeys(db, id)).map(({ vkey }) => vkey.split('+')[0]!)
  const isOlder = origins.some((origin) => epochOf(origin) > epochOf(checkpoint.origin))
  return isOlder || hasCheckpoint(db, id, checkpoint)
}

/**
 * Goes on without what was lost. The notary gets the lost checkpoints back, so that the logs refuse
 * to sign a second history until an operator begins new epochs.
 */
const acceptLoss = async (
  { dataDir, provenanceKeysDir, acceptRollback }: GuardConfig,
  { own, lost }: { own: GuardRecord; lost: Loss },
  { alarm }: Notices,
): Promise<void> => {
  const fingerprint = fingerprintOf(own)
  if (acceptRollback !== fingerprint) throw restored(dataDir, { own, lost, fingerprint })
  for (const id of lost.logs) {
    await restoreCheckpoint(join(provenanceKeysDir, id, 'signed'), own.checkpoints[id]!)
  }
  const commands = lost.logs.map((id) => `npm run admin -- new-log-epoch --log ${id}`)
  const next = commands.length === 0 ? '' : `. Now run: ${commands.join(', ')}`
  const notice = `ACCEPT_ROLLBACK: going on without what came after the backup of DATA_DIR${next}`
  alarm('rollback_accepted', notice)
}

const restored = (
  dataDir: string,
  { own, lost, fingerprint }: { own: GuardRecord; lost: Loss; fingerprint: string },
): Error => {
  const missing = [
    ...(lost.start ? [`the start of ${own.started_at}`] : []),
    ...lost.logs.map((id) => {
      const { size, origin } = parseCheckpoint(own.checkpoints[id]!)
      return `the first ${size} leaves of ${origin} as they were signed`
    }),
  ].join(' and ')
  return new SettingError(
    'DATA_DIR',
    dataDir,
    `it was restored from a backup, for its database lacks ${missing}. Numbers that were given out ` +
      'since the backup would be given out again. Use the newest copy. Only if the rest is lost for ' +
      `good, start once with ACCEPT_ROLLBACK=${fingerprint} (docs/operating/backups.md)`,
  )
}

const notRemembered =
  'this database was started before, but ROLLBACK_GUARD_DIR has no record of it: if DATA_DIR is a ' +
  'restored backup, this start cannot tell (docs/operating/backups.md)'

const alsoStartedIn = ({ place, started_at: at }: GuardRecord): string =>
  `a copy of this database was started in ${place} at ${at}: both give out the same numbers and ` +
  'sign the same log, so only one of them may serve (docs/operating/backups.md)'
