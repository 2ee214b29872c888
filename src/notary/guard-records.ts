/**
 * What this machine remembers of an embedded database, outside of DATA_DIR (ROLLBACK_GUARD_DIR):
 * its last start and the last published checkpoint of each log. A backup of DATA_DIR contains the
 * database and the log keys at one moment; only something that was not restored with them can tell
 * that time has passed since. It holds no secrets, and a lost file only makes the check laxer.
 *
 *   <id of the database>.<hash of the path>.json   one file for each place of a database
 */
import { createHash } from 'node:crypto'
import { readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { replaceDurably } from '../files/durable-files.ts'

/** The last state that was seen of a database. */
export interface GuardRecord {
  /** DATA_DIR. */
  place: string
  /** The id of the last start, and its time. */
  start: string
  started_at: string
  /** The newest published checkpoint of each log, as it was signed. */
  checkpoints: Partial<Record<LogId, string>>
}

/** A database in its place. */
export interface GuardedDatabase {
  folder: string
  /** The id of the database, the same in all its copies. */
  id: string
  place: string
}

/** Keeps the record of this process up to date. */
export interface RollbackGuard {
  recordCheckpoint(id: LogId, note: string): Promise<void>
}

const fileOf = ({ folder, id, place }: GuardedDatabase): string =>
  join(folder, `${id}.${createHash('sha256').update(place).digest('hex').slice(0, 16)}.json`)

/** The record of the database in its place, and those of its copies in other places. */
export const guardRecords = async (
  database: GuardedDatabase,
): Promise<{ own: GuardRecord | undefined; others: GuardRecord[] }> => {
  const names = await readdir(database.folder)
  const files = names.filter((name) => name.startsWith(`${database.id}.`) && name.endsWith('.json'))
  const records = await Promise.all(files.map((name) => readRecord(join(database.folder, name))))
  const readable = records.filter((record) => record !== undefined)
  return {
    own: readable.find(({ place }) => place === database.place),
    others: readable.filter(({ place }) => place !== database.place),
  }
}

/** Replaces the record, whatever it was, and keeps it up to date from then on. */
export const openRollbackGuard = async (
  database: GuardedDatabase,
  record: GuardRecord,
  failed: (error: unknown) => void,
): Promise<RollbackGuard> => {
  const file = fileOf(database)
  let current = record
  let isFailing = false
  await replaceDurably(file, textOf(current))
  return {
    recordCheckpoint: async (id, note) => {
      if (current.checkpoints[id] === note && !isFailing) return
      current = { ...current, checkpoints: { ...current.checkpoints, [id]: note } }
      try {
        // Needs no sync: an older record only makes the check laxer.
        await writeFile(`${file}.new`, textOf(current), { mode: 0o600 })
        await rename(`${file}.new`, file)
        isFailing = false
      } catch (error) {
        // The log itself is intact and goes on; only a later restore may go unnoticed.
        if (!isFailing) failed(error)
        isFailing = true
      }
    },
  }
}

/** Identifies this state of a record, so that an operator accepts the loss of exactly this. */
export const fingerprintOf = (record: GuardRecord): string =>
  createHash('sha256').update(textOf(record)).digest('hex').slice(0, 12)

const textOf = ({ place, start, started_at, checkpoints }: GuardRecord): string =>
  `${JSON.stringify({ place, start, started_at, checkpoints }, null, 2)}\n`

const readRecord = async (file: string): Promise<GuardRecord | undefined> => {
  try {
    const record = JSON.parse(await readFile(file, 'utf8')) as GuardRecord
    const notes = logIds.map((id) => record.checkpoints[id])
    const isWhole =
      [record.place, record.start, record.started_at].every((text) => typeof text === 'string') &&
      notes.every((note) => note === undefined || typeof note === 'string')
    return isWhole ? record : undefined
  } catch {
    // A power cut may leave an empty file behind.
    return undefined
  }
}
