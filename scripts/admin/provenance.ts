/** Operators' commands about provenance: erasing, lifting a hold, keys and epochs of a log. */
import { readConfig } from '../../src/config.ts'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { beginEpoch, rotateLogKey } from '../../src/changes/provenance/log-keys.ts'
import { IntegrityFailure, verifiedRecord } from '../../src/changes/provenance/verified-record.ts'
import { type LogId, logIds } from '../../src/core/provenance/signed-notes.ts'
import { decodeId } from '../../src/core/ids.ts'
import { tileTree } from '../../src/core/provenance/merkle-tree.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { checkLogFolder } from '../../src/startup/log-keys-folder.ts'
import { type Notary, openNotary } from '../../src/notary/notary.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { tryLogLock } from '../../src/store/provenance/transparency-log.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { BadInput, type Command } from './admin-command.ts'

/** Keys that the folder must have: those of the database, in this epoch, in any, or none. */
type RequiredKeys = 'now' | 'ever' | 'none'

/**
 * The settings of the service: its server key, and the folder of the logs' keys, which is made only
 * where there is none of another folder in the database.
 */
const openServiceKeys = async (
  tx: Connection,
  needed: RequiredKeys = 'ever',
): Promise<{ notary: Notary; macKey: Buffer }> => {
  const config = readConfig()
  if (needed !== 'none') await checkLogFolder(tx, config, needed)
  const [notary, { history }] = [await openNotary(config), await openKeyring(config)]
  return { notary, macKey: history! }
}

const parseDocumentId = (value: string): string => {
  const id = decodeId('doc', value)
  if (id === undefined) throw new BadInput(`${value} is no document id: one begins with doc_.`)
  return id
}

const asBadInput = (error: unknown, id: string): unknown =>
  error instanceof Failure || error instanceof IntegrityFailure
    ? new BadInput(`The record of ${id} does not match its proofs (${error.message}).`)
    : error

const erase: Command['run'] = async (tx, { positionals: [id = ''] }) => {
  const { macKey } = await openServiceKeys(tx)
  const erased = await eraseContent(tx, parseDocumentId(id), macKey).catch((error: unknown) => {
    throw asBadInput(error, id)
  })
  if (erased === undefined) throw new BadInput(`There is no document ${id}.`)
  if (erased === 0)
    return { lines: [`The texts of ${id} were erased before: nothing was left to do.`] }
  const lines = [
    `Erased the texts of ${id}: ${erased} bodies of its history are gone; its proofs still verify.`,
    'Copies that left the service (deliveries, exports, backups) are not reached.',
  ]
  return { subject: id, detail: { bodies: erased }, lines }
}

/** Lifts a hold, if the record verifies now. */
const releaseHold: Command['run'] = async (tx, { positionals: [id = ''] }) => {
  const keys = await openServiceKeys(tx)
  const document = parseDocumentId(id)
  const [row] = await tx.rows<{ mode: LogId; held: boolean }>(sql`
    select mode, integrity_hold as held from documents where id = ${document} for no key update`)
  if (row === undefined) throw new BadInput(`There is no document ${id}.`)
  if (!row.held) throw new BadInput(`${id} is not on hold.`)
  await tx.run(sql`update documents set integrity_hold = false where id = ${document}`)
  await retryUntilUnlocked(tx, async () => {
    if (!(await tryLogLock(tx, row.mode))) return undefined
    try {
      return await verifyNow(tx, keys, { document, log: row.mode })
    } catch (error) {
      // Leaves are in and their checkpoint is not: a moment later they are covered.
      if (error instanceof IntegrityFailure && error.isTransient) return undefined
      throw asBadInput(error, id)
    }
  })
  return { subject: id, detail: {}, lines: [`${id} verifies and is no longer on hold.`] }
}

const verifyNow = async (
  tx: Connection,
  { notary, macKey }: { notary: Notary; macKey: Buffer },
  { document, log }: { document: string; log: LogId },
) => {
  const moment = { tx, log: await notary.log(log), lastSigned: await notary.latestCheckpoint(log) }
  return verifiedRecord(moment, { tileTree, keyring: { history: macKey } }, document)
}

const parseLogId = (value: string | undefined): LogId => {
  const id = logIds.find((one) => one === value)
  if (id === undefined) throw new BadInput('--log must be live or test.')
  return id
}

/** The log is busy for moments only: try until it is ours; a lock taken in vain is let go. */
const retryUntilUnlocked = async <T>(
  tx: Connection,
  work: () => Promise<T | undefined>,
): Promise<T> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await tx.run(sql`savepoint before`)
    const done = await work()
    if (done !== undefined) return done
    await tx.run(sql`rollback to savepoint before`)
    await tx.run(sql`select pg_sleep(0.05)`)
  }
  throw new BadInput('The log is being lengthened all the time: try again.')
}

const rotateKey: Command['run'] = async (tx, { options }) => {
  const id = parseLogId(options['log'])
  const keys = await openServiceKeys(tx, 'now')
  const key = await retryUntilUnlocked(tx, () => rotateLogKey(tx, keys, id))
  const lines = [
    `Added ${key.vkey}.`,
    'It signs beside the old key for 90 days; then that one signs no more. Publish it until then.',
  ]
  return { subject: id, detail: { vkey: key.vkey }, lines }
}

/** After a restore from a backup: what was signed since is lost, and the log says so. */
const newLogEpoch: Command['run'] = async (tx, { options }) => {
  const id = parseLogId(options['log'])
  const keys = await openServiceKeys(tx, options['keys-lost'] === undefined ? 'ever' : 'none')
  const origin = await retryUntilUnlocked(tx, () => beginEpoch(tx, keys, id))
  const lines = [
    `The log is ${origin} now: its first leaf holds the last checkpoint of the one before.`,
    'Publish its key. Bundles exported until now keep verifying with the old one.',
  ]
  return { subject: id, detail: { origin }, lines }
}

export const provenanceCommands: Readonly<Record<string, Command>> = {
  erase: { usage: '<doc_id>', run: erase },
  release: { usage: '<doc_id>', run: releaseHold },
  'rotate-log-key': { usage: '--log live|test', run: rotateKey },
  'new-log-epoch': { usage: '--log live|test [--keys-lost]', run: newLogEpoch },
}
