/** Commands for provenance: erasing texts, releasing holds, and the keys and epochs of a log. */
import type { HistoryKeys } from '../../src/core/provenance/history-keys.ts'
import type { Config } from '../../src/config.ts'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { rotateLogKey } from '../../src/changes/provenance/log-keys.ts'
import { verifiedRecord } from '../../src/changes/provenance/verified-record.ts'
import { type LogId, logIds } from '../../src/core/provenance/signed-notes.ts'
import { decodeId } from '../../src/core/ids.ts'
import { tileTree } from '../../src/core/provenance/merkle-tree.ts'
import { moveArchivedSizes } from '../../src/startup/rekey.ts'
import { type Keyring, openKeyring } from '../../src/startup/keyring.ts'
import { checkLogKeys } from '../../src/startup/database-log-keys.ts'
import { type Notary, openNotary } from '../../src/notary/notary.ts'
import { isStillLocked } from '../../src/database/outages.ts'
import { type Connection, sql } from '../../src/database/sql.ts'
import { leafCount, tryLogLock } from '../../src/store/provenance/transparency-log.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { beginEpoch } from '../../src/changes/provenance/log-epochs.ts'
import { IntegrityFailure } from '../../src/changes/provenance/integrity-failure.ts'
import { untilChangeHolds } from '../../src/webhook-delivery/settings-check.ts'
import { BadInput, type Command, type CommandRun } from './admin-command.ts'

/** Whether the folder must hold the database's keys in the current epoch, in any epoch, or not. */
type RequiredKeys = 'now' | 'ever' | 'none'

/**
 * Opens the server key and the log keys of the service's settings. The log keys' folder is created
 * only after a check that the database does not belong to another folder.
 */
const openServiceKeys = async (
  tx: Connection,
  config: Config,
  needed: RequiredKeys = 'ever',
): Promise<{ notary: Notary; historyKeys: HistoryKeys; keyring: Keyring }> => {
  if (needed !== 'none') await checkLogKeys(tx, config, needed)
  const [notary, keyring] = [await openNotary(config), await openKeyring(config)]
  await keyring.renew(tx)
  return { notary, historyKeys: keyring.history!, keyring }
}

const parseDocumentId = (value: string): string => {
  const id = decodeId('doc', value)
  if (id === undefined) throw new BadInput(`${value} is not a document id, which begins with doc_.`)
  return id
}

const asBadInput = (error: unknown, id: string): unknown =>
  error instanceof Failure || error instanceof IntegrityFailure
    ? new BadInput(`The record of ${id} does not match its proofs (${error.message}).`)
    : error

const erase: CommandRun = async (tx, { positionals: [id = ''] }, { config }) => {
  const keys = await openServiceKeys(tx, config)
  const erased = await eraseContent(tx, parseDocumentId(id), keys).catch((error: unknown) => {
    throw asBadInput(error, id)
  })
  if (erased === undefined) throw new BadInput(`There is no document ${id}.`)
  if (erased === 0)
    return { lines: [`The texts of ${id} were already erased: nothing was left to do.`] }
  const lines = [
    `Erased the texts of ${id}: ${erased} bodies of its history are gone; its proofs still verify.`,
    'Copies that have left the service (deliveries, exports, backups) remain.',
  ]
  return { subject: id, detail: { bodies: erased }, lines }
}

/** Releases a document from its hold if its record now verifies. */
const releaseHold: CommandRun = async (tx, { positionals: [id = ''] }, { config }) => {
  const keys = await openServiceKeys(tx, config)
  const document = parseDocumentId(id)
  const row = await tx.row<{ mode: LogId; held: boolean }>(sql`
    select mode, integrity_hold as held from documents where id = ${document} for no key update`)
  if (row === undefined) throw new BadInput(`There is no document ${id}.`)
  if (!row.held) throw new BadInput(`${id} is not on hold.`)
  await tx.run(sql`update documents set integrity_hold = false where id = ${document}`)
  await retryUntilUnlocked(tx, async () => {
    if (!(await tryLogLock(tx, row.mode))) return undefined
    try {
      return await verifyNow(tx, keys, { document, log: row.mode })
    } catch (error) {
      // The log has leaves that the next checkpoint will cover in a moment.
      if (error instanceof IntegrityFailure && error.isTransient) return undefined
      throw asBadInput(error, id)
    }
  })
  return { subject: id, detail: {}, lines: [`${id} verifies and is no longer on hold.`] }
}

const verifyNow = async (
  tx: Connection,
  { notary, keyring }: { notary: Notary; keyring: Keyring },
  { document, log }: { document: string; log: LogId },
) => {
  const snapshot = {
    tx,
    log: await notary.log(log),
    lastSigned: await notary.latestCheckpoint(log),
  }
  return verifiedRecord(snapshot, { tileTree, keyring }, document)
}

const parseLogId = (value: string | undefined): LogId => {
  const id = logIds.find((one) => one === value)
  if (id === undefined) throw new BadInput('--log must be live or test.')
  return id
}

/**
 * Retries while the log is locked, which lasts only moments, and ends circles of waits, as with a
 * sequencer of the other log. A failed try releases its locks.
 */
const retryUntilUnlocked = async <T>(
  tx: Connection,
  work: () => Promise<T | undefined>,
): Promise<T> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await tx.run(sql`savepoint before`)
    const result = await work().catch((error: unknown) => {
      if (!isStillLocked(error)) throw error
    })
    if (result !== undefined) return result
    await tx.run(sql`rollback to savepoint before`)
    await tx.run(sql`select pg_sleep(0.05)`)
  }
  throw new BadInput('The log stays busy: try again.')
}

const rotateKey: CommandRun = async (tx, { options }, { config }) => {
  const id = parseLogId(options['log'])
  const keys = await openServiceKeys(tx, config, 'now')
  const key = await retryUntilUnlocked(tx, () => rotateLogKey(tx, keys, id))
  const lines = [
    `Added ${key.vkey}.`,
    'Both keys sign for 90 days, then only the new one. Publish it until then.',
  ]
  return { subject: id, detail: { vkey: key.vkey }, lines }
}

/** For use after a restore from a backup: the new epoch records that signed history was lost. */
const newLogEpoch: CommandRun = async (tx, { options }, { config }) => {
  const id = parseLogId(options['log'])
  const keys = await openServiceKeys(
    tx,
    config,
    options['keysLost'] === undefined ? 'ever' : 'none',
  )
  const leavesBefore = await leafCount(tx, id)
  const origin = await retryUntilUnlocked(tx, () => beginEpoch(tx, keys, id))
  await moveArchivedSizes(tx, keys.keyring, { log: id, leavesBefore })
  const lines = [
    `The log is ${origin} now. Its first leaf holds the last checkpoint of the previous log.`,
    'Publish its key. Earlier bundles still verify with the old key.',
    ...(config.witnessing.witnesses.length === 0
      ? []
      : [
          `Give the new key to each witness: until ${config.witnessing.quorum} of them cosign the new log, it publishes nothing.`,
        ]),
    'verify-bundle --since compares across epochs with the answer of /v1/log/epochs: tell the parties what the restore lost.',
  ]
  return { subject: id, detail: { origin }, lines }
}

export const provenanceCommands: Readonly<Record<string, Command>> = {
  erase: {
    summary: 'erase the free texts of a document for good',
    arguments: '<doc_id>',
    run: erase,
    // A worker may have just read the texts for a delivery.
    afterCommit: untilChangeHolds,
  },
  release: {
    summary: 'lift the hold of a document that verifies again',
    arguments: '<doc_id>',
    run: releaseHold,
  },
  'rotate-log-key': {
    summary: 'add a signing key to a transparency log',
    required: ['--log <live|test>'],
    run: rotateKey,
  },
  'new-log-epoch': {
    summary:
      'start a transparency log again after a restore; /v1/log/epochs then proves that it continues the old one',
    required: ['--log <live|test>'],
    options: ['--keys-lost'],
    run: newLogEpoch,
  },
}
