/**
 * What provenance costs: leaves a second of the sequencer, and the document of eight events whose
 * history and export are measured.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { integrate } from '../src/changes/provenance/sequencer.ts'
import { eventMac } from '../src/core/provenance/history-event.ts'
import { openNotary } from '../src/notary/notary.ts'
import { newId, pooledRandomBytes } from '../src/database/new-ids.ts'
import { openDatabase } from '../src/database/pool.ts'
import type { Connection } from '../src/database/sql.ts'
import { insertRows } from '../src/database/table-writes.ts'

const leafCount = 40_960
const chunk = 4_096

/** Leaves a second, from queued rows to signed checkpoints, on the live log. */
export const sequencerRate = async (databaseUrl: string, db: Connection): Promise<number> => {
  const macKey = pooledRandomBytes(32)
  for (let at = 0; at < leafCount; at += chunk) {
    const events = Array.from({ length: chunk }, () => {
      const hash = pooledRandomBytes(32)
      const [salt, body] = [Buffer.alloc(16), 'null']
      return {
        ...{ document_id: newId(), seq: 1, header: '{}', hash, mac: eventMac(hash, macKey) },
        ...{ shared_body: body, shared_salt: salt, issuer_body: body, issuer_salt: salt },
        ...{ counterparty_body: body, counterparty_salt: salt },
      }
    })
    await insertRows(db, 'prov_event', events)
    const queued = events.map(({ document_id, seq, hash }) => ({ document_id, seq, hash }))
    await insertRows(
      db,
      'log_queue',
      queued.map((row) => ({ log_id: 'live', ...row })),
    )
  }
  const keysDir = await mkdtemp(join(tmpdir(), 'docex-bench-keys-'))
  const database = openDatabase(databaseUrl)
  const config = { provenanceKeysDir: keysDir, provenanceOrigin: 'bench.example' }
  const parts = { database, notary: await openNotary(config), macKey }
  await integrate(parts, 'live')
  const startedAt = performance.now()
  let integrated = 0
  for (let more = chunk; more === chunk; integrated += more)
    more = (await integrate(parts, 'live')).dequeuedCount
  const seconds = (performance.now() - startedAt) / 1000
  await database.close()
  await rm(keysDir, { recursive: true, force: true })
  return integrated / seconds
}

/** A document of eight events: made, edited six times, issued. */
export const documentOfEightEvents = async (
  port: number,
  key: string,
  body: string,
): Promise<string> => {
  const send = async (method: string, path: string, content: string): Promise<{ id: string }> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': newId(),
      },
      body: content,
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as { id: string }
  }
  const { id } = await send('POST', '/v1/documents', body)
  for (let i = 0; i < 6; i += 1) {
    await send('PATCH', `/v1/documents/${id}`, JSON.stringify({ notes: `Edit ${i}` }))
  }
  await send('POST', `/v1/documents/${id}/issue`, '{}')
  return id
}
