/** Measures the cost of provenance: the sequencer's rate, and a document whose proofs are read. */
import { integrate } from '../src/changes/provenance/sequencer.ts'
import { compactText } from '../src/core/compact-text.ts'
import { eventMac } from '../src/core/provenance/history-event.ts'
import { HistoryKeys } from '../src/core/provenance/history-keys.ts'
import { openNotary } from '../src/notary/notary.ts'
import { newId, pooledRandomBytes } from '../src/database/new-ids.ts'
import { withoutSeals } from '../src/database/row-seals.ts'
import { openDatabase } from '../src/database/pool.ts'
import type { Connection } from '../src/database/sql.ts'
import { insertRows } from '../src/database/table-writes.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'

const leafCount = 40_960
const chunk = 4_096

/** Leaves per second, from queued rows to signed checkpoints, on the live log. */
export const sequencerRate = async (databaseUrl: string, db: Connection): Promise<number> => {
  const macKey = pooledRandomBytes(32)
  for (let count = 0; count < leafCount; count += chunk) {
    const events = Array.from({ length: chunk }, () => {
      const hash = pooledRandomBytes(32)
      const body = compactText('null')
      const header = { seq: 1, at: '2026-11-21T04:42:06.290Z', commitments: Buffer.alloc(16) }
      return {
        document_id: newId(),
        ...header,
        hash,
        mac: eventMac(hash, macKey),
        salts: Buffer.alloc(16),
        shared_body: body,
        issuer_body: null,
        counterparty_body: null,
        finance_body: null,
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
  const database = openDatabase(databaseUrl, withoutSeals)
  const config = { provenanceKeysDir: temporaryFolder(), provenanceOrigin: 'bench.example' }
  const keyring = { history: new HistoryKeys(macKey), renew: async () => false }
  const parts = { database, notary: await openNotary(config), keyring }
  await integrate(parts, 'live')
  const startedAt = performance.now()
  let integrated = 0
  for (let batch = chunk; batch === chunk; integrated += batch)
    batch = (await integrate(parts, 'live')).dequeuedCount
  const seconds = (performance.now() - startedAt) / 1000
  await database.close()
  return integrated / seconds
}

/** A document of eight events: created, edited six times, issued. */
export const documentOfEightEvents = async (
  port: number,
  key: string,
  body: string,
): Promise<string> => {
  const send = async (method: string, path: string, content: string): Promise<{ id: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': newId(),
      },
      body: content,
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { id: string }
  }
  const { id } = await send('POST', '/v1/documents', body)
  for (let i = 0; i < 6; i += 1) {
    await send('PATCH', `/v1/documents/${id}`, JSON.stringify({ notes: `Edit ${i}` }))
  }
  await send('POST', `/v1/documents/${id}/issue`, '{}')
  return id
}
