/** A log and its sequencer without a service; its queued events belong to no real document. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { integrate } from '../../../src/changes/provenance/sequencer.ts'
import { compactText } from '../../../src/core/compact-text.ts'
import { eventMac } from '../../../src/core/provenance/history-event.ts'
import { type Notary, openNotary } from '../../../src/notary/notary.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { withoutSeals } from '../../../src/database/row-seals.ts'
import { type Database, openDatabase } from '../../../src/database/pool.ts'
import { Connection, sql } from '../../../src/database/sql.ts'
import { insertRows } from '../../../src/database/table-writes.ts'
import { checkSignatures, parseCheckpoint } from '../../../verifier/verify-bundle.mjs'
import { HistoryKeys } from '../../../src/core/provenance/history-keys.ts'
import { testDatabase } from '../database/postgres.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { naiveRoot } from './naive-tree.ts'
import { deterministicBytes } from './synthetic-log.ts'
import { openTestConnection } from '../database/test-connection.ts'

const macKey = deterministicBytes('mac', 32)
const keyring = { history: new HistoryKeys(macKey), renew: async () => false }

export interface LogDeployment {
  url: string
  database: Database
  db: Connection
  notary: Notary
  keysDir: string
}

export const openLogDeployment = async (
  existing: { url?: string; keysDir?: string } = {},
): Promise<LogDeployment> => {
  const url = existing.url ?? (await testDatabase()).url
  const keysDir = existing.keysDir ?? temporaryFolder()
  const database = openDatabase(url, withoutSeals)
  const db = await openTestConnection(url)
  after(async () => {
    await Promise.all([database.close(), db.close()])
  })
  const config = { provenanceKeysDir: keysDir, provenanceOrigin: 'test.example' }
  return { url, database, db, notary: await openNotary(config), keysDir }
}

export const runSequencer = ({ database, notary }: LogDeployment) =>
  integrate({ database, notary, keyring }, 'test')

let eventCount = 0

/** Queues this many events of documents that do not exist, and returns their hashes. */
export const enqueueEvents = async ({ db }: LogDeployment, count: number): Promise<Buffer[]> => {
  const hashes = Array.from({ length: count }, () =>
    deterministicBytes(`event ${(eventCount += 1)}`, 32),
  )
  const salt = Buffer.alloc(16)
  const body = compactText('null')
  const slot = { shared_body: body, issuer_body: body, counterparty_body: body }
  const salts = { salts: salt, finance_body: null }
  const header = { seq: 1, at: '2026-11-21T01:00:00.000Z', commitments: Buffer.alloc(16) }
  const events = hashes.map((hash) => ({
    document_id: newId(),
    ...header,
    hash,
    mac: eventMac(hash, macKey),
    ...slot,
    ...salts,
  }))
  const rows = events.map(({ document_id, seq, hash }) => ({
    log_id: 'test',
    document_id,
    seq,
    hash,
  }))
  await insertRows(db, 'prov_event', events)
  await insertRows(db, 'log_queue', rows)
  return hashes
}

export const readLeaves = async ({ db }: LogDeployment): Promise<Buffer[]> => {
  const rows = await db.rows<{ idx: bigint; hash: Buffer }>(
    sql`select idx, hash from log_leaf where log_id = 'test' order by idx`,
  )
  rows.forEach(({ idx }, i) => assert.equal(Number(idx), i, 'leaves are contiguous'))
  return rows.map(({ hash }) => hash)
}

/** Asserts that each checkpoint is signed with the root of its leaves; returns the log's size. */
export const assertLogConsistent = async (at: LogDeployment): Promise<number> => {
  const all = await readLeaves(at)
  const { trust } = await at.notary.log('test')
  const checkpoints = await at.db.rows<{ note: string }>(
    sql`select note from log_checkpoint where log_id = 'test' order by size`,
  )
  for (const { note } of checkpoints) {
    const checkpoint = parseCheckpoint(note)
    checkSignatures(checkpoint, checkpoint.size, trust)
    assert(checkpoint.root.equals(naiveRoot(all.slice(0, checkpoint.size))))
  }
  const newest = parseCheckpoint(checkpoints.at(-1)!.note)
  assert.equal(newest.size, all.length)
  return newest.size
}

/** Fails before its n-th commit, like a process that is killed there. */
export const failingAtCommit = (database: Database, commit: number): Database => {
  let commits = 0
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (tx) => {
      const result = await work(tx)
      commits += 1
      if (commits === commit) throw new Error('killed before the commit')
      return result
    })
  return { ...database, transaction }
}

export const deploymentFailingAtCommit = (at: LogDeployment, commit: number): LogDeployment => ({
  ...at,
  database: failingAtCommit(at.database, commit),
})
